/** A request of a browser to the issuer, outside of the RPCs. */

import { invalidArgument } from "../../aip/errors.ts";
import type { Database } from "../../auth/call.ts";
import { type Config, configOf, type Env, namesOf } from "../../config.ts";
import { openDatabase } from "../../rpc/database.ts";
import { bytesOf } from "../../rpc/request.ts";
import { complete, toResponse, toStatus } from "../../rpc/status.ts";
import { showRefusal } from "./pages.ts";

/** What answering takes. */
export interface Visit {
  config: Config;
  db: Database;
  /** Milliseconds since 1970 UTC. */
  now: number;
  url: URL;
  request: Request;
}

type Answerer = (visit: Visit) => Promise<Response>;

/** What went wrong, as a status of HTTP and words for a person. */
export interface Refusal {
  status: number;
  reason: string;
}

/** Any thrown value as a refusal. What is ours to mend is logged and told without its inside. */
export function refusalOf(thrown: unknown): Refusal {
  const error = toStatus(thrown);
  return { status: toResponse(error, new Headers()).status, reason: error.rawMessage };
}

/** Greatest form, in bytes. */
const formLimit = 16 * 1024;

/** The request's form. Throws INVALID_ARGUMENT for one that is too large, and what {@link bytesOf} throws. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await bytesOf(request, formLimit, () =>
    invalidArgument("body", `the form must have at most ${formLimit} bytes`),
  );
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Answers with pages: a refusal is one too. */
export const withPages = (answer: Answerer) => (request: Request, env: Env) =>
  visit(request, env, answer, (thrown) => {
    const { status, reason } = refusalOf(thrown);
    return showRefusal(status, reason);
  });

/** Answers with JSON: a refusal is a google.rpc.Status, as everywhere. */
export const withJson = (answer: Answerer) => (request: Request, env: Env) =>
  visit(request, env, answer, (thrown) =>
    toResponse(complete(toStatus(thrown), "oidc", namesOf(env)), new Headers()),
  );

async function visit(
  request: Request,
  env: Env,
  answer: Answerer,
  refuse: (thrown: unknown) => Response,
): Promise<Response> {
  try {
    const config = configOf(env);
    const { db } = openDatabase(env.DB);
    return await answer({ config, db, now: Date.now(), url: new URL(request.url), request });
  } catch (thrown) {
    return refuse(thrown);
  }
}

/** A request of a browser to the issuer, outside of the RPCs. */

import { invalidArgument } from "../../aip/errors.ts";
import type { Database } from "../../auth/call.ts";
import { type Config, configOf, type Env, errorNamesOf } from "../../config.ts";
import { openDatabase } from "../../rpc/database.ts";
import { readBody } from "../../rpc/request.ts";
import { completeError, toStatus, toStatusResponse } from "../../rpc/status.ts";
import { showRefusal } from "./pages.ts";

/** What answering takes. */
export interface LoginContext {
  config: Config;
  db: Database;
  /** Milliseconds since 1970 UTC. */
  now: number;
  url: URL;
  request: Request;
}

type LoginHandler = (context: LoginContext) => Promise<Response>;

/** What went wrong, as a status of HTTP and words for a person. */
export interface LoginRefusal {
  status: number;
  reason: string;
}

/** Any thrown value as a refusal. What is ours to mend is logged and told without its inside. */
export function toLoginRefusal(thrown: unknown): LoginRefusal {
  const error = toStatus(thrown);
  return { status: toStatusResponse(error, new Headers()).status, reason: error.rawMessage };
}

/** Greatest form, in bytes. */
const maxFormBytes = 16 * 1024;

/** The request's form. Throws INVALID_ARGUMENT for one that is too large, and what {@link readScimBody} throws. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const bytes = await readBody(request, maxFormBytes, () =>
    invalidArgument("body", `the form must have at most ${maxFormBytes} bytes`),
  );
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** Answers with pages: a refusal is one too. */
export const answerWithPages = (answer: LoginHandler) => (request: Request, env: Env) =>
  context(request, env, answer, (thrown) => {
    const { status, reason } = toLoginRefusal(thrown);
    return showRefusal(status, reason);
  });

/** Answers with JSON: a refusal is a google.rpc.Status, as everywhere. */
export const answerWithJson = (answer: LoginHandler) => (request: Request, env: Env) =>
  context(request, env, answer, (thrown) =>
    toStatusResponse(completeError(toStatus(thrown), "oidc", errorNamesOf(env)), new Headers()),
  );

async function context(
  request: Request,
  env: Env,
  answer: LoginHandler,
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

/** A request from a browser to the issuer, outside the RPCs. */

import { invalidArgument, isRateLimited } from "../../aip/errors.ts";
import type { Database } from "../../auth/call.ts";
import type { Databases } from "../../auth/databases.ts";
import { type Config, configOf, type Env, errorNamesOf } from "../../config.ts";
import { countToken, limitOf } from "../../limits/rate_limit.ts";
import { openDatabase } from "../../rpc/database.ts";
import { readBody } from "../../rpc/request.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { completeError, toStatus, toStatusResponse } from "../../rpc/status.ts";
import { OAuthError, oauthCodeOf, oauthErrorResponse } from "../oauth/errors.ts";
import { type LoginRefusal, showRefusal } from "./pages.ts";

/** The arguments of a handler. */
export interface LoginContext {
  config: Config;
  /** The database of the identity provider, once it is known. Before that, the first database. */
  db: Database;
  databases: Databases;
  /** Milliseconds since 1970 in UTC. */
  now: number;
  url: URL;
  request: Request;
  headers: Headers;
  /** Counts the exchange of a token, like one at `/sts/exchange`. Throws RATE_LIMITED. */
  countExchange: (token: string) => Promise<void>;
}

type LoginHandler = (context: LoginContext) => Promise<Response>;

/**
 * Converts any thrown value to an error for a person. An unexpected error is logged, and its details are not
 * shown.
 */
export function toLoginRefusal(thrown: unknown, headers: Headers): LoginRefusal {
  if (thrown instanceof OAuthError) return { status: 400, reason: thrown.message };
  const error = toStatus(thrown, headers);
  return { status: toStatusResponse(error, new Headers()).status, reason: error.rawMessage };
}

/** The largest form, in bytes. */
const maxFormBytes = 16 * 1024;

/** Reads the body of a form, or of another short request. Throws INVALID_ARGUMENT if it is too large. */
export const readFormBytes = (request: Request, most = maxFormBytes) =>
  readBody(request, most, () => invalidArgument("body", `body must have at most ${most} bytes`));

/** Reads the form in the request. Throws INVALID_ARGUMENT if it is too large. */
export async function readForm(request: Request, most?: number): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readFormBytes(request, most)));
}

/** Wraps a route that returns pages. An error is a page too. */
export const answerWithPages =
  (answer: LoginHandler) => (request: Request, env: Env, execution: Execution) =>
    context(request, [env, execution], answer, (thrown) =>
      showRefusal(toLoginRefusal(thrown, request.headers), request.headers),
    );

/** Wraps a route that returns JSON. An error is a google.rpc.Status, as in the API. */
export const answerWithJson =
  (answer: LoginHandler) => (request: Request, env: Env, execution: Execution) =>
    context(request, [env, execution], answer, (thrown) =>
      toStatusResponse(
        completeError(
          toStatus(thrown, request.headers),
          "oidc",
          errorNamesOf(env),
          request.headers,
        ),
        new Headers(),
      ),
    );

/** Wraps an endpoint of OAuth. Its errors have the form that clients of OAuth expect. */
export const answerWithOAuth =
  (answer: LoginHandler) => (request: Request, env: Env, execution: Execution) =>
    context(request, [env, execution], answer, (thrown) => {
      if (thrown instanceof OAuthError) return oauthErrorResponse(thrown.code, thrown.message);
      const error = toStatus(thrown, request.headers);
      return oauthErrorResponse(oauthCodeOf(error), error.rawMessage);
    });

async function context(
  request: Request,
  [env, execution]: [Env, Execution],
  answer: LoginHandler,
  refuse: (thrown: unknown) => Response,
): Promise<Response> {
  execution.trace?.note({ operation: "login", class: "login" });
  try {
    const config = configOf(env);
    const { db, databases } = openDatabase(env, execution);
    const { headers, url } = request;
    const now = Date.now();
    const after = (work: () => Promise<unknown>) => execution.waitUntil(work());
    const counted = { env, config, databases, headers, now, after };
    await limitOf({ ...counted, rateClass: "login" }).network();
    const countExchange = (token: string) =>
      countToken(limitOf({ ...counted, rateClass: "exchange" }), config, token, now);
    const login = { config, db, databases, now, url: new URL(url), request, headers };
    return await answer({ ...login, countExchange });
  } catch (thrown) {
    const refusal = refuse(thrown);
    return isRateLimited(thrown) ? tooManyRequests(refusal, thrown.metadata) : refusal;
  }
}

/** The refusal of a rate limit. An error of OAuth has no status and no headers for it. */
function tooManyRequests({ body, headers: own }: Response, metadata: Headers): Response {
  const headers = new Headers(own);
  for (const [name, value] of metadata) headers.set(name, value);
  return new Response(body, { status: 429, headers });
}

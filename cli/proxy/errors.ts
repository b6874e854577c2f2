/** Errors as clients of a registry read them (OCI distribution, "Error Codes"). */
import { Failure, reasonOf, toFailure } from "../failure.ts";
import { refusalOf } from "../images/session.ts";

/** An error that the proxy itself returns to its client. */
export class ProxyError extends Error {
  override name = "ProxyError";
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Returns an error that ends a request. */
export const refusal = (
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
) => new ProxyError(status, code, message, headers);

/** Returns the response for anything that a request has thrown: that of the registry as it is, or one of the proxy. */
export function responseTo(thrown: unknown, url: string): Response {
  const refused = refusalOf(thrown);
  if (refused) return refused;
  const { status, code, message, headers } = ownError(thrown, url);
  return Response.json({ errors: [{ code, message }] }, { status, headers });
}

function ownError(thrown: unknown, url: string): ProxyError {
  if (thrown instanceof ProxyError) return thrown;
  const failure = failureOf(thrown, url);
  const message = failure.message.split("\n", 1)[0] ?? "";
  if (failure.code === "UNREACHABLE") return refusal(502, "UNAVAILABLE", message);
  const isLogin = /^(?:NOT_LOGGED_IN|UNAUTHENTICATED|LOGIN_\w+)$/.test(failure.code);
  return isLogin ? refusal(401, "UNAUTHORIZED", message) : refusal(500, "UNKNOWN", message);
}

/** Returns a Failure for anything that was thrown, also for a bug, so that one request does not end the others. */
export function failureOf(thrown: unknown, url: string): Failure {
  if (thrown instanceof ProxyError) return new Failure(1, thrown.code, thrown.message);
  try {
    return toFailure(thrown, url);
  } catch {
    return new Failure(1, "BUG", reasonOf(thrown));
  }
}

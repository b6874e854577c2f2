/**
 * Browsers of any origin may call (CORS): callers are known by their tokens and no call carries a
 * cookie, so an origin proves nothing.
 */
import { cors as connectHeaders } from "@connectrpc/connect";
import { cors } from "itty-router";
import { expiredTokenHeader } from "../paging/page_token.ts";

const { preflight } = cors({
  allowMethods: "GET, POST, PUT, PATCH, DELETE",
  allowHeaders: ["Authorization", ...connectHeaders.allowedHeaders],
  maxAge: 7200,
});

const exposedHeaders = [
  ...connectHeaders.exposedHeaders,
  expiredTokenHeader,
  "WWW-Authenticate",
  "Allow",
  "Link",
].join(", ");

/**
 * A handler that browsers may call: preflights are answered here (Fetch standard, CORS protocol), and
 * its answers get the headers that let a script of another origin read them.
 */
export const withCors =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => Promise<Response>) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    const isPreflight = request.headers.has("access-control-request-method");
    const preflightResponse = isPreflight ? preflight(request) : undefined;
    return preflightResponse ?? addCorsHeaders(await handler(request, ...rest));
  };

function addCorsHeaders(response: Response): Response {
  try {
    return setCorsHeaders(response);
  } catch {
    // Headers of an answer that was fetched cannot be set.
    return setCorsHeaders(new Response(response.body, response));
  }
}

function setCorsHeaders(response: Response): Response {
  response.headers.set("access-control-allow-origin", "*");
  response.headers.set("access-control-expose-headers", exposedHeaders);
  return response;
}

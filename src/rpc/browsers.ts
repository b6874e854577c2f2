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

const exposed = [
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
export const openToBrowsers =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => Promise<Response>) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    const isPreflight = request.headers.has("access-control-request-method");
    const early = isPreflight ? preflight(request) : undefined;
    return early ?? readableAnywhere(await handler(request, ...rest));
  };

function readableAnywhere(response: Response): Response {
  try {
    return tellBrowsers(response);
  } catch {
    // Headers of an answer that was fetched cannot be set.
    return tellBrowsers(new Response(response.body, response));
  }
}

function tellBrowsers(response: Response): Response {
  response.headers.set("access-control-allow-origin", "*");
  response.headers.set("access-control-expose-headers", exposed);
  return response;
}

/**
 * Lets browsers call from any origin (CORS). A token identifies the caller and no call carries a cookie, so
 * the origin proves nothing.
 */
import { cors as connectHeaders } from "@connectrpc/connect";
import { cors } from "itty-router";
import { requestIdHeader } from "../aip/request_id.ts";
import { idempotencyKeyHeader, replayedHeader } from "../idempotency/idempotency_key.ts";
import { expiredTokenHeader } from "../paging/page_token.ts";
import { traceparentHeader, tracestateHeader } from "../telemetry/trace_context.ts";
import { bookmarkHeader } from "./bookmark.ts";

const { preflight } = cors({
  allowMethods: "GET, POST, PUT, PATCH, DELETE",
  allowHeaders: [
    "Authorization",
    ...connectHeaders.allowedHeaders,
    requestIdHeader,
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    bookmarkHeader,
    idempotencyKeyHeader,
    traceparentHeader,
    tracestateHeader,
    // MCP, "Request Metadata".
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
  ],
  maxAge: 7200,
});

const exposedHeaders = [
  ...connectHeaders.exposedHeaders,
  expiredTokenHeader,
  requestIdHeader,
  bookmarkHeader,
  replayedHeader,
  "Retry-After",
  "WWW-Authenticate",
  "Allow",
  "ETag",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
].join(", ");

/**
 * Wraps a handler that browsers may call. It responds to preflight requests (Fetch standard, CORS protocol),
 * and adds the headers that let a script of another origin read the responses.
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
    // The headers of a fetched response are immutable.
    return setCorsHeaders(new Response(response.body, response));
  }
}

function setCorsHeaders(response: Response): Response {
  response.headers.set("access-control-allow-origin", "*");
  response.headers.set("access-control-expose-headers", exposedHeaders);
  return response;
}

/**
 * Browsers of any origin may call (CORS): callers are known by their tokens and no call carries a
 * cookie, so an origin proves nothing.
 */
import { cors as connectHeaders } from "@connectrpc/connect";
import { cors } from "itty-router";
import { expiredHeader } from "../auth/list.ts";

const { preflight } = cors({
  allowMethods: "GET, POST, PUT, PATCH, DELETE",
  allowHeaders: ["Authorization", ...connectHeaders.allowedHeaders],
  maxAge: 7200,
});

const exposed = [
  ...connectHeaders.exposedHeaders,
  expiredHeader,
  "WWW-Authenticate",
  "Allow",
  "Link",
];

/** The answer to a preflight (Fetch standard, CORS protocol); undefined for any other request. */
export const preflightAnswer = (request: Request): Response | undefined =>
  request.headers.has("access-control-request-method") ? preflight(request) : undefined;

/** The answer with the headers that let a script of another origin read it. */
export function readableAnywhere(response: Response): Response {
  const answer = new Response(response.body, response);
  answer.headers.set("access-control-allow-origin", "*");
  answer.headers.set("access-control-expose-headers", exposed.join(", "));
  return answer;
}

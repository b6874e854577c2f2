/** Responses to the client of the proxy. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { dropRest } from "../local/http_relay.ts";

/** Fields of a single connection, those that fetch has decoded, and those that only the registry's own host may set. */
const notPassed =
  /^(?:connection|keep-alive|transfer-encoding|upgrade|trailer|content-encoding|alt-svc|access-control-[a-z-]+|set-cookie|www-authenticate|strict-transport-security)$/;

/** Returns the header fields of a response for the client. Addresses of the registry become paths of the proxy. */
export function passedHeaders(from: Headers, origin: string): Record<string, string> {
  const isDecoded = from.has("content-encoding");
  const passed: Record<string, string> = {};
  for (const [name, value] of from) {
    if (notPassed.test(name) || (isDecoded && name === "content-length")) continue;
    const isAddress = name === "location" || name === "link";
    passed[name] = isAddress ? value.replaceAll(`${origin}/`, "/") : value;
  }
  return passed;
}

/**
 * Sends a response to the client. `body` replaces that of the response. Rejects if the client leaves, or if the body fails.
 */
export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  from: Response,
  { origin, body }: { origin: string; body?: AsyncIterable<Uint8Array> | undefined },
): Promise<void> {
  // A client that is still sending gets the response first, and its connection ends.
  const isEarly = !request.complete;
  if (isEarly) response.shouldKeepAlive = false;
  response.writeHead(from.status, passedHeaders(from.headers, origin));
  if (request.method === "HEAD") await from.body?.cancel();
  else {
    const chunks = body ?? (from.body ? Readable.fromWeb(from.body as never) : []);
    await pipeline(Readable.from(chunks, { objectMode: false }), response, { end: false });
  }
  if (isEarly) {
    response.flushHeaders();
    await dropRest(request);
  }
  response.end();
}

/** Sends a response without a body. */
export function answerEmpty(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
): Promise<void> {
  const length: Record<string, string> = status === 204 ? {} : { "content-length": "0" };
  const from = new Response(null, { status, headers: { ...headers, ...length } });
  return answer(request, response, from, { origin: "" });
}

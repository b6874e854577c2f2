/**
 * HTTP/1.1 for `wrangler dev`. It forwards every request without the fields that only the network around a Worker may
 * set.
 */
import * as http from "node:http";
import { pipeline } from "node:stream/promises";
import { isLocalOwnerPath, type ReadSigner, serveLocalOwner } from "./local_owner.ts";

/**
 * Fields that development servers trust. They come from miniflare, which takes the address, the route and the cause of
 * a request from `MF-…`, from Cloudflare's network, and from proxies. A client could forge each of them.
 */
export const internalHeaders = /^(?:mf|cf|x-forwarded)-/i;

/** Fields of a single connection (RFC 9110, 7.6.1), and one field that is handled here. */
const connectionHeaders = /^(?:connection|expect|keep-alive|proxy-connection|te|trailer|upgrade)$/i;

/** Paths that development servers handle themselves. Cloudflare's network reserves the first one, too. */
export const internalPaths = /^(?:[a-z]+:\/\/[^/]*)?\/(?:cdn-cgi|__cf_local)(?:[/?]|$)/i;

/** This is larger than workerd's default, so that workerd rejects larger headers itself. */
const maxHeaderSize = 128 * 1024;

/**
 * Returns an HTTP/1.1 server in front of the one on that port of 127.0.0.1. It does not listen: give it connections.
 * With `signer`, it signs in the owner itself (local_owner.ts).
 */
export function httpRelay(port: number, signer?: ReadSigner): http.Server {
  // workerd closes idle connections after 5 s. Closing them earlier avoids writing to a closing connection.
  const agent = new http.Agent({ keepAlive: true, timeout: 3_000 });
  const server = http.createServer({ maxHeaderSize, noDelay: true }, (request, response) => {
    if (internalPaths.test(request.url ?? "")) response.writeHead(404).end();
    else if (signer && isLocalOwnerPath(request.url))
      void serveLocalOwner(request, response, signer);
    else void forward(request, response, { agent, port, host: "127.0.0.1" });
  });
  // A client may close its side after the request and still wait for the response. The types lack this member.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server.on("close", () => agent.destroy());
}

async function forward(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  to: http.RequestOptions,
): Promise<void> {
  const { method, url: path, rawHeaders } = request;
  const headers = dropInternalHeaders(rawHeaders);
  const onward = http.request({
    ...to,
    method,
    path,
    headers,
    setHost: false,
  } as http.RequestOptions);
  // An error on either side ends both, and a client that leaves ends the request.
  response.on("close", () => onward.destroy());
  const sent = pipeline(request, onward).catch(() => {});
  try {
    const answer = await new Promise<http.IncomingMessage>((done, fail) => {
      onward.on("response", done).on("error", fail);
    });
    response.sendDate = false;
    response.writeHead(
      answer.statusCode ?? 502,
      answer.statusMessage,
      dropInternalHeaders(answer.rawHeaders),
    );
    await pipeline(answer, response);
    await sent;
  } catch {
    response.destroy();
  }
}

/** Takes names and values in turn, and drops the fields that are not passed on. */
function dropInternalHeaders(raw: string[]): string[] {
  return raw.filter((_, index) => {
    const name = raw[index - (index % 2)] ?? "";
    return !internalHeaders.test(name) && !connectionHeaders.test(name);
  });
}

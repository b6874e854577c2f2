/** A receiver of events: an HTTP server that keeps what arrives and responds as a test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { patience } from "./times.ts";

/** A request that has arrived completely. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** When it arrived, in milliseconds since 1970 in UTC. */
  time: number;
}

/** Responds to a request. Without a response, the connection stays open. */
export type Responder = (received: Received, response: ServerResponse) => void | Promise<void>;

const accept: Responder = (_, response) => void response.writeHead(200).end("ok");

/** Starts a sink on a port of this machine, which accepts everything at first. */
export async function startSink() {
  const received: Received[] = [];
  let respond = accept;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks).toString();
    const one = { headers: request.headers, body, time: Date.now() };
    received.push(one);
    await respond(one, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    received,
    /** Waits until something is true. Throws if it never is. */
    async until(isTrue: () => boolean): Promise<void> {
      for (const end = Date.now() + patience; !isTrue(); await pause(20)) {
        if (Date.now() > end) {
          throw new Error(`it did not happen; ${received.length} requests have arrived`);
        }
      }
    },
    respondWith(responder: Responder = accept): void {
      respond = responder;
    },
    close(): Promise<unknown> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Sink = Awaited<ReturnType<typeof startSink>>;

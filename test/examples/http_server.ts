/** A real HTTP server for services that the examples call. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A received request with its whole body. */
export interface Received {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** A response: its status, headers and body. JSON is written as such. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | object | undefined;
}

/** Starts a server on a free port of this machine. */
export async function startHttpServer(answer: (request: Received) => Answer | Promise<Answer>) {
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", headers } = request;
    const url = new URL(request.url ?? "/", `http://${headers.host}`);
    write(response, await answer({ method, url, headers, body: Buffer.concat(chunks) }));
  };
  // A client may break its request off, and then no response is possible.
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function write(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  const isJson = body !== undefined && !Buffer.isBuffer(body);
  response.writeHead(status, {
    ...(isJson ? { "content-type": "application/json" } : {}),
    ...headers,
  });
  response.end(isJson ? JSON.stringify(body) : body);
}

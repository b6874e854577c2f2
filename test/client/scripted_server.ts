/**
 * An HTTP server that follows the script of a test, for responses that a platform does not send on demand.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A received request. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  /** Milliseconds since 1970 UTC. */
  at: number;
}

/** Responds to one request. */
export type ScriptedAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/** A JSON response with a status. */
export const jsonAnswer =
  (status: number, body: unknown, headers: Record<string, string> = {}): ScriptedAnswer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

/** A google.rpc.Status with an ErrorInfo. */
export const statusAnswer = (
  http: number,
  code: number,
  headers: Record<string, string> = {},
): ScriptedAnswer => {
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SCRIPTED" };
  return jsonAnswer(http, { code, message: "scripted", details: [info] }, headers);
};

export const htmlAnswer =
  (http: number): ScriptedAnswer =>
  (response) => {
    response.writeHead(http, { "content-type": "text/html; charset=utf-8" });
    response.end("<html>");
  };

/** The connection breaks before the response. */
export const closeAtOnce: ScriptedAnswer = (response) => response.destroy();

/** The connection breaks in the middle of the response. */
export const closeMidway: ScriptedAnswer = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"uid":');
  setTimeout(() => response.destroy(), 20);
};

/** Never responds. */
export const neverAnswer: ScriptedAnswer = () => {};

/** A server that plays the scenes in order, and the last one for all later requests. */
export async function startScriptedServer(...scenes: ScriptedAnswer[]) {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const { method = "", url: path = "", headers } = request;
    const scene = scenes[Math.min(received.length, scenes.length - 1)];
    received.push({ method, path, headers, at: Date.now() });
    request.resume().on("end", () => scene?.(response, request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

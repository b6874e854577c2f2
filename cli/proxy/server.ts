/** The registry on this machine: it answers clients with what the platform's registry answers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Session } from "../images/session.ts";
import { answer } from "./answer.ts";
import { readThroughCuts, showRead } from "./blob_read.ts";
import type { UploadsSetting } from "./client_upload.ts";
import { refusal, responseTo } from "./errors.ts";
import { refusalFor } from "./guard.ts";
import { headersFor, readPath, relay } from "./relay.ts";
import { type ClientRequest, Uploads } from "./uploads.ts";

/** The setting of a proxy. `hosts` are names of it apart from those of the loopback addresses. */
export type ProxySetting = UploadsSetting & { hosts: string[] };

/** Returns a server that does not listen yet, and a function that deletes what it keeps on disk. */
export function proxyServer(setting: ProxySetting): { server: Server; close: () => Promise<void> } {
  const uploads = new Uploads(setting);
  const server = createServer({ noDelay: true }, (request, response) => {
    void handle(setting, uploads, request, response);
  });
  // The bytes of a layer may take hours, because the registry takes them more slowly than the client sends them.
  server.requestTimeout = 0;
  return { server, close: () => uploads.close() };
}

async function handle(
  setting: ProxySetting,
  uploads: Uploads,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { session } = setting;
  const left = new AbortController();
  response.on("close", () => left.abort());
  const signal = AbortSignal.any([setting.signal, left.signal]);
  // A client that leaves is not an error of the proxy.
  request.on("error", () => {});
  try {
    const refused = refusalFor(request, setting.hosts);
    if (refused) throw refusal(refused.status, refused.code, refused.message);
    await serve(setting, uploads, { request, response, signal, ...targetOf(session, request) });
  } catch (thrown) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const from = responseTo(thrown, session.url);
    await answer(request, response, from, { origin: session.url }).catch(() => response.destroy());
  }
}

/**
 * The URL at the registry. Dot segments and backslashes are resolved first, so that only paths of the registry can be
 * reached. A path that begins with a slash and a backslash would be another host.
 */
function targetOf(session: Session, { url = "" }: IncomingMessage) {
  const target = new URL(url, session.url);
  const isAtRegistry = target.origin === new URL(session.url).origin;
  if (!isAtRegistry || !/^\/v2(?:\/|$)/.test(target.pathname))
    throw refusal(404, "UNSUPPORTED", "the proxy serves only /v2/");
  return { target, content: readPath(target.pathname) };
}

async function serve(
  setting: ProxySetting,
  uploads: Uploads,
  client: ClientRequest,
): Promise<void> {
  const { session, transfers } = setting;
  const { request, response, target, content, signal } = client;
  if (content.kind === "blobs" && content.reference.startsWith("uploads"))
    return uploads.serve(client);
  // Anyone may pull public images, and clients ask for this first.
  if (!session.isLoggedIn && /^\/v2\/?$/.test(target.pathname))
    return answer(request, response, Response.json({}), { origin: session.url });
  const path = target.pathname + target.search;
  const from = await relay(session, content, request, { path, signal });
  const isRead = content.kind === "blobs" && request.method === "GET" && from.ok;
  if (!isRead) return answer(request, response, from, { origin: session.url });
  const transfer = showRead(transfers, content, from);
  try {
    const asked = { method: "GET", path, headers: headersFor(request.headers), signal };
    const read = { session, name: content.name, request: asked };
    const body = readThroughCuts(from, read, transfer.send);
    await answer(request, response, from, { origin: session.url, body });
    transfer.end(content.reference);
  } finally {
    transfer.stop();
  }
}

/** A registry that tests use as an upstream: it serves what they put there, and behaves as badly as they say. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { digestOf, type Image, manifestType, newImageOf } from "../client.ts";

/** A request that has arrived. */
export interface Arrived {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingMessage["headers"];
}

/** Answers a request instead of the registry. Returns false to let the registry answer. */
export type Script = (arrived: Arrived, response: ServerResponse) => boolean | Promise<boolean>;

const obey: Script = () => false;

/** Starts an upstream on a port of this machine. With `login`, it wants a token of its own token server. */
export async function startUpstream({
  login,
}: {
  login?: { user: string; password: string };
} = {}) {
  const arrived: Arrived[] = [];
  const blobs = new Map<string, Uint8Array>();
  const manifests = new Map<string, { type: string; text: string }>();
  const tags = new Map<string, string>();
  let script = obey;
  const server = createServer(async (request, response) => {
    request.resume();
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers };
    arrived.push(one);
    if (await script(one, response)) return;
    serve(one, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const token = `token-of-${port}`;

  /** Asks for a token, or gives one. Returns whether that was the answer. */
  function serveLogin({ path, headers }: Arrived, response: ServerResponse): boolean {
    if (!login || headers.authorization === `Bearer ${token}`) return false;
    if (path.startsWith("/token")) {
      const basic = Buffer.from(`${login.user}:${login.password}`).toString("base64");
      const isRight = headers.authorization === `Basic ${basic}`;
      response.writeHead(isRight ? 200 : 401, { "content-type": "application/json" });
      response.end(isRight ? JSON.stringify({ token, expires_in: 300 }) : "{}");
      return true;
    }
    const challenge = `Bearer realm="http://${host}/token",service="upstream"`;
    response.writeHead(401, { "www-authenticate": challenge }).end("{}");
    return true;
  }

  function serve(one: Arrived, response: ServerResponse): void {
    if (serveLogin(one, response)) return;
    const { method, path } = one;
    const [, name = "", kind = "", reference = ""] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/?]+)$/.exec(path) ?? [];
    const found = kind === "manifests" ? manifestAt(name, reference) : blobs.get(reference);
    if (!found) {
      response.writeHead(404, { "content-type": "application/json" }).end('{"errors":[]}');
      return;
    }
    const bytes = found instanceof Uint8Array ? found : Buffer.from(found.text);
    response.writeHead(200, {
      "content-type": found instanceof Uint8Array ? "application/octet-stream" : found.type,
      "docker-content-digest": digestOf(bytes),
      "content-length": bytes.length,
    });
    response.end(method === "HEAD" ? undefined : bytes);
  }

  function manifestAt(name: string, reference: string) {
    return manifests.get(
      reference.includes(":") ? reference : (tags.get(`${name}:${reference}`) ?? ""),
    );
  }

  return {
    host,
    arrived,
    /** The requests for a path that contains a text, as `GET /v2/…`. */
    asked: (part = ""): string[] =>
      arrived
        .filter(({ path }) => path.includes(part))
        .map(({ method, path }) => `${method} ${path}`),
    forget: () => void arrived.splice(0),
    behave(behavior: Script = obey): void {
      script = behavior;
    },
    /** Puts an image there, and a tag that points to it. */
    put(name: string, tag: string, image: Image = newImageOf()): Image {
      blobs.set(digestOf(image.layer), image.layer);
      blobs.set(digestOf(image.config), Buffer.from(image.config));
      manifests.set(image.digest, { type: manifestType, text: image.text });
      tags.set(`${name}:${tag}`, image.digest);
      return image;
    },
    remove: (name: string, tag: string) => void tags.delete(`${name}:${tag}`),
    close(): Promise<unknown> {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

export type TestUpstream = Awaited<ReturnType<typeof startUpstream>>;

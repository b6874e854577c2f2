/** Requests that go to the registry as they are: everything but the bytes of uploads. */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { withAttempts } from "../images/attempts.ts";
import { bytesBody } from "../images/blob_body.ts";
import { maxManifestBytes } from "../images/descriptor.ts";
import { type RegistryRequest, requireStatus, type Session } from "../images/session.ts";
import { refusal } from "./errors.ts";

/** The fields of a client's request that the registry gets. The client's own credentials are not among them. */
const passedOn = [
  "accept",
  "content-type",
  "content-range",
  "range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-range",
  "user-agent",
];

/** Statuses of a registry that is busy or has failed, so the same request may succeed later. */
const mayPass = [408, 429, 500, 502, 503, 504];

/** The path of an image's content: its name, its kind, and the rest of the path. */
export type ContentPath = { name: string; kind: string; reference: string };

const contentForm = /^\/v2\/(.+?)\/(blobs|manifests|tags|referrers|_[^/]+)\/(.*)$/s;
/** The name of an image can contain `blobs`, so the last such step counts. */
const lastForms = [
  /^\/v2\/(.+)\/(blobs)\/(uploads\/.*|[^/]*)$/s,
  /^\/v2\/(.+)\/(manifests|referrers)\/([^/]*)$/s,
];

/** Takes the path of a request apart. The name is empty if the path is not that of an image. */
export function readPath(path: string): ContentPath {
  for (const form of [...lastForms, contentForm]) {
    const [, name, kind = "", reference = ""] = form.exec(path) ?? [];
    if (name !== undefined) return { name, kind, reference };
  }
  return { name: "", kind: "", reference: "" };
}

/** Returns the fields of a request for the registry. */
export function headersFor(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = passedOn.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  // Bytes of blobs are never encoded, and fetch would decode a list.
  return { ...Object.fromEntries(entries), "accept-encoding": "identity" };
}

/**
 * Sends a request until the registry answers it, and returns the last response, whatever its status. It waits for rate
 * limits. Throws if there is no response.
 */
export async function sendPatiently(
  session: Session,
  name: string,
  request: RegistryRequest,
): Promise<Response> {
  return withAttempts(async () => {
    const response = await session.send(name, request);
    // The response to HEAD has no body, in which the error would be.
    const isOwn = response.status === 429 || request.method !== "HEAD";
    if (mayPass.includes(response.status) && isOwn) await requireStatus(response);
    return response;
  }, request.signal);
}

/** Reads the body of a request that is not an upload. Throws SIZE_INVALID if it has more bytes than any manifest may. */
export async function readSmallBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > maxManifestBytes)
      throw refusal(413, "SIZE_INVALID", `the body may have at most ${maxManifestBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Sends a request of a client to the registry. `path` has the query too. */
export async function relay(
  session: Session,
  { name, kind }: ContentPath,
  from: IncomingMessage,
  { path, signal }: { path: string; signal: AbortSignal },
): Promise<Response> {
  const { method = "GET" } = from;
  const hasBody = kind !== "blobs" && ["PUT", "POST", "PATCH"].includes(method);
  const body = hasBody ? { body: bytesBody(await readSmallBody(from)) } : {};
  const headers = headersFor(from.headers);
  return sendPatiently(session, name, { method, path, headers, signal, ...body });
}

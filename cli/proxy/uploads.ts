/** The requests of clients about uploads (OCI distribution, "Pushing blobs"). */
import type { IncomingMessage, ServerResponse } from "node:http";
import { locationIn } from "../images/chunks.ts";
import { splitDigest } from "../images/descriptor.ts";
import { answer, answerEmpty } from "./answer.ts";
import { type ClientBody, ClientUpload, type UploadsSetting } from "./client_upload.ts";
import { refusal } from "./errors.ts";
import { type ContentPath, sendPatiently } from "./relay.ts";
import { newTurns } from "./turns.ts";

/** Uploads whose bytes are taken at the same time. Docker sends five. */
const parallelUploads = 6;
/** In milliseconds: the bytes of a client that has left are deleted after this time. */
const idleMs = 60 * 60 * 1000;

/** A request of a client, and its target at the registry. */
export type ClientRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  target: URL;
  content: ContentPath;
  signal: AbortSignal;
};

/** The uploads of all clients. */
export class Uploads {
  readonly #setting: UploadsSetting;
  readonly #uploads = new Map<string, ClientUpload>();
  readonly #inTurn = newTurns(parallelUploads);

  constructor(setting: UploadsSetting) {
    this.#setting = setting;
  }

  /** Answers a request to a path below `/v2/NAME/blobs/uploads/`. */
  async serve(client: ClientRequest): Promise<void> {
    const { request, target, content } = client;
    if (/^uploads\/?$/.test(content.reference)) return this.#begin(client);
    const upload = this.#find(content.name, target);
    try {
      await upload.inTurn(async () => {
        if (request.method === "PATCH") return this.#append(client, upload);
        if (request.method === "PUT") return this.#finish(client, upload, digestIn(target));
        if (request.method === "DELETE") await this.#drop(upload);
        return this.#ask(client, upload);
      });
    } finally {
      if (!upload.isKnown) this.#uploads.delete(upload.path);
    }
  }

  /** Deletes the bytes of all uploads. */
  async close(): Promise<void> {
    await Promise.all([...this.#uploads.values()].map((upload) => this.#drop(upload)));
  }

  /** Begins an upload at the registry, or mounts a blob there. The bytes of a blob in the same request follow. */
  async #begin(client: ClientRequest): Promise<void> {
    const { request, response, target, content } = client;
    const { session, signal } = this.#setting;
    await this.#dropIdle();
    if (request.method !== "POST") return this.#relay(client);
    const digest = target.searchParams.has("mount") ? null : target.searchParams.get("digest");
    if (digest !== null) requireDigestForm(digest);
    target.searchParams.delete("digest");
    const path = target.href;
    const begun = await sendPatiently(session, content.name, { method: "POST", path, signal });
    if (begun.status !== 202) return answer(request, response, begun, { origin: session.url });
    const upload = new ClientUpload(this.#setting, content.name, locationIn(begun), true);
    this.#uploads.set(upload.path, upload);
    if (digest === null) return answer(request, response, begun, { origin: session.url });
    await upload.inTurn(() => this.#finish(client, upload, digest));
  }

  async #append({ request, response }: ClientRequest, upload: ClientUpload): Promise<void> {
    const body = bodyOf(request);
    const size = await this.#inTurn(() => upload.append(body));
    if (!body.isCut()) await answerEmpty(request, response, 202, progressOf(upload, size));
  }

  async #finish(
    { request, response }: ClientRequest,
    upload: ClientUpload,
    digest: string,
  ): Promise<void> {
    const body = bodyOf(request);
    await this.#inTurn(() => upload.finish(body, digest));
    if (body.isCut()) return;
    this.#uploads.delete(upload.path);
    await answerEmpty(request, response, 201, {
      location: `/v2/${upload.name}/blobs/${digest}`,
      "docker-content-digest": digest,
    });
  }

  /** Says how many bytes the upload has. The registry knows it, unless they wait here. */
  async #ask(client: ClientRequest, upload: ClientUpload): Promise<void> {
    const { request, response } = client;
    const { waiting } = upload;
    const isQuestion = request.method === "GET" || request.method === "HEAD";
    if (waiting === undefined || !isQuestion) return this.#relay(client);
    await answerEmpty(request, response, 204, progressOf(upload, waiting));
  }

  async #relay({ request, response, target, content }: ClientRequest): Promise<void> {
    const { session, signal } = this.#setting;
    const { method = "GET" } = request;
    const asked = { method, path: target.href, signal };
    const from = await sendPatiently(session, content.name, asked);
    await answer(request, response, from, { origin: session.url });
  }

  /** An upload of an earlier run is known only to the registry. */
  #find(name: string, target: URL): ClientUpload {
    const url = new URL(target);
    url.searchParams.delete("digest");
    const path = url.pathname + url.search;
    const upload =
      this.#uploads.get(path) ?? new ClientUpload(this.#setting, name, url.href, false);
    this.#uploads.set(path, upload);
    return upload;
  }

  async #drop(upload: ClientUpload): Promise<void> {
    this.#uploads.delete(upload.path);
    await upload.forget();
  }

  async #dropIdle(): Promise<void> {
    const idle = [...this.#uploads.values()].filter(({ idleTime }) => idleTime > idleMs);
    for (const upload of idle) await upload.inTurn(() => this.#drop(upload));
  }
}

/** The registry's own form of an upload (src/distribution/blobs/chunk.ts). */
const progressOf = ({ path }: ClientUpload, size: number) => ({
  location: path,
  range: `0-${Math.max(0, size - 1)}`,
  "docker-upload-uuid": path.split("/").at(-1) ?? "",
});

function digestIn({ searchParams }: URL): string {
  const digest = searchParams.get("digest");
  if (digest === null)
    throw refusal(400, "DIGEST_INVALID", "the query must contain the digest of the blob");
  return requireDigestForm(digest);
}

function requireDigestForm(digest: string): string {
  if (splitDigest(digest)) return digest;
  throw refusal(400, "DIGEST_INVALID", "the digest must be sha256 or sha512 and hexadecimal");
}

function bodyOf(request: IncomingMessage): ClientBody {
  let isCut = false;
  const { "content-length": length, "content-range": range } = request.headers;
  const [, first, last] = /^(?:bytes[ =])?(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (range !== undefined && first === undefined)
    throw refusal(400, "BLOB_UPLOAD_INVALID", "Content-Range must be <first byte>-<last byte>");
  const size = length === undefined ? undefined : Number(length);
  if (first !== undefined && size !== undefined && Number(last) - Number(first) + 1 !== size)
    throw refusal(400, "BLOB_UPLOAD_INVALID", `Content-Range is ${range}, of ${size} bytes`);
  return {
    chunks: untilCut(request, () => {
      isCut = true;
    }),
    isCut: () => isCut,
    length: size,
    first: first === undefined ? undefined : Number(first),
  };
}

/** The bytes that arrive. A client that leaves ends them, because those that arrived are kept. */
async function* untilCut(request: IncomingMessage, onCut: () => void): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    onCut();
  }
}

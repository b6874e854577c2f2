/** Sends one request and reads its response, with bodies of any size. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BenchBlob } from "./blob.ts";

/** One request. A body is sent as a stream with its Content-Length. */
export interface TransferRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: BenchBlob | undefined;
  /** Whether to compute the digest of the response, which takes time. */
  digests?: boolean;
}

/** A response. Its body was read, and is not kept if it has more than {@link keptBytes}. */
export interface TransferResponse {
  status: number;
  headers: IncomingMessage["headers"];
  size: number;
  /** Empty if the body was not kept. */
  text: string;
  /** Undefined unless the request asked for it. */
  digest: string | undefined;
}

const keptBytes = 64 * 1024;

/** Sends a request on a connection of its own. Throws an Error unless the status is 2xx. */
export async function transfer(
  url: string,
  { method = "GET", headers = {}, body, digests = false }: TransferRequest = {},
): Promise<TransferResponse> {
  const length = body === undefined ? {} : { "content-length": String(body.size) };
  const request = openRequest(url, { method, headers: { ...headers, ...length }, agent: false });
  const answered = once(request, "response") as Promise<[IncomingMessage]>;
  if (body) await Promise.all([pipeline(Readable.from(body.pieces()), request), answered]);
  else request.end();
  const [response] = await answered;
  const read = await readBody(response, digests);
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 299) throw new Error(`${method} ${url}: ${status} ${read.text}`);
  return { status, headers: response.headers, ...read };
}

async function readBody(response: IncomingMessage, digests: boolean) {
  const hash = digests ? createHash("sha256") : undefined;
  const first: Buffer[] = [];
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= keptBytes) first.push(chunk);
    hash?.update(chunk);
  });
  await once(response, "end");
  const text = size <= keptBytes ? Buffer.concat(first).toString() : "";
  return { size, text, digest: hash && `sha256:${hash.digest("hex")}` };
}

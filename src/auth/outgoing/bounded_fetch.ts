/**
 * Sends requests to other servers, with a limit on the size of the response and without following redirects.
 */

import { readBytesLimited } from "../../aip/bounded_body.ts";

/** The time that most servers have to respond, in milliseconds. */
export const responseTimeoutMs = 5_000;

const defaultLimitBytes = 64 * 1024;

/**
 * Calls fetch without following redirects, and fails if the response is larger than `limit` bytes. The whole
 * response has arrived when the promise resolves. Throws the errors of fetch, and an Error if the response is
 * too large.
 */
export async function boundedFetch(
  url: string | URL,
  options: RequestInit,
  limit = defaultLimitBytes,
): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: "manual" });
  const tooLarge = () => new Error(`the response is larger than ${limit} bytes`);
  const bytes = await readBytesLimited(response, limit, tooLarge);
  const { status, headers } = response;
  const empty = [101, 204, 205, 304].includes(status);
  return new Response(empty ? null : bytes, { status, headers });
}

/**
 * Calls fetch without following redirects, and returns when the headers have arrived. The caller reads the body, within
 * limits of its own. Throws the errors of fetch, and an Error if no headers arrive within `timeoutMs`.
 */
export async function fetchStream(
  url: string,
  options: RequestInit,
  timeoutMs: number,
): Promise<Response> {
  const controller = new AbortController();
  const late = new Error(`no answer within ${timeoutMs / 1000} seconds`);
  const timer = setTimeout(() => controller.abort(late), timeoutMs);
  try {
    return await fetch(url, { ...options, redirect: "manual", signal: controller.signal });
  } catch (thrown) {
    throw controller.signal.aborted ? late : thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** How long to wait for the body of a response whose headers have arrived, in milliseconds. */
const bodyTimeoutMs = 2_000;

/** A response, with the beginning of its body. */
export interface ShortResponse {
  status: number;
  headers: Headers;
  /** The beginning of the body. Bytes that are not UTF-8 are U+FFFD. */
  text: string;
}

/**
 * Calls fetch without following redirects, and reads at most `limit` bytes of the response. A body that is
 * slow or ends early is cut off. Throws the errors of fetch.
 */
export async function fetchShort(
  url: string,
  options: RequestInit,
  limit: number,
): Promise<ShortResponse> {
  const { status, headers, body } = await fetch(url, { ...options, redirect: "manual" });
  return { status, headers, text: body ? await readBeginning(body, limit) : "" };
}

async function readBeginning(body: ReadableStream<Uint8Array>, limit: number): Promise<string> {
  const reader = body.getReader();
  const bytes = new Uint8Array(limit);
  let size = 0;
  const timer = setTimeout(() => reader.cancel().catch(() => {}), bodyTimeoutMs);
  try {
    while (size < limit) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes.set(value.subarray(0, limit - size), size);
      size += Math.min(value.byteLength, limit - size);
    }
  } catch {
    // The status has arrived, and it decides.
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
  return new TextDecoder().decode(bytes.subarray(0, size));
}

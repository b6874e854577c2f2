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

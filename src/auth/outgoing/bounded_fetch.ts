/** Requests to servers that are not ours: their answers are limited in size, and nobody is followed. */

import { readBytesLimited } from "../../aip/bounded_body.ts";

/** What most servers get to answer, in milliseconds. */
export const responseTimeoutMs = 5_000;

const defaultLimitBytes = 64 * 1024;

/**
 * fetch that follows no redirect and gives up on an answer larger than `limit` bytes. The whole
 * answer has arrived when it resolves. Throws what fetch throws, and Error for an answer too large.
 */
export async function boundedFetch(
  url: string | URL,
  options: RequestInit,
  limit = defaultLimitBytes,
): Promise<Response> {
  const response = await fetch(url, { ...options, redirect: "manual" });
  const tooLarge = () => new Error(`answer is larger than ${limit} bytes`);
  const bytes = await readBytesLimited(response, limit, tooLarge);
  const { status, headers } = response;
  const empty = [101, 204, 205, 304].includes(status);
  return new Response(empty ? null : bytes, { status, headers });
}

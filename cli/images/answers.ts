/** Reads the answers of a registry. It can be hostile, so nothing is read without a limit, and nothing is taken for granted. */
import { refusedFailure } from "../failure.ts";
import type { RegistryRequest } from "./session.ts";

/** In milliseconds: how long an answer that is not a blob may take, with its body. */
const maxTime = 60_000;

/** In bytes: the largest page of a list that is read. */
export const maxListBytes = 8 * 1024 * 1024;

/** A GET whose answer has a limit of time. */
export const shortGet = (path: string, headers: Record<string, string> = {}): RegistryRequest => ({
  ...{ method: "GET", path, headers },
  signal: AbortSignal.timeout(maxTime),
});

/** Reads a body of at most so many bytes. Throws a DATA_LOSS Failure for a longer one. */
export async function readBytes(response: Response, most: number, what: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > most)
      throw refusedFailure("DATA_LOSS", `${what} has more than ${most / 1024 ** 2} MiB.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Reads a JSON object of at most so many bytes. Throws a DATA_LOSS Failure for anything else. */
export async function readObject(
  response: Response,
  most: number,
  what: string,
): Promise<Record<string, unknown>> {
  const bytes = await readBytes(response, most, what);
  return parseObject(bytes, what);
}

/** Reads the bytes of a JSON object. Throws a DATA_LOSS Failure for anything else. */
export function parseObject(bytes: Buffer, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The failure below says so.
  }
  throw refusedFailure("DATA_LOSS", `${what} is not a JSON object.`);
}

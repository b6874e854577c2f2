/** Counts the bytes of a push that are in the memory of a Worker. */
import { partSize } from "../../src/distribution/blobs/object_writer.ts";
import type { Goal } from "../report/findings.ts";
import { newBlob } from "./blob.ts";
import { type ImageTarget, pushBlob } from "./client.ts";
import { requestCost } from "./server_timing.ts";

/** In bytes. */
export const pushSize = 2 * 1024 ** 3;
/** One part fills while another one is on its way to R2. */
const mostParts = 2;

const inMiB = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

/** Pushes a large blob, and returns the most bytes that were pending. The platform must report its costs. */
export async function measurePending(target: ImageTarget, size: number): Promise<number> {
  return requestCost(await pushBlob(target, newBlob(size))).mostPending;
}

/** The goal for the bytes in memory. */
export const memoryGoal = (mostPending: number): Goal => ({
  what: `push of a blob of ${pushSize / 1024 ** 3} GiB: the most bytes in memory, taken from the body and not yet in R2`,
  bound: `at most ${mostParts} parts, ${inMiB(mostParts * partSize)}`,
  measured: inMiB(mostPending),
  kept: mostPending > 0 && mostPending <= mostParts * partSize,
});

/**
 * Sends the bytes of a blob from the upstream to a caller, and into R2 at the same time. The slower of the two decides how
 * fast the upstream is read. A caller that is very slow gets no more, because others wait for the store. A caller that
 * leaves does not end the store, and a store that fails does not end the caller.
 * The caller gets the last bytes only after the digest was compared.
 */
import type { WritableStreamDefaultWriter } from "@cloudflare/workers-types";
import { logFailure } from "../../rpc/database_failure.ts";
import { newHash } from "../blobs/hash.ts";
import { append, type ObjectWriter } from "../blobs/object_writer.ts";
import type { Piece } from "../blobs/storage.ts";
import { within } from "../deadline.ts";
import { algorithmOf } from "../digest.ts";
import { UpstreamFailure } from "./failures.ts";

/** The longest time of one fetch, in milliseconds. */
const longestFetch = 60 * 60_000;

/** The bytes per second that a caller must take while others wait for the store. */
const leastRate = 128 * 1024;

/** Where the bytes go. */
interface Sinks {
  /** The bytes that the caller has taken of late, and the milliseconds that this took. */
  given: number;
  waited: number;
  /** Undefined once the caller has left. */
  caller: WritableStreamDefaultWriter<Uint8Array> | undefined;
  /** Undefined if nothing is stored. */
  store: ObjectWriter | undefined;
}

/** A blob on its way. */
export interface Pumping extends Pick<Sinks, "caller" | "store"> {
  body: ReadableStream<Uint8Array>;
  digest: string;
  /** The number of bytes that the upstream has announced. */
  length: number | undefined;
  /** The most bytes that are taken. */
  limit: number;
  /** The longest time between two chunks, in milliseconds, and for a caller to take one. */
  stall: number;
  address: string;
  /** Called for each chunk. */
  renew: () => Promise<void>;
  /** Called with the stored object, before the caller gets the last bytes. */
  keep: (piece: Piece) => Promise<void>;
}

/** Runs until no one takes the bytes, or to the end. Throws UpstreamFailure if the upstream fails or the digest is another. The caller's stream then fails too. */
export async function pump(pumping: Pumping): Promise<void> {
  const sinks: Sinks = { caller: pumping.caller, store: pumping.store, given: 0, waited: 0 };
  try {
    const last = await copy(pumping, sinks);
    await keepStored(pumping, sinks);
    if (last) await give(sinks, last, pumping.stall);
    await sinks.caller?.close().catch(() => {});
  } catch (thrown) {
    await pumping.body.cancel().catch(() => {});
    // The runtime writes the text into its log.
    await sinks.caller?.abort(new Error("a mirror ended a blob early")).catch(() => {});
    throw thrown;
  }
}

/** Copies everything but the last chunk to the caller, and returns that. Throws if the digest is another. */
async function copy(pumping: Pumping, sinks: Sinks): Promise<Uint8Array | undefined> {
  const { body, digest, length, limit, stall, renew } = pumping;
  const fail = (reason: "unreachable" | "wrong", text: string) =>
    // It has answered, so the next request can be answered too.
    new UpstreamFailure(reason, `the upstream of ${pumping.address} ${text}`, Date.now(), 0);
  const hash = newHash(algorithmOf(digest));
  const reader = body.getReader();
  const end = Date.now() + longestFetch;
  let taken = 0;
  let held: Uint8Array | undefined;
  try {
    for (;;) {
      const read = reader.read().catch(() => {
        throw fail("unreachable", "ends before the last byte");
      });
      const { done, value } = await within(stall, read, () => fail("unreachable", "is too slow"));
      if (done) break;
      taken += value.byteLength;
      if (taken > (length ?? limit) || taken > limit) throw fail("wrong", "sends too many bytes");
      if (Date.now() > end) throw fail("unreachable", "is too slow");
      await hash.update(value);
      await Promise.all([held && give(sinks, held, stall), store(sinks, value), renew()]);
      dropSlow(sinks, stall);
      if (!sinks.caller && !sinks.store) throw new Error("no one takes the bytes");
      held = value;
    }
  } finally {
    reader.releaseLock();
  }
  if (length !== undefined && taken !== length)
    throw fail("unreachable", "ends before the last byte");
  const actual = await hash.end();
  if (actual !== digest) throw fail("wrong", `sends bytes with the digest ${actual} for ${digest}`);
  return held;
}

/** Gives bytes to the caller. One that leaves or takes nothing gets no more. */
async function give(sinks: Sinks, bytes: Uint8Array, stall: number): Promise<void> {
  const { caller } = sinks;
  if (!caller) return;
  const start = Date.now();
  try {
    await within(stall, caller.write(bytes), tooSlow);
  } catch (thrown) {
    drop(sinks, thrown);
  }
  sinks.given += bytes.byteLength;
  sinks.waited += Date.now() - start;
}

const tooSlow = () => new Error("the caller is too slow");

/** A caller that does not stall can still hold up the store for an hour. It gets the rest from there. */
function dropSlow(sinks: Sinks, stall: number): void {
  const { store, given, waited } = sinks;
  if (!store || waited < (stall || 60_000) / 4) return;
  // The buffers on the way take the first bytes at once, so each time is measured for itself.
  Object.assign(sinks, { given: 0, waited: 0 });
  if ((given / waited) * 1_000 < leastRate) drop(sinks, tooSlow());
}

function drop(sinks: Sinks, reason: unknown): void {
  const { caller } = sinks;
  sinks.caller = undefined;
  // It does not resolve while the caller takes nothing.
  caller?.abort(reason).catch(() => {});
}

async function store(sinks: Sinks, bytes: Uint8Array): Promise<void> {
  try {
    if (sinks.store) await append(sinks.store, bytes);
  } catch (thrown) {
    sinks.store = undefined;
    logFailure("a blob of an upstream was not stored", thrown, { level: "warn" });
  }
}

async function keepStored({ digest, keep }: Pumping, { store }: Sinks): Promise<void> {
  if (!store) return;
  try {
    const sha256 = algorithmOf(digest) === "sha256" ? digest.slice(7) : undefined;
    await keep(await store.end(sha256));
  } catch (thrown) {
    logFailure("a blob of an upstream was not stored", thrown, { level: "warn" });
  }
}

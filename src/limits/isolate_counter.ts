/**
 * Counts calls in the memory of this isolate, for Workers without a binding that counts. The memory has one size,
 * whatever the number of keys: each key has two of the counters, by a hash, and its count is the smaller of them.
 * Two keys can share a counter, and are then counted together only if they share both.
 */

/** A power of two: 256 KiB. */
const size = 65_536;

/** A window of time in which calls are counted, and the counters. Times are in milliseconds since 1970. */
export class IsolateCounter {
  readonly #counts = new Uint32Array(size);
  readonly #periodMs: number;
  readonly #seed: number;
  #start = Number.NEGATIVE_INFINITY;

  /** The seed is random, so that no one can choose keys that share the counters of another. */
  constructor(periodMs: number, seed: number) {
    this.#periodMs = periodMs;
    this.#seed = seed;
  }

  /** Counts a call of a key, and returns how many it has made in this window. */
  count(key: string, now: number): number {
    this.#enterWindow(now);
    const [first, second] = this.#places(key);
    const counts = this.#counts;
    const count = Math.min(counts[first] ?? 0, counts[second] ?? 0) + 1;
    // Only the smaller one grows, so that the other does not count too much for a third key.
    counts[first] = Math.max(counts[first] ?? 0, count);
    counts[second] = Math.max(counts[second] ?? 0, count);
    return count;
  }

  /** The whole seconds until the window ends: from 1 to the period. */
  secondsLeft(now: number): number {
    this.#enterWindow(now);
    const left = Math.ceil((this.#start + this.#periodMs - now) / 1000);
    return Math.min(Math.max(left, 1), this.#periodMs / 1000);
  }

  /** The bytes of the counters. */
  get bytes(): number {
    return this.#counts.byteLength;
  }

  /**
   * Begins a new window when the last one has ended. If the clock goes back by less than a period, the window stays.
   * If it goes back further, a new one begins, because no count may last longer than its period.
   */
  #enterWindow(now: number): void {
    const isWithin = now >= this.#start - this.#periodMs && now < this.#start + this.#periodMs;
    if (isWithin) return;
    this.#start = now - (now % this.#periodMs);
    this.#counts.fill(0);
  }

  #places(key: string): [number, number] {
    let hash = this.#seed;
    for (let at = 0; at < key.length; at++) {
      hash = Math.imul(hash ^ key.charCodeAt(at), 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return [mixed(hash) % size, mixed(hash ^ 0x9e3779b9) % size];
  }
}

/** Spreads the bits of a hash (MurmurHash3, `fmix32`). */
function mixed(hash: number): number {
  let spread = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  spread = Math.imul(spread ^ (spread >>> 13), 0xc2b2ae35);
  return (spread ^ (spread >>> 16)) >>> 0;
}

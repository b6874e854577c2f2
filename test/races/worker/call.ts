/** The call that the Worker runs. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { SentStatement } from "../../world/recorder.ts";

/** The random values that a call draws. */
export interface Stream {
  /** The byte that identifies the call. */
  call: number;
  /** The number of draws so far, which decides the next value. */
  draws: number;
}

/** The round trips of a call. */
export class Trips {
  readonly all: SentStatement[][] = [];
  readonly #happens: (trip: number) => Promise<void>;
  /** The values that had been drawn when a round trip was first made, by its statements. */
  readonly #drawn = new Map<string, number>();

  /** `happens` runs to its end before each of them, with its number from 1. */
  constructor(happens: (trip: number) => Promise<void> = async () => {}) {
    this.#happens = happens;
  }

  /**
   * A call that runs again draws the same values as the first time. Uids are hashed into other values, which
   * would otherwise differ each time.
   */
  async begin(statements: SentStatement[], stream: Stream): Promise<void> {
    const text = statements.map(({ sql }) => sql).join();
    stream.draws = this.#drawn.get(text) ?? stream.draws;
    this.#drawn.set(text, stream.draws);
    this.all.push(statements);
    await this.#happens(this.all.length);
  }

  /** A call that has written does not run again. If it sends the same statements again, it is at its next batch. */
  wrote(): void {
    this.#drawn.clear();
  }
}

export const current = new AsyncLocalStorage<{ stream: Stream; trips: Trips }>();

/** The bytes that identify the draws of the first and of the second call. */
const bytes = [0xa1, 0xb2];

/** Runs the first call (0) or the second call (1). */
export function runCall<T>(at: number, trips: Trips, work: () => Promise<T>): Promise<T> {
  return current.run({ stream: { call: bytes[at] ?? 0, draws: 0 }, trips }, work);
}

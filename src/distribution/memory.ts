/**
 * The bytes of pushes that this isolate holds in memory. All requests of an isolate share its memory, and the runtime
 * ends all of them if it is exhausted. A request therefore asks before it holds more.
 */
import { tooBusy } from "./errors.ts";

/** How long a request waits for memory before it is refused, in milliseconds. */
const patience = 10_000;

/** How often it looks. The runtime does not let one request wake another. */
const pause = 50;

/** A request that has received nothing for this long was ended by the runtime, in milliseconds. */
const abandonedAfter = 15 * 60_000;

const holders = new Set<HeldMemory>();

/** The requests that wait, the first one first. */
const waiting = new Set<HeldMemory>();

/**
 * The bytes that one request holds. Release them when the request is over. The requests of one organization together
 * hold at most half of the bound, so that it cannot keep others from pushing.
 */
export class HeldMemory {
  readonly #bound: number;
  readonly #organization: string;
  #bytes = 0;
  #time = 0;

  /** `bound` is the most bytes of the whole isolate, and `organization` the uid of the one that is pushed to. */
  constructor(bound: number, organization: string) {
    this.#bound = bound;
    this.#organization = organization;
  }

  /**
   * Holds more bytes. If the isolate has reached the bound, it waits until other requests release theirs. Throws
   * TOOMANYREQUESTS if they do not.
   */
  async take(bytes: number): Promise<void> {
    if (!this.hasRoomFor(bytes)) await this.#waitFor(bytes);
    this.#bytes += bytes;
    this.#time = Date.now();
    holders.add(this);
  }

  /** The request that has waited for longest has more patience, so that not all of them give up at the same time. */
  async #waitFor(bytes: number): Promise<void> {
    const begin = Date.now();
    waiting.add(this);
    try {
      while (!this.hasRoomFor(bytes)) {
        const isFirst = waiting.values().next().value === this;
        if (Date.now() - begin >= (isFirst ? 3 : 1) * patience) throw tooBusy();
        await new Promise((done) => setTimeout(done, pause));
      }
    } finally {
      waiting.delete(this);
    }
  }

  /** Whether the isolate may hold more bytes now. */
  hasRoomFor(bytes: number): boolean {
    return total() + bytes <= this.#bound && total(this.#organization) + bytes <= this.#bound / 2;
  }

  /** Says that the request still runs. */
  touch(): void {
    this.#time = Date.now();
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  release(): void {
    this.#bytes = 0;
    holders.delete(this);
  }

  /** The bytes of a request for the organization. A request that the runtime has ended holds none. */
  static bytesOf(holder: HeldMemory, organization: string | undefined): number {
    if (Date.now() - holder.#time > abandonedAfter) holder.release();
    return (organization ?? holder.#organization) === holder.#organization ? holder.#bytes : 0;
  }
}

/** The bytes that all requests hold, or those of one organization. */
function total(organization?: string): number {
  let sum = 0;
  for (const holder of holders) sum += HeldMemory.bytesOf(holder, organization);
  return sum;
}

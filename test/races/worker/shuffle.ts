/** Two simultaneous calls, whose round trips come in an order that a number decides. */

/** Waits for the turn of a call's next round trip. */
export type Turn = () => Promise<void>;

class Shuffle {
  #state: number;
  readonly #waiting: (() => void)[] = [];
  #running: number;

  constructor(seed: number, calls: number) {
    this.#state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
    this.#running = calls;
  }

  turn = (): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#pause();
    });

  end = (): void => this.#pause();

  /** One call has ended. Once all calls wait or have ended, one of them continues. */
  #pause(): void {
    this.#running -= 1;
    if (this.#running > 0 || this.#waiting.length === 0) return;
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    const [next] = this.#waiting.splice((this.#state >>> 16) % this.#waiting.length, 1);
    this.#running = 1;
    next?.();
  }
}

/** Runs the calls to their end. Each waits for its turn before a round trip. */
export async function runShuffled(
  seed: number,
  calls: ((turn: Turn) => Promise<void>)[],
): Promise<void> {
  const shuffle = new Shuffle(seed, calls.length);
  await Promise.all(calls.map((call) => call(shuffle.turn).finally(shuffle.end)));
}

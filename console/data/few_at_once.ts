/** Calls about many things, of which only a few are on their way at a time. */
import { asError } from "./errors.ts";

/** The calls that are on their way at a time. */
const atOnce = 4;

/**
 * Makes a call for each item, in their order. It never rejects: `onOutcome` gets each outcome as it arrives, with the error
 * of a call that failed. After the signal, no call begins.
 */
export async function fewAtOnce<Item>(
  items: readonly Item[],
  call: (item: Item) => Promise<unknown>,
  onOutcome: (item: Item, error: Error | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) {
      if (signal.aborted) return;
      onOutcome(item, await call(item).then(() => undefined, asError));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

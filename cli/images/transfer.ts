/** The transfer of many blobs: some at a time, with a line of progress. */
import { durationText } from "../history/times.ts";
import { lineOn, progressBar } from "../import/progress.ts";
import { here, type Output } from "../surroundings.ts";

/** Blobs that are transferred at the same time. */
const parallelTransfers = 4;
/** In milliseconds: the time between two redraws of the line. */
const redrawMs = 200;
/** In milliseconds: a rate over less time is not meaningful. */
const minRateMs = 2_000;

/** The progress of a transfer in bytes. */
export type TransferProgress = {
  add(bytes: number): void;
  end(): void;
};

/** Draws a line on a terminal until `end`. Without a terminal, it draws nothing. */
export function showTransfer(size: number, out: Output = here().stderr): TransferProgress {
  let done = 0;
  const add = (bytes: number) => {
    done += bytes;
  };
  if (!out.isTTY) return { add, end() {} };
  const line = lineOn(out);
  const begun = Date.now();
  const draw = () => line.write(transferLine(done, size, Date.now() - begun));
  const timer = setInterval(draw, redrawMs);
  return {
    add,
    end() {
      clearInterval(timer);
      line.clear();
    },
  };
}

/** Returns `[=====   ]  50%  512.0 of 1,024.0 MiB  34.2 MiB/s  15 s left`. */
export function transferLine(done: number, size: number, elapsed: number): string {
  const mebibytes = (bytes: number) =>
    (bytes / 1024 / 1024).toLocaleString("en", {
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    });
  const amount = `${progressBar({ read: done, size })}  ${mebibytes(done)} of ${mebibytes(size)} MiB`;
  if (elapsed < minRateMs || done <= 0) return amount;
  const rate = `${mebibytes(done / (elapsed / 1000))} MiB/s`;
  const left = done < size ? `  ${durationText((elapsed / done) * (size - done))} left` : "";
  return `${amount}  ${rate}${left}`;
}

/**
 * Calls `work` for each item, four at a time, and returns the results in order. After an error it begins no further
 * item, aborts the signal, waits for the others and throws the first error.
 */
export async function transferAll<T, R>(
  items: T[],
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const abort = new AbortController();
  const failures: unknown[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, abort.signal);
      } catch (thrown) {
        failures.push(thrown);
        abort.abort(new Error("another transfer has failed"));
      }
    }
  };
  await Promise.all(Array.from({ length: parallelTransfers }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
}

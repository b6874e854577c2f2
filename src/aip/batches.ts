/** Work of a schedule, in bounded batches. */

/** The most batches of one run. */
const maxBatches = 20;

/**
 * Runs a step until its batch is not full, at most 20 times. The next run of the schedule continues. `step` returns
 * the number of rows in its batch, and `size` is the most that it can have.
 */
export async function runBatches(size: number, step: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch += 1) {
    if ((await step()) < size) return;
  }
}

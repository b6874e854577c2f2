/** The longest pause, in milliseconds. */
const maxPause = 500;

/** Runs a batch, and then leaves the database to others for as long as it took. */
export async function paced<Result>(batch: () => Promise<Result>): Promise<Result> {
  const began = Date.now();
  const result = await batch();
  const pause = Math.min(Date.now() - began, maxPause);
  if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  return result;
}

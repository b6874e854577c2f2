/** Waits for a promise, at most `milliseconds`, or without a limit if that is 0. Throws `late()` after that. */
export async function within<T>(
  milliseconds: number,
  promise: Promise<T>,
  late: () => Error,
): Promise<T> {
  if (milliseconds === 0) return promise;
  let stop = () => {};
  const deadline = new Promise<never>((_, refuse) => {
    const timer = setTimeout(() => refuse(late()), milliseconds);
    stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    stop();
  }
}

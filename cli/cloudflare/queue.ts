import { refusedFailure } from "../failure.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/**
 * Creates a queue, unless the account has it. Returns whether it was created. Throws a Failure with the output of
 * wrangler.
 */
export async function createQueue(
  name: string,
  options: string[],
  run = runWrangler,
): Promise<boolean> {
  const queues = (action: string) => run(["queues", action, name, ...options], { quiet: true });
  if ((await queues("info")).code === 0) return false;
  const { code, out, err } = await queues("create");
  if (code === 0) return true;
  throw refusedFailure(
    "QUEUE",
    `The queue ${name} cannot be created. wrangler says:\n${withoutColors(`${out}${err}`).trim()}`,
  );
}

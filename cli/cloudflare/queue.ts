import { queue } from "../../schema/deployment/workers.ts";
import { refusedFailure } from "../failure.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/**
 * Creates the queue that wakes the sender of events, unless the account has it. Returns whether it was created. Throws
 * a Failure with the output of wrangler.
 */
export async function createQueue(options: string[], run = runWrangler): Promise<boolean> {
  const queues = (action: string) =>
    run(["queues", action, queue.name, ...options], { quiet: true });
  if ((await queues("info")).code === 0) return false;
  const { code, out, err } = await queues("create");
  if (code === 0) return true;
  throw refusedFailure(
    "QUEUE",
    `The queue ${queue.name} cannot be created. wrangler says:\n${withoutColors(`${out}${err}`).trim()}`,
  );
}

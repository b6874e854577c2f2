import { refusedFailure } from "../failure.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/**
 * Creates the R2 bucket with that name, unless the account has it. Returns whether it was created. Throws a Failure with
 * the output of wrangler.
 */
export async function createBucket(
  name: string,
  options: string[],
  run = runWrangler,
): Promise<boolean> {
  const create = ["r2", "bucket", "create", name, ...options];
  const { code, out, err } = await run(create, { quiet: true });
  if (code === 0) return true;
  const text = withoutColors(`${out}${err}`).trim();
  if (/already exists/i.test(text)) return false;
  throw refusedFailure("BUCKET", `The bucket ${name} cannot be created. wrangler says:\n${text}`);
}

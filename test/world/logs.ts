/** Errors that the platform logs because a test provokes them. Those that no test expects are printed. */
import { readdirSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject } from "vitest";

/** Takes what the platform logs. `folder` has a file for each text that a test expects, named by it. */
export const takeLogs =
  (folder: string) =>
  ({ message }: { message: string }): void => {
    const text = readdirSync(folder).find((name) => message.includes(name));
    if (text) writeFileSync(join(folder, text), message);
    else process.stderr.write(`${message}\n`);
  };

/**
 * Expects the platform to log an error with this text, which nothing else logs and a file can be named by.
 * Resolves with what waits for the whole message.
 */
export async function expectLog(text: string): Promise<() => Promise<string>> {
  const file = join(inject("logs"), text);
  await writeFile(file, "");
  return async () => {
    await expect.poll(() => readFile(file, "utf8"), { timeout: 5_000 }).toContain(text);
    return readFile(file, "utf8");
  };
}

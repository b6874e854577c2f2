/**
 * Errors that the platform logs because a test provokes them. Those that no test expects are printed, and the run
 * fails once all tests are done.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject } from "vitest";

/** A file next to `folder` with the errors that no test expects. */
const unexpectedFile = (folder: string) => `${folder}.unexpected`;

/**
 * Handles the log messages of a platform. `folder` has one file for each expected text, with that text as its
 * name.
 */
export const takeLogs =
  (folder: string) =>
  ({ level, message }: { level: string; message: string }): void => {
    const text = readdirSync(folder).find((name) => message.includes(name));
    if (text) {
      writeFileSync(join(folder, text), message);
      return;
    }
    process.stderr.write(`${message}\n`);
    if (level === "error") appendFileSync(unexpectedFile(folder), `${message}\n`);
  };

/** Throws an Error with all unexpected errors in the log, if there are any. */
export function requireExpectedLogs(folder: string): void {
  const file = unexpectedFile(folder);
  if (!existsSync(file)) return;
  throw new Error(
    `The platform logged errors that no test expects:\n${readFileSync(file, "utf8")}`,
  );
}

/**
 * Expects the platform to log an error with this text. The text must be unique and valid as a file name.
 * Resolves with a function that waits for the whole message.
 */
export async function expectLog(text: string): Promise<() => Promise<string>> {
  const file = join(inject("logs"), text);
  await writeFile(file, "");
  return async () => {
    await expect.poll(() => readFile(file, "utf8")).toContain(text);
    return readFile(file, "utf8");
  };
}

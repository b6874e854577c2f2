/**
 * Errors that the platform logs because a test provokes them. Those that no test expects are printed, and the run
 * fails once all tests are done.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { isAboutRequest, logFault } from "./log_lines.ts";

/** A line of a platform's log. `message` is what it has written. */
interface Logged {
  level: string;
  message: string;
}

/** A file next to `folder` with the errors that no test expects. */
const unexpectedFile = (folder: string) => `${folder}.unexpected`;

/** A file next to `folder` with the lines that a log must not have. */
const faultyFile = (folder: string) => `${folder}.faulty`;

/**
 * Handles the log messages of a platform. `folder` has one file for each expected text, with that text as its
 * name. The lines about requests are only checked.
 */
export const takeLogs = (folder: string) => {
  const check = checkLogs(folder);
  return (logged: Logged): void => {
    check(logged);
    const { level, message } = logged;
    if (isAboutRequest(message)) return;
    const text = readdirSync(folder).find((name) => message.includes(name));
    if (text) {
      writeFileSync(join(folder, text), message);
      return;
    }
    process.stderr.write(`${message}\n`);
    if (level === "error") appendFileSync(unexpectedFile(folder), `${message}\n`);
  };
};

/** Handles the log messages of a platform whose test reads them itself. They are only checked. */
export const checkLogs =
  (folder: string) =>
  (logged: Logged): void => {
    const fault = logFault(logged);
    if (fault) appendFileSync(faultyFile(folder), `${fault}: ${logged.message}\n`);
  };

/** Throws an Error with all unexpected errors and faulty lines in the log, if there are any. */
export function requireExpectedLogs(folder: string): void {
  const complaints = [
    [unexpectedFile(folder), "The platform logged errors that no test expects"],
    [faultyFile(folder), "The platform logged lines that a log must not have"],
  ] as const;
  const texts = complaints.flatMap(([file, complaint]) =>
    existsSync(file) ? [`${complaint}:\n${readFileSync(file, "utf8")}`] : [],
  );
  if (texts.length > 0) throw new Error(texts.join("\n"));
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

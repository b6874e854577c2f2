/**
 * `npm test`: runs vitest, and prints the result in one plain line, `N passed, N failed`. Arguments go to vitest. A
 * file that cannot run counts as a failed test, and so does a run without tests.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The members of vitest's JSON report that are used here. */
export type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
};

/** Returns the last line and the exit code of a run. Without a report, vitest did not finish. */
export function summary(report: Report | undefined, code: number): { line: string; code: number } {
  const passed = report?.numPassedTests ?? 0;
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
  const broken = (report?.testResults ?? []).filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((one) => one.status === "failed"),
  );
  const counted = (report?.numFailedTests ?? 0) + broken.length;
  const isEmpty = passed + counted === 0;
  const failed = counted === 0 && (code !== 0 || isEmpty) ? 1 : counted;
  const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  return { line, code: code || (failed > 0 ? 1 : 0) };
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "platform-test-"));
  const file = join(folder, "report.json");
  const cli = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const args = [cli, "run", ...reporters, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  const code = await new Promise<number>((done) =>
    child.on("close", (status) => done(status ?? 1)),
  );
  const text = await readFile(file, "utf8").catch(() => undefined);
  await rm(folder, { recursive: true });
  const result = summary(text === undefined ? undefined : JSON.parse(text), code);
  console.log(result.line);
  process.exitCode = result.code;
}

if (import.meta.main) await main();

/**
 * `npm test` runs the quick tier of a sample of the files (test/world/tiers.ts), `npm run test:all` runs both tiers of
 * all. Names of rooms and files choose what runs, of both tiers. `--in-turn` runs `npm test` first, then the quick tier
 * of the other files, and then the long tier. The last line has the result
 * of everything that ran: `N passed, N failed`. A file that cannot run counts as a failed test, and so does a run
 * without tests. The lines before it name what failed. `--watch` waits for changes, and runs the quick tests of what
 * changed. Other arguments go to vitest.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The members of vitest's JSON report that are used here. */
export type Report = {
  testResults: {
    /** The path of the file. */
    name: string;
    status: string;
    assertionResults: {
      status: string;
      tags: string[];
      ancestorTitles: string[];
      title: string;
    }[];
  }[];
};

/** A run of vitest. Without a report, it did not finish. Without a tier, it ran both. */
export type Run = { report: Report | undefined; code: number; tier?: Tier | undefined };

type Tier = "quick" | "long";

/** A tier, and for the quick one a part of its files. Without a tier, both. */
type Choice = { tier?: Tier; part?: "sample" | "rest" };

const npmTest: Choice = { tier: "quick", part: "sample" };
const inTurn: Choice[] = [npmTest, { tier: "quick", part: "rest" }, { tier: "long" }];

type TestFile = Report["testResults"][number];

const failedOf = ({ assertionResults }: TestFile) =>
  assertionResults.filter(({ status }) => status === "failed");

/** Whether a file could not run, so that none of its tests says what failed. */
const isBroken = (file: TestFile) => file.status === "failed" && failedOf(file).length === 0;

/** How many tests of a run passed, failed, and were skipped. Tests of the other tier do not count. */
function counts({ report, code, tier }: Run): { passed: number; failed: number; skipped: number } {
  const files = report?.testResults ?? [];
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const own = tests.filter(({ tags }) => !tier || tags.includes("long") === (tier === "long"));
  const passed = own.filter(({ status }) => status === "passed").length;
  const failed = own.filter(({ status }) => status === "failed").length;
  const counted = failed + files.filter(isBroken).length;
  const isUnsound = counted === 0 && (code !== 0 || passed === 0);
  return {
    passed,
    failed: isUnsound ? 1 : counted,
    skipped: own.length - passed - failed,
  };
}

/** Returns the last line and the exit code of these runs. */
export function summary(runs: Run[]): { line: string; code: number } {
  const all = runs.map(counts);
  const sum = (key: "passed" | "failed" | "skipped") => all.reduce((so, one) => so + one[key], 0);
  const skipped = sum("skipped");
  const line = `${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
  return { line, code: runs.find(({ code }) => code !== 0)?.code ?? (sum("failed") > 0 ? 1 : 0) };
}

const root = fileURLToPath(new URL("..", import.meta.url));

const mostNamed = 20;

/** The failed tests of a run as `file > group > test`, and its files that could not run. */
function failuresOf(run: Run): string[] {
  const lines = (run.report?.testResults ?? []).flatMap((file) => {
    const name = relative(root, file.name);
    if (isBroken(file)) return [name];
    return failedOf(file).map((one) => [name, ...one.ancestorTitles, one.title].join(" > "));
  });
  if (lines.length > 0 || counts(run).failed === 0) return lines;
  return [`no test, but vitest ended with ${run.code}; its output above says why`];
}

/** Returns a line for each thing that failed in these runs: at most 20, and then one that counts the others. */
export function failures(runs: Run[]): string[] {
  const lines = runs.flatMap(failuresOf);
  // A file that cannot run fails in both tiers.
  const named = [...new Set(lines.map((line) => line.replaceAll(/\s+/g, " ")))];
  const left = named.length - mostNamed;
  return [...named.slice(0, mostNamed), ...(left > 0 ? [`and ${left} more`] : [])];
}

/** The commit of the checkout, or nothing where there is none. */
function commit(): string {
  try {
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, stdio })
      .toString()
      .trim();
  } catch {
    return "";
  }
}

/** On few cores, V8's threads for garbage slow the tests down. Without them it collects late, so heaps are bounded. */
const v8 = ["--single-threaded-gc", "--max-old-space-size=650"];

/**
 * With it, glibc gives the memory of each large buffer back at once. Without it, the process keeps the most that the
 * run ever needed.
 */
const malloc = { MALLOC_MMAP_THRESHOLD_: "131072" };

async function runVitest(args: string[], { tier, part }: Choice): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "platform-test-"));
  const file = join(folder, "report.json");
  const cli = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const isWatching = args.includes("--watch");
  const mode = isWatching ? ["--standalone"] : ["run", ...reporters];
  const child = spawn(process.execPath, [...v8, cli, ...mode, ...args], {
    stdio: [isWatching ? "inherit" : "ignore", "inherit", "inherit"],
    env: {
      ...{ TEST_SEED: commit(), ...malloc, ...process.env },
      ...(tier ? { TEST_TIER: tier } : {}),
      ...(part ? { TEST_PART: part } : {}),
    },
  });
  // Ctrl-C reaches vitest as well. A signal for this process alone would leave it behind.
  const stop = () => child.kill();
  process.once("SIGTERM", stop);
  const code = await new Promise<number>((done) =>
    child.on("close", (status) => done(status ?? 1)),
  );
  process.off("SIGTERM", stop);
  const text = await readFile(file, "utf8").catch(() => undefined);
  await rm(folder, { recursive: true });
  return { report: text === undefined ? undefined : JSON.parse(text), code, tier };
}

async function main(): Promise<void> {
  const own = ["--all", "--in-turn"];
  const args = process.argv.slice(2).filter((arg) => !own.includes(arg));
  // A room's name stands for its folder, as vitest would also run other files that contain the name.
  const named = args.map((arg) => (existsSync(join(root, "test", arg)) ? `test/${arg}/` : arg));
  const isAll = process.argv.includes("--all") || args.some((arg) => !arg.startsWith("-"));
  const isInTurn = process.argv.includes("--in-turn");
  const whole: Choice = isAll ? {} : args.includes("--watch") ? { tier: "quick" } : npmTest;
  const runs: Run[] = [];
  for (const choice of isInTurn ? inTurn : [whole]) runs.push(await runVitest(named, choice));
  if (args.includes("--watch")) return;
  const result = summary(runs);
  for (const line of failures(runs)) console.log(`failed: ${line}`);
  console.log(result.line);
  process.exitCode = result.code;
}

if (import.meta.main) await main();

/**
 * The OCI's own conformance suites (https://github.com/opencontainers/distribution-spec/tree/main/conformance): the one
 * of the latest release, and the longer one of its main branch, each with every optional test. They need Go, and the
 * folders of the suites next to the project.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { expect } from "vitest";

/** A registry, and someone who may push to an organization there. */
export interface Registry {
  host: string;
  organization: string;
  token: string;
}

/** A conformance suite. */
export interface Suite {
  name: string;
  folder: string;
  /** The variables of the suite, apart from the folders of its build and its results. */
  settings: (registry: Registry) => Record<string, string>;
  /** Where the suite writes its report. */
  results: string;
  /** The part of the output with the result. */
  summary: RegExp;
  /** Finds the number of tests with a result in the summary. */
  counts: { passed: RegExp; failed: RegExp; skipped: RegExp };
  /** A suite skips only tests for registries that work in another way. */
  expected: { passed: number; failed: number; skipped: number };
}

export const suites: Suite[] = [
  {
    name: "of the specification 1.1.1",
    folder: "oci-conformance-1.1.1",
    settings: ({ host, organization, token }) => ({
      OCI_ROOT_URL: `http://${host}`,
      OCI_NAMESPACE: `${organization}/three`,
      OCI_CROSSMOUNT_NAMESPACE: `${organization}/four`,
      OCI_AUTOMATIC_CROSSMOUNT: "1",
      OCI_USERNAME: "_token",
      OCI_PASSWORD: token,
    }),
    results: "OCI_REPORT_DIR",
    summary: /(?:Summarizing \d+ Failures?:[\s\S]*)?Ran \d+ of \d+ Specs [\s\S]*/,
    counts: { passed: /(\d+) Passed/, failed: /(\d+) Failed/, skipped: /(\d+) Skipped/ },
    // Two of the skipped tests are for a registry with prepared images, and two for one that does not mount blobs.
    expected: { passed: 75, failed: 0, skipped: 4 },
  },
  {
    name: "of the main branch",
    folder: "oci-conformance",
    settings: ({ host, organization, token }) => ({
      OCI_REGISTRY: host,
      OCI_REPO1: `${organization}/one`,
      OCI_REPO2: `${organization}/two`,
      OCI_USERNAME: "_token",
      OCI_PASSWORD: token,
    }),
    results: "OCI_RESULTS_DIR",
    summary: /OCI Conformance Result: [\s\S]*?\n\n/,
    counts: { passed: /Pass\.+: +(\d+)/, failed: /FAIL\.+: +(\d+)/, skipped: /Skip\.+: +(\d+)/ },
    expected: { passed: 1032, failed: 0, skipped: 0 },
  },
];

const programOf = ({ folder }: Suite) =>
  fileURLToPath(new URL(`../../../shared/${folder}/run`, import.meta.url));
const go = ["/usr/local/go/bin", ...(process.env.PATH ?? "").split(":")].find((folder) =>
  existsSync(join(folder, "go")),
);
/** Whether the suite cannot run here. */
export const isMissing = (suite: Suite) => !go || !existsSync(programOf(suite));

for (const suite of suites.filter(isMissing)) {
  const reason = go ? programOf(suite) : "Go";
  console.warn(`The OCI conformance suite ${suite.name} is skipped: there is no ${reason}.`);
}

/** Runs a suite. Returns the end of its output without colors, and its report. */
async function run(suite: Suite, registry: Registry) {
  const build = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const results = join(build, "results");
    const { stdout } = await promisify(execFile)(programOf(suite), [], {
      env: {
        ...process.env,
        PATH: `${go}:${process.env.PATH}`,
        HOME: process.env.HOME ?? build,
        OCI_BUILD_DIR: build,
        [suite.results]: results,
        ...suite.settings(registry),
      },
      maxBuffer: 64 * 1024 * 1024,
    }).catch((failed) => failed as { stdout: string });
    const text = stripVTControlCharacters(stdout);
    const junit = await readFile(join(results, "junit.xml"), "utf8");
    return { summary: suite.summary.exec(text)?.[0] ?? text, junit };
  } finally {
    await rm(build, { recursive: true });
  }
}

/** Runs a suite, and expects the numbers of its results. */
export async function expectConformance(suite: Suite, registry: Registry): Promise<void> {
  const { summary, junit } = await run(suite, registry);
  const { passed, failed, skipped } = suite.counts;
  const countOf = (pattern: RegExp) => Number(pattern.exec(summary)?.[1]);
  const found = { passed: countOf(passed), failed: countOf(failed), skipped: countOf(skipped) };
  expect(found, summary).toEqual(suite.expected);
  expect(junit).toContain("<testsuite");
}

import { expect, test } from "vitest";
import { type Run, summary } from "../../.ci/test.ts";

type File = NonNullable<Run["report"]>["testResults"][number];

const some = (status: string, count: number, tags: string[] = []) =>
  Array.from({ length: count }, () => ({ status, tags }));

const fileOf = (...tests: File["assertionResults"][]): File => ({
  status: tests.flat().some(({ status }) => status === "failed") ? "failed" : "passed",
  assertionResults: tests.flat(),
});

const ran = (files: File[], code = 0, tier?: Run["tier"]): Run => ({
  report: { testResults: files },
  code,
  tier,
});

const passing = fileOf(some("passed", 7));
const broken: File = { status: "failed", assertionResults: [] };
const ofBoth = (quick: string, long: string) =>
  fileOf(some(quick, 3), some(long, 4, ["long"]), some("skipped", 1, ["long"]));

test.each<[string, Run[], string, number]>([
  ["all pass", [ran([passing])], "7 passed, 0 failed", 0],
  [
    "some are skipped",
    [ran([passing, fileOf(some("skipped", 2))])],
    "7 passed, 0 failed, 2 skipped",
    0,
  ],
  ["one fails", [ran([passing, fileOf(some("failed", 1))], 1)], "7 passed, 1 failed", 1],
  ["a file cannot be run", [ran([passing, broken], 1)], "7 passed, 1 failed", 1],
  ["vitest fails for another reason", [ran([passing], 1)], "7 passed, 1 failed", 1],
  ["there is no test", [ran([])], "0 passed, 1 failed", 1],
  ["vitest does not end", [{ report: undefined, code: 1 }], "0 passed, 1 failed", 1],
  [
    "only the quick tier runs",
    [ran([ofBoth("passed", "skipped")], 0, "quick")],
    "3 passed, 0 failed",
    0,
  ],
  [
    "both tiers run in turn",
    [ran([ofBoth("passed", "skipped")], 0, "quick"), ran([ofBoth("skipped", "passed")], 0, "long")],
    "7 passed, 0 failed, 1 skipped",
    0,
  ],
  [
    "the second of two runs finds no test",
    [ran([passing], 0, "quick"), ran([passing], 0, "long")],
    "7 passed, 1 failed",
    1,
  ],
])("the last line of a run counts the results: %s", (_, runs, line, code) => {
  expect(summary(runs)).toEqual({ line, code });
});

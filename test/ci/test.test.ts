import { resolve } from "node:path";
import { expect, test } from "vitest";
import { failures, type Run, summary } from "../../.ci/test.ts";

type File = NonNullable<Run["report"]>["testResults"][number];

const some = (status: string, count: number, tags: string[] = []) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ status, tags, ancestorTitles: ["a group"], title: `${status} ${at}` },
  }));

const fileOf = (...tests: File["assertionResults"][]): File => ({
  name: resolve("test/room/some.test.ts"),
  status: tests.flat().some(({ status }) => status === "failed") ? "failed" : "passed",
  assertionResults: tests.flat(),
});

const ran = (files: File[], code = 0, tier?: Run["tier"]): Run => ({
  report: { testResults: files },
  code,
  tier,
});

const passing = fileOf(some("passed", 7));
const broken: File = {
  name: resolve("test/room/broken.test.ts"),
  status: "failed",
  assertionResults: [],
};
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

test("the lines before the last one name each failed test, each file that cannot run once, and a run that ended early", () => {
  const quick = ran([fileOf(some("passed", 2), some("failed", 1)), broken], 1, "quick");
  const many = fileOf(some("skipped", 1), some("failed", 2, ["long"]));
  const long = ran([many, broken, passing], 1, "long");
  const none: Run = { report: undefined, code: 1, tier: "long" };
  expect(failures([quick, long, none])).toEqual([
    "test/room/some.test.ts > a group > failed 0",
    "test/room/broken.test.ts",
    "test/room/some.test.ts > a group > failed 1",
    "no test, but vitest ended with 1; its output above says why",
  ]);
});

test("nothing is named if everything passes", () => {
  expect(failures([ran([passing, fileOf(some("skipped", 3))])])).toEqual([]);
});

test("each name is one line, and the others beyond 20 are counted", () => {
  const [test] = some("failed", 1).map((one) => ({ ...one, title: "of\n two lines" }));
  expect(failures([ran([fileOf(test ? [test] : [])], 1)])).toEqual([
    "test/room/some.test.ts > a group > of two lines",
  ]);
  const lines = failures([ran([fileOf(some("failed", 20))], 1)]);
  expect(lines).toHaveLength(20);
  const more = failures([ran([fileOf(some("failed", 23))], 1)]);
  expect(more).toEqual([...lines, "and 3 more"]);
});

import { expect, test } from "vitest";
import { type Report, summary } from "../../.ci/test.ts";

const report = (passed: number, failed: number, skipped = 0, broken = 0): Report => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numTodoTests: 0,
  testResults: Array.from({ length: broken }, () => ({ status: "failed", assertionResults: [] })),
});

test.each([
  ["all pass", report(7, 0), 0, "7 passed, 0 failed", 0],
  ["some are skipped", report(7, 0, 2), 0, "7 passed, 0 failed, 2 skipped", 0],
  ["one fails", report(6, 1), 1, "6 passed, 1 failed", 1],
  ["a file cannot be run", report(6, 0, 0, 1), 1, "6 passed, 1 failed", 1],
  ["vitest fails for another reason", report(6, 0), 1, "6 passed, 1 failed", 1],
  ["there is no test", report(0, 0), 0, "0 passed, 1 failed", 1],
  ["vitest does not end", undefined, 1, "0 passed, 1 failed", 1],
])("the last line of a run counts the results: %s", (_, given, exit, line, code) => {
  expect(summary(given, exit)).toEqual({ line, code });
});

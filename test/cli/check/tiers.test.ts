import { expect, test } from "vitest";
import { hasQuickTest, measureBreaches } from "../../../cli/check/tiers.ts";

test.each([
  ['test("a", () => {});', true],
  ['test("a", long, () => {});', false],
  ['test("a", { ...long, timeout: 1 }, () => {});', false],
  ['test.for(rows)("a", async () => {});', true],
  ['test.for(rows)("a", long, async () => {});', false],
  ['test.skipIf(no)("a", () => {});', true],
  ['describe("a", long, () => { test("b", () => {}); });', false],
  ['describe.each(rows)("a", long, () => { test("b", () => {}); }); test("c", () => {});', true],
  ['describeInChromium("a", () => { test("b", () => {}); });', false],
  ['for (const [some, tier] of tiers(rows, of)) test.for(some)("a", tier, () => {});', true],
  ['/** @module-tag long */\ntest("a", () => {});', false],
  ["afterAll(() => {});", false],
])("the check sees whether a file has a test of the quick tier: %s", (text, isQuick) => {
  expect(hasQuickTest("a.test.ts", text)).toBe(isQuick);
});

test("a measure of SECURITY.md needs a quick test in the last cell of its row", () => {
  const quick = ["test/attacks/strangers.test.ts", "test/distribution/model/model.test.ts"];
  const text = [
    "## Attackers and measures",
    "| Attack | Measure | Test |",
    "| --- | --- | --- |",
    "| a | b (`test/attacks/strangers.test.ts`) | |",
    "| a | b | `test/attacks/long.test.ts` |",
    "| a | b | `test/attacks/long.test.ts`, `test/attacks/strangers.test.ts` |",
    "| a | b | `test/distribution/model` |",
    "## Remaining risks",
    "| a | b |",
  ].join("\n");
  expect(measureBreaches("SECURITY.md", text, quick)).toEqual([
    "SECURITY.md:4: the last cell names no test of the quick tier",
    "SECURITY.md:5: the last cell names no test of the quick tier",
  ]);
});

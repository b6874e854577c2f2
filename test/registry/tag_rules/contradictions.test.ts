import { expect, test } from "vitest";
import { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { ForwardOrder } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { contradictionOf } from "../../../src/registry/tag_rules/contradictions.ts";
import type { Rule } from "../../../src/registry/tag_rules/decide.ts";
import { type Condition, ruleOf } from "./rule_of.ts";

const writeOnce: Condition = { case: "writeOnce", value: true };
const byVersion: Condition = { case: "forward", value: ForwardOrder.VERSION };
const byTime: Condition = { case: "forward", value: ForwardOrder.IMAGE_TIME };
const role = (value: string): Condition => ({ case: "roleUid", value });
const promotion = (from: string, hours: number): Condition => ({
  case: "promotion",
  value: { from, hours },
});
const requires = (value: (Condition & { case: "requirement" })["value"]): Condition => ({
  case: "requirement",
  value,
});
const noFindings = (minSeverity: FindingSeverity, allowUnknown = false) => ({
  noFindings: { minSeverity, allowUnknown },
});
const label = (name: string, value: string) => ({ label: { name, value } });
const { HIGH, LOW } = FindingSeverity;

const conditions: [Condition, Condition, contradicts: boolean][] = [
  [writeOnce, writeOnce, false],
  [writeOnce, byVersion, true],
  [writeOnce, byTime, true],
  [writeOnce, role("r1"), false],
  [writeOnce, promotion("a", 1), false],
  [writeOnce, requires({ sbom: true }), false],
  [byVersion, byVersion, false],
  [byVersion, byTime, true],
  [byVersion, requires({ sbom: true }), false],
  [role("r1"), role("r1"), false],
  [role("r1"), role("r2"), true],
  [role("r1"), promotion("a", 1), false],
  [promotion("a", 1), promotion("a", 1), false],
  [promotion("a", 1), promotion("b", 1), true],
  [promotion("a", 1), promotion("a", 2), true],
  [requires({ sbom: true }), requires({ sbom: true }), false],
  [requires({ sbom: true }), requires(noFindings(HIGH)), false],
  [requires(noFindings(HIGH)), requires(noFindings(HIGH)), false],
  [requires(noFindings(HIGH)), requires(noFindings(LOW)), true],
  [requires(noFindings(HIGH)), requires(noFindings(HIGH, true)), true],
  [requires(label("a", "1")), requires(label("a", "1")), false],
  [requires(label("a", "1")), requires(label("a", "2")), true],
  [requires({ sbom: true, ...noFindings(LOW) }), requires(noFindings(HIGH)), true],
  [requires({ sbom: true, ...noFindings(LOW) }), requires(label("a", "2")), false],
];

test.for(conditions)("%j and %j contradict each other: %s", ([one, other, contradicts]) => {
  const [first, second] = [ruleOf(one, { uid: "o/1" }), ruleOf(other, { uid: "o/2" })];
  expect(contradictionOf(first, [second])).toBe(contradicts ? second : undefined);
  expect(contradictionOf(second, [first])).toBe(contradicts ? first : undefined);
});

const names: [Partial<Rule>, Partial<Rule>, contradicts: boolean][] = [
  [{ includeTags: ["v*"] }, { includeTags: ["*-slim"] }, true],
  [{ includeTags: ["v*"] }, { includeTags: ["1*"] }, false],
  [{ includeTags: ["v*"] }, { excludeTags: ["v*"] }, false],
  [{ excludeTags: ["v*"] }, { includeTags: ["v1"] }, false],
  [{ includeRepos: ["a"] }, { includeRepos: ["b"] }, false],
  [{ includeRepos: ["a"] }, { excludeRepos: ["a"] }, false],
  [{ excludeRepos: ["a"] }, { includeRepos: ["a"] }, false],
  [{ includeRepos: ["a"] }, { includeRepos: ["*"] }, true],
  // One text is the name of a tag here and of a repository there.
  [{ includeRepos: ["a"] }, { includeTags: ["b"] }, true],
];

test.for(names)("%j and %j contradict each other: %s", ([one, other, contradicts]) => {
  const first = ruleOf(writeOnce, { ...one, uid: "o/1" });
  const second = ruleOf(byVersion, { ...other, uid: "o/2" });
  expect(contradictionOf(first, [second])).toBe(contradicts ? second : undefined);
});

test("the first of the others counts, and the rule itself is none of them", () => {
  const rule = ruleOf(writeOnce, { uid: "o/1" });
  const before = ruleOf(byTime, { uid: "o/1" });
  const [second, third] = [ruleOf(byTime, { uid: "o/2" }), ruleOf(byTime, { uid: "o/3" })];
  expect(contradictionOf(rule, [before])).toBeUndefined();
  expect(contradictionOf(rule, [before, second, third])).toBe(second);
});

/** Decisions about random changes, compared with an oracle. */
import { expect, test } from "vitest";
import { ForwardOrder } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { decide, type Rule } from "../../../src/registry/tag_rules/decide.ts";
import { isAllowed } from "./oracle.ts";
import { type RandomDecision, randomDecisions } from "./random_decisions.ts";

const kinds = ["writeOnce", "VERSION", "IMAGE_TIME", "roleUid", "promotion", "requirement"];
const kindOf = ({ keep }: Rule) =>
  keep?.condition.case === "forward" ? ForwardOrder[keep.condition.value] : keep?.condition.case;

/** A first set or a deletion does not show how a condition compares images. A tag that is written once never moves. */
const isTelling = (kind: string | undefined, { from, to }: RandomDecision["change"]) =>
  to !== "" && (kind === "writeOnce" || from !== "");

test("50,000 random changes are decided by the words of the documentation", async ({
  annotate,
}) => {
  const counts = new Map<string, number>();
  for (const { rules, change, facts } of randomDecisions(1, 50_000)) {
    const decision = decide(rules, change, facts);
    if (decision.isAllowed !== isAllowed(rules, change, facts))
      expect.fail(JSON.stringify({ decision, rules, change, facts }, plain, 1));
    const kind = decision.rule && kindOf(decision.rule);
    const name = `${kind} ${decision.isAllowed}`;
    if (isTelling(kind, change)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  await annotate([...counts].join("; "));
  const outcomes = kinds.flatMap((kind) => [`${kind} true`, `${kind} false`]);
  const rare = outcomes.filter((name) => (counts.get(name) ?? 0) < 500);
  expect(rare).toEqual([]);
});

const plain = (_: string, value: unknown) =>
  value instanceof Map || value instanceof Set ? [...value] : value;

/** Random histories of all kinds of steps. */
import fc from "fast-check";
import {
  associationSteps,
  bindingSteps,
  inviteSteps,
  mappingSteps,
  providerSteps,
} from "./access_steps.ts";
import { groupSteps, identitySteps, roleSteps } from "./iam_steps.ts";
import { repoSteps, subscriptionSteps, tagSteps } from "./registry_steps.ts";
import type { Step } from "./step.ts";

const families: fc.Arbitrary<Step>[][] = [
  ...[groupSteps, roleSteps, identitySteps, bindingSteps, mappingSteps, providerSteps],
  ...[repoSteps, tagSteps, inviteSteps, associationSteps, subscriptionSteps],
];

const makes = families.map(([make]) => make as fc.Arbitrary<Step>);
const others = families.flatMap(([, ...rest]) => rest);
const deletions = others.filter(isDeletion);
/** Changes come before deletions, and children before their parents. */
const inOrder = [...others.filter((one) => !deletions.includes(one)), ...deletions.reverse()];

function isDeletion(kind: fc.Arbitrary<Step>): boolean {
  const [first] = fc.sample(kind, { numRuns: 1, seed: 1 });
  return first?.does.startsWith("delete") ?? false;
}

/**
 * A history. The owner creates resources of every kind, some of them several times, and takes every other
 * kind of step once. After that, any caller takes any step.
 */
export const historyArbitrary: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.tuple(...makes, ...makes, ...makes.slice(0, 3), ...inOrder),
    fc.array(fc.oneof(...families.flat()), { minLength: 10, maxLength: 20 }),
  )
  .map(([beginning, rest]) => [
    ...beginning.map((one): Step => ({ ...one, who: "owner" })),
    ...rest,
  ]);

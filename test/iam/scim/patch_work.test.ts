import { describe, expect, test, vi } from "vitest";
import { patched } from "../../../src/iam/scim/patch.ts";
import { Work } from "../../../src/iam/scim/work.ts";
import { patchSchema } from "./client.ts";

const emails = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({
    value: `${prefix}${String(index).padStart(4, "0")}`,
    type: "work",
  }));

/**
 * What an operation costs on a user of so many e-mails, which may be more than a user may have now: the steps
 * that the work counts itself, and the texts that are made to compare and measure values.
 */
function costOf(stored: number, operation: object): [steps: number, texts: number] {
  const work = new Work(Number.POSITIVE_INFINITY);
  const user = { userName: "u", emails: emails(stored, "a") };
  const stringify = vi.spyOn(JSON, "stringify");
  patched(user, { schemas: [patchSchema], Operations: [operation] }, work);
  const texts = stringify.mock.calls.length;
  stringify.mockRestore();
  return [work.steps, texts];
}

describe("a PATCH takes steps in proportion to the values of a user", () => {
  test.each<[string, object]>([
    ["add of what is there already", { op: "add", path: "emails", value: emails(400, "a") }],
    ["remove by their likes", { op: "remove", path: "emails", value: emails(400, "b") }],
    [
      "remove by likes of several members",
      { op: "remove", path: "emails", value: emails(400, "b").map(({ value }) => ({ value })) },
    ],
    ["remove by a filter", { op: "remove", path: 'emails[value co "b" or type eq "home"]' }],
    ["replace by a filter", { op: "replace", path: 'emails[type eq "work"].type', value: "x" }],
    ["replace of a member of all", { op: "replace", path: "emails.type", value: "x" }],
  ])("%s", (_, operation) => {
    const one = costOf(1000, operation);
    for (const factor of [2, 4]) {
      const more = costOf(1000 * factor, operation);
      one.forEach((count, index) => {
        expect(count).toBeGreaterThan(0);
        // Text counts in whole steps, which is rounded down.
        expect(more[index]).toBeLessThanOrEqual(factor * (count + 1));
      });
    }
  });

  test("and to the values that it gives", () => {
    const given = (count: number) =>
      costOf(4000, { op: "remove", path: "emails", value: emails(count, "b") });
    const [[fewSteps, fewTexts], [steps, texts]] = [given(200), given(400)];
    expect(steps - fewSteps).toBeLessThanOrEqual(2 * 200);
    expect(texts - fewTexts).toBeLessThanOrEqual(2 * 200);
  });
});

test("a PATCH takes steps in proportion to the text it compares", () => {
  const user = { userName: "u", emails: [{ value: "x".repeat(25_600) }] };
  const compared = (times: number) => {
    const work = new Work();
    const filter = Array(times).fill('value co "z"').join(" or ");
    const operation = { op: "remove", path: `emails[${filter}]` };
    patched(user, { schemas: [patchSchema], Operations: [operation] }, work);
    return work.steps;
  };
  expect(compared(20) - compared(10)).toBe(10 * (1 + 100));
});

test("a removal by likes finds all that say the same, whatever else they say", () => {
  const user = {
    emails: [
      { value: "a", type: "work", primary: true },
      { value: "a", type: "home" },
      { value: "b", type: "home" },
      { type: "home" },
      { value: "c" },
    ],
  };
  const value = [{ type: "home", value: "a" }, { value: "c" }, { primary: true }];
  const operation = { op: "remove", path: "emails", value };
  expect(patched(user, { schemas: [patchSchema], Operations: [operation] })).toEqual({
    emails: [{ value: "b", type: "home" }, { type: "home" }],
  });
});

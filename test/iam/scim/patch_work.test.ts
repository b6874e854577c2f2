import { describe, expect, test, vi } from "vitest";
import { applyPatch } from "../../../src/iam/scim/patch.ts";
import { WorkBudget } from "../../../src/iam/scim/work.ts";
import { patchSchema } from "./client.ts";

const emails = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({
    value: `${prefix}${String(index).padStart(4, "0")}`,
    type: "work",
  }));

/**
 * The cost of an operation on a user with this many email addresses, which can exceed today's limit. It
 * includes the counted steps, and the texts that are built to compare and measure values.
 */
function costOf(stored: number, operation: object): [steps: number, texts: number] {
  const work = new WorkBudget(Number.POSITIVE_INFINITY);
  const user = { userName: "u", emails: emails(stored, "a") };
  const stringify = vi.spyOn(JSON, "stringify");
  try {
    applyPatch(user, { schemas: [patchSchema], Operations: [operation] }, work);
  } catch (error) {
    // More values than a user may have: found once all are compared.
    if (!String(error).includes("at most 500 values")) throw error;
  }
  const texts = stringify.mock.calls.length;
  stringify.mockRestore();
  return [work.steps, texts];
}

describe("a PATCH costs in proportion to the existing and the new values", () => {
  const given = emails(400, "b");
  const likes = given.map(({ value }) => ({ value }));
  test.each<[string, object]>([
    ["add of others", { op: "add", path: "emails", value: given }],
    ["add of an existing value", { op: "add", path: "emails", value: emails(400, "a") }],
    ["remove by their likes", { op: "remove", path: "emails", value: given }],
    [
      "remove by likes of several kinds",
      { op: "remove", path: "emails", value: [...likes, given[0]] },
    ],
    ["remove by a filter", { op: "remove", path: 'emails[value co "b" or type eq "home"]' }],
    ["replace by a filter", { op: "replace", path: 'emails[type eq "work"].type', value: "x" }],
    ["replace of a member of all", { op: "replace", path: "emails.type", value: "x" }],
  ])("%s", (_, operation) => {
    // Each of 400 values compared with each of those there would be 100 times as much and more.
    for (const stored of [90, 1000, 4000]) {
      for (const count of costOf(stored, operation)) {
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(4 * (stored + given.length));
      }
    }
  });
});

test("a PATCH takes steps in proportion to the text that it compares", () => {
  const user = { userName: "u", emails: [{ value: "x".repeat(25_600) }] };
  const compared = (times: number) => {
    const work = new WorkBudget();
    const filter = Array(times).fill('value co "z"').join(" or ");
    const operation = { op: "remove", path: `emails[${filter}]` };
    applyPatch(user, { schemas: [patchSchema], Operations: [operation] }, work);
    return work.steps;
  };
  expect(compared(20) - compared(10)).toBe(10 * (1 + 100));
});

test("a removal by value removes every item with these members, also one with more", () => {
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
  expect(applyPatch(user, { schemas: [patchSchema], Operations: [operation] })).toEqual({
    emails: [{ value: "b", type: "home" }, { type: "home" }],
  });
});

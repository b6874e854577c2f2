import fc from "fast-check";
import { expect, test } from "vitest";
import { changedFields } from "../../../cli/apply/difference.ts";

const message = "platform.registry.v2.Repo";
const texts = fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 });
const repo = fc.record(
  {
    name: fc.string({ maxLength: 3 }),
    description: fc.string({ maxLength: 3 }),
    catalogTier: fc.constantFrom(
      "CATALOG_TIER_UNSPECIFIED",
      "CATALOG_TIER_BASE",
      "CATALOG_TIER_AI",
    ),
    bundles: texts,
    activeTags: texts,
  },
  { requiredKeys: [] },
);

/** A resource as proto JSON has it: without empty values. */
const stored = (row: object) =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) =>
        value !== "" && value !== "CATALOG_TIER_UNSPECIFIED" && JSON.stringify(value) !== "[]",
    ),
  );

const isEqual = (a: unknown, b: unknown) =>
  JSON.stringify(Array.isArray(a) ? a.toSorted() : a) ===
  JSON.stringify(Array.isArray(b) ? b.toSorted() : b);

test("setting exactly the changed fields gives the wanted resource, and then nothing is left to change", () => {
  fc.assert(
    fc.property(repo, repo, (before, wanted) => {
      const changed = changedFields(message, stored(before), wanted);
      const fields = Object.entries(wanted).filter(([name]) => changed.has(name));
      const after = { ...before, ...Object.fromEntries(fields) };
      expect(changedFields(message, stored(after), wanted)).toEqual(new Map());
      for (const [name] of fields)
        expect(isEqual(before[name as "name"], wanted[name as "name"])).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("a field that contains fields is compared field by field, and replaced as a whole", () => {
  const identity = "platform.iam.v2.Identity";
  const current = { claimMatch: { issuer: "a", subject: "b", claims: { x: "1", y: "2" } } };
  const wanted = { claimMatch: { subject: "b", issuer: "c", claims: { y: "2" } } };
  expect(changedFields(identity, current, wanted)).toEqual(
    new Map([
      [
        "claimMatch",
        [
          { path: "claimMatch.issuer", before: "a", after: "c" },
          { path: "claimMatch.claims.x", before: "1", after: undefined },
        ],
      ],
    ]),
  );
  expect(
    changedFields(identity, { claimMatch: current.claimMatch }, { awsIdentity: {} }).size,
  ).toBe(1);
});

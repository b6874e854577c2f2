/** The statement that reads who calls: its text is kept, so there may be few of them. */
import { drizzle } from "drizzle-orm/d1";
import { expect, test } from "vitest";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { ancestry } from "../../src/aip/uid_path.ts";
import type { Credential } from "../../src/auth/call.ts";
import { type GrantScope, selectGrants } from "../../src/auth/grant_rows.ts";

const db = drizzle({ prepare: () => undefined } as never);
const root = "a".repeat(40);
const step = `/${"b".repeat(16)}`;
const uidAt = (depth: number) => root + step.repeat(depth);
const ours: Credential = { bearer: { uid: uidAt(0) }, chain: [], act: {} };
const theirs: Credential = {
  bearer: { issuer: "https://i.example", subject: "s", person: "f".repeat(40) },
  chain: [],
  act: {},
};

const written = (credential: Credential, scope: GrantScope) =>
  selectGrants(db, credential, scope)._prepare().getQuery();

test.for([
  ["a uid", (uid: string) => uid],
  ["a List around one", (uid: string) => ({ around: uid })],
] as const)("%s has one text below the deepest group, whatever its depth", ([, scopeAt]) => {
  for (const credential of [ours, theirs]) {
    const deepest = written(credential, scopeAt(uidAt(GROUP_LEVELS)));
    const above = written(credential, scopeAt(uidAt(GROUP_LEVELS - 1)));
    expect(above.sql).not.toBe(deepest.sql);
    for (const depth of [GROUP_LEVELS + 1, GROUP_LEVELS + 2, 500]) {
      expect(written(credential, scopeAt(uidAt(depth))).sql).toBe(deepest.sql);
    }
  }
});

test("every group above a tag is asked about, and nothing else", () => {
  const tag = uidAt(GROUP_LEVELS + 2);
  const groups = ancestry(tag).filter((uid) => uid.length <= uidAt(GROUP_LEVELS).length);
  const { params } = written(theirs, tag);
  expect(params.filter((one) => String(one).startsWith(root))).toEqual(groups);
  expect(groups).toHaveLength(1 + GROUP_LEVELS);
});

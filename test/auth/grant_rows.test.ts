/** The statement that reads the caller is plain SQL, has few texts, and names existing columns. */

import { getTableColumns, getTableName } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { expect, test } from "vitest";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { externalGroupRoleMappings } from "../../schema/tables/iam/external_group_role_mappings.ts";
import { groups } from "../../schema/tables/iam/groups.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { identityProviders } from "../../schema/tables/iam/identity_providers.ts";
import { keys } from "../../schema/tables/iam/keys.ts";
import { roleBindings } from "../../schema/tables/iam/role_bindings.ts";
import { roles } from "../../schema/tables/iam/roles.ts";
import { scimGroupMembers, scimGroups } from "../../schema/tables/iam/scim_groups.ts";
import { scimUsers } from "../../schema/tables/iam/scim_users.ts";
import { sessions } from "../../schema/tables/issuer/sessions.ts";
import { signIns } from "../../schema/tables/issuer/sign_ins.ts";
import { deletions } from "../../schema/tables/platform/deletions.ts";
import { ancestry } from "../../src/aip/uid_path.ts";
import type { Credential } from "../../src/auth/call.ts";
import { type GrantScope, guardGrants, selectGrants } from "../../src/auth/grant_rows.ts";

const db = drizzle({ prepare: () => undefined } as never);
const root = "a".repeat(40);
const step = `/${"b".repeat(16)}`;
const uidAt = (depth: number) => root + step.repeat(depth);
/** The depth of a repository in the deepest group. */
const deepestRepo = GROUP_LEVELS + 1;
const ours: Credential = { bearer: { uid: uidAt(0) }, chain: [], act: {} };
const theirs: Credential = {
  bearer: { issuer: "https://i.example", subject: "s", person: "f".repeat(40) },
  chain: [],
  act: {},
};

const written = (credential: Credential, scope: GrantScope) =>
  selectGrants(db, credential, scope).toSQL();

test.for([
  ["a uid", (uid: string) => uid],
  ["a List around one", (uid: string) => ({ around: uid })],
] as const)(
  "%s has one statement text in the deepest repository and below it, at any depth",
  ([, scopeAt]) => {
    for (const credential of [ours, theirs]) {
      const deepest = written(credential, scopeAt(uidAt(deepestRepo)));
      const above = written(credential, scopeAt(uidAt(GROUP_LEVELS)));
      expect(above.sql).not.toBe(deepest.sql);
      for (const depth of [deepestRepo + 1, deepestRepo + 2, 500]) {
        expect(written(credential, scopeAt(uidAt(depth))).sql).toBe(deepest.sql);
      }
    }
  },
);

test("the repository of a tag and every group above it are queried, and nothing else", () => {
  const [, ...places] = ancestry(uidAt(deepestRepo + 1));
  const { params } = written(theirs, uidAt(deepestRepo + 1));
  expect(params.filter((one) => String(one).startsWith(root))).toEqual(places);
  expect(places).toHaveLength(2 + GROUP_LEVELS);
});

const tables = [
  ...[deletions, externalGroupRoleMappings, groups, identities, identityProviders, keys],
  ...[roleBindings, roles, scimGroupMembers, scimGroups, scimUsers, sessions, signIns],
];
const columns = new Map<string, string[]>(
  tables.map((table) => [
    getTableName(table),
    Object.values(getTableColumns(table)).map(({ name }) => name),
  ]),
);

/** The tables after `from` and `join` in a text, by their aliases. */
const sourcesOf = (text: string) =>
  [...text.matchAll(/\b(?:from|join) "(\w+)"(?: as "(\w+)")?/g)].map(
    ([, table = "", alias = table]) => [alias, table] as const,
  );

/** The columns in a text that have a table in front. */
function namedIn(text: string): string[] {
  const sources = new Map(sourcesOf(text));
  return [...text.matchAll(/"(\w+)"\."(\w+)"/g)].flatMap(([, alias = "", column]) => {
    const table = sources.get(alias);
    return table === undefined ? [] : [`${table}.${column}`];
  });
}

const login: Credential = {
  bearer: { uid: uidAt(0) },
  login: { identityProvider: uidAt(1), groups: ["g"] },
  chain: [{ sub: uidAt(0), idp: uidAt(1) }],
  act: {},
};
const exchanged: Credential = {
  bearer: { uid: uidAt(1) },
  chain: [{ sub: uidAt(0) }, { sub: uidAt(1) }],
  act: {},
};
const scopes: GrantScope[] = [undefined, uidAt(1), { around: uidAt(1) }, { everywhere: uidAt(1) }];

test("every table and column in the statement is one of schema/tables", () => {
  const texts = [ours, theirs, login, exchanged].flatMap((credential) =>
    scopes.flatMap((scope) => [
      written(credential, scope).sql,
      guardGrants(db, credential, scope, []).toSQL().sql,
    ]),
  );
  const named = new Set(texts.flatMap(namedIn));
  const known = new Set(
    [...columns].flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
  );
  expect([...named].filter((name) => !known.has(name))).toEqual([]);
  // Each table is found, or its columns were not looked at.
  expect(new Set([...named].map((name) => name.split(".")[0]))).toEqual(new Set(columns.keys()));
  // A name without a table in front is an alias in the text, or a column of json_each.
  const others = texts.flatMap((text) =>
    [...text.matchAll(/(?<!\.)"(\w+)"(?!\.)/g)].flatMap(([, name = ""]) =>
      text.includes(`as "${name}"`) || columns.has(name) ? [] : name,
    ),
  );
  expect(new Set(others)).toEqual(new Set(["uid", "value", "write_guards", "reason"]));
});

const answering = (row: object) =>
  drizzle({
    prepare: () => ({ bind: () => ({}) }),
    batch: async () => [{ results: [row] }],
  } as never);
const row = {
  ...{ identity: "i", name: "n", first_used_time: 1 },
  ...{ group: "g", role: "r", capabilities: "[1,2]" },
  ...{ last_used_time: 2, binding: "b", binding_used_time: 3 },
};
const read = async (of: object) => {
  const answered = answering(of);
  return (await answered.batch([selectGrants(answered, ours)]))[0];
};

test("a grant is read with its types, and an identity without a grant has nulls", async () => {
  const identity = { identity: "i", name: "n", firstUsedTime: 1, lastUsedTime: 2 };
  const binding = { binding: "b", bindingUsedTime: 3 };
  const grant = { group: "g", role: "r", capabilities: [1, 2] };
  expect(await read(row)).toEqual([{ ...identity, ...grant, ...binding }]);
  const nothing = { group: null, role: null, capabilities: null, binding: null };
  expect(await read({ ...row, ...nothing, binding_used_time: null })).toEqual([
    { ...identity, ...nothing, bindingUsedTime: null },
  ]);
});

test.each([
  { identity: 1 },
  { first_used_time: "1" },
  { group: 1 },
  { role: 1 },
  { capabilities: "{}" },
  { capabilities: '["1"]' },
  { capabilities: "" },
  { last_used_time: "1" },
  { binding: 1 },
  { binding_used_time: "3" },
])("a row with %o is rejected", async (wrong) => {
  await expect(read({ ...row, ...wrong })).rejects.toThrow();
});

/**
 * Every body that the schemas of RFC 7643 allow is accepted, or refused for a limit of docs/guides/scim.md. None is an
 * error of the platform. `FUZZ_DOCUMENTS=20000` tries more.
 */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { long } from "../../world/tiers.ts";
import {
  enterpriseTable,
  groupTable,
  objectOf,
  type TableRow,
  userTable,
  valuesFor,
} from "./attribute_table.ts";
import {
  type Client,
  enterpriseSchema,
  groupSchema,
  newClient,
  patchSchema,
  userSchema,
} from "./client.ts";

type Body = Record<string, unknown>;

let client: Client;
let members: string[];
let target: { Users: string; Groups: string };
beforeAll(async () => {
  client = await newClient();
  members = [];
  for (const userName of ["one", "two", "three"])
    members.push((await client.create({ userName })).id);
  target = {
    Users: (await client.create({ userName: "target" })).id,
    Groups: (await client.createGroup({ displayName: "target" })).id,
  };
});

/** The limits that the guide states, as the errors name them. */
const statedLimits = /can have at most|there is no user "|no value of \w+ matches the filter/;

let serial = 0;
const unknown = { "urn:example:params:scim:Other:2.0:X": { a: [1, { b: null }] }, color: "red" };
/** Replaces the attribute in any case, and the externalId, by values that no other resource has. */
function named(body: Body, attribute: string): Body {
  serial += 1;
  const drop = [attribute.toLowerCase(), "externalid"];
  const rest = Object.entries(body).filter(([name]) => !drop.includes(name.toLowerCase()));
  const name = `${attribute} ${String(serial)}`;
  return { ...Object.fromEntries(rest), [attribute]: name, externalId: name };
}

const users: fc.Arbitrary<Body> = fc
  .tuple(objectOf(userTable), objectOf(enterpriseTable), fc.boolean(), fc.boolean())
  .map(([user, extension, isExtended, isOther]) => ({
    schemas: isExtended ? [userSchema, enterpriseSchema] : [userSchema],
    ...user,
    ...(isExtended ? { [enterpriseSchema]: extension } : {}),
    ...(isOther ? unknown : {}),
  }));

/** The numbers stand for users that exist, because the client is made later. */
const memberLists = fc.array(
  fc.record(
    {
      value: fc.oneof(fc.nat(2), fc.constantFrom("nobody", "0".repeat(16))),
      type: fc.constantFrom("User", "user"),
      display: fc.string({ unit: "grapheme", maxLength: 20 }),
      $ref: fc.webUrl(),
    },
    { requiredKeys: ["value"] },
  ),
  { maxLength: 4 },
);
const groups: fc.Arbitrary<Body> = fc
  .tuple(objectOf(groupTable), fc.option(memberLists), fc.boolean())
  .map(([group, list, isOther]) => ({
    ...{ schemas: [groupSchema], ...group },
    ...(list === null ? {} : { members: list }),
    ...(isOther ? unknown : {}),
  }));

const ops = fc.constantFrom("add", "replace", "Add", "Replace", "REPLACE");
const removes = fc.constantFrom("remove", "Remove");
const isRequired = (path: string) => /userName|displayName|externalId/i.test(path);

/** Operations on an attribute: on all of it, on a part, on selected values, and its removal. */
function operationsOn(row: TableRow, prefix: string): fc.Arbitrary<Body> {
  const path = `${prefix}${row.name}`;
  const parts = (row.of ?? []).filter(({ name }) => name !== "primary");
  const set = (at: string, of: TableRow) =>
    fc.record({ op: ops, path: fc.constant(at), value: valuesFor(of) });
  const selected = `${path}[type eq "work"]`;
  const isList = row.kind === "list";
  return fc.oneof(
    ...(isRequired(path)
      ? []
      : [set(path, row), fc.record({ op: removes, path: fc.constant(path) })]),
    ...(row.kind === "complex" ? parts.map((part) => set(`${path}.${part.name}`, part)) : []),
    ...(isList ? parts.map((part) => set(`${selected}.${part.name}`, part)) : []),
    ...(isList ? [fc.record({ op: removes, path: fc.constant(selected) })] : []),
    fc.constant({ op: "add", value: unknown }),
  );
}
const patchOf = (operation: fc.Arbitrary<Body>) =>
  fc
    .array(operation, { minLength: 1, maxLength: 4 })
    .map((Operations) => ({ schemas: [patchSchema], Operations }));

const userPatches = patchOf(
  fc.oneof(
    ...userTable.map((row) => operationsOn(row, "")),
    ...userTable.map((row) => operationsOn(row, `${userSchema}:`)),
    ...enterpriseTable.map((row) => operationsOn(row, `${enterpriseSchema}:`)),
    fc.record({ op: ops, value: users.map((user) => named(user, "userName")) }),
  ),
);
const groupPatches = patchOf(
  fc.oneof(
    fc.record({
      op: ops,
      path: fc.constantFrom("members", "MEMBERS", `${groupSchema}:members`),
      value: memberLists,
    }),
    fc.record({ op: removes, path: fc.constant("members"), value: memberLists }),
    fc.record({
      op: removes,
      path: fc.constantFrom("members", 'members[value eq "x"]', 'members[value eq "#1"]'),
    }),
    fc.record({ op: ops, value: groups.map((group) => named(group, "displayName")) }),
    fc.constantFrom<Body>(
      { op: "add", path: "color", value: "red" },
      { op: "remove", path: "externalId" },
    ),
  ),
);

/** Numbers of members become the ids of users. */
const withMembers = (body: Body): Body =>
  JSON.parse(
    JSON.stringify(body, (key, value) =>
      key === "value" && typeof value === "number" ? members[value] : value,
    ).replaceAll("#1", members[1] ?? ""),
  );

type Way = [string, string, fc.Arbitrary<Body>, (body: Body) => Body];
const ways: Way[] = [
  ["POST", "Users", users, (body) => named(body, "userName")],
  ["PUT", "Users", users, (body) => named(body, "userName")],
  ["PATCH", "Users", userPatches, (body) => body],
  ["POST", "Groups", groups, (body) => named(body, "displayName")],
  ["PUT", "Groups", groups, (body) => named(body, "displayName")],
  ["PATCH", "Groups", groupPatches, (body) => body],
];

const together = 10;
async function tryAll([method, kind, bodies, prepare]: Way, count: number): Promise<void> {
  const samples = fc.sample(bodies, { numRuns: count, seed: 7643 });
  for (let from = 0; from < samples.length; from += together) {
    const some = samples.slice(from, from + together);
    await Promise.all(
      some.map((body) => tryOne(method, kind as "Users" | "Groups", prepare(body))),
    );
  }
}

async function tryOne(method: string, kind: "Users" | "Groups", given: Body): Promise<void> {
  const body = withMembers(given);
  const path = method === "POST" ? `/${kind}` : `/${kind}/${target[kind]}`;
  const answer = await client.ask(method, path, body);
  const seen = JSON.stringify([method, path, body, answer.status, answer.body?.detail]);
  expect(answer.status, seen).toBeLessThan(500);
  if (answer.status === 409) return;
  if (answer.status === 400) expect(answer.body.detail, seen).toMatch(statedLimits);
  else expect([200, 201, 204], seen).toContain(answer.status);
  // A provider has a limited number of groups.
  if (answer.status === 201) await client.ask("DELETE", `/${kind}/${answer.body.id}`);
}

const tiersOfFuzz: [number, { tags: string[] }][] = [
  [60, { tags: [] }],
  [Number(process.env.FUZZ_DOCUMENTS ?? 2000), long],
];
for (const [count, tier] of tiersOfFuzz) {
  test.for(ways)(`%s of ${String(count)} valid bodies of %s is accepted`, tier, (way) =>
    tryAll(way, count),
  );
}

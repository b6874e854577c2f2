/** PATCH of groups: every way in which clients add and remove members. */
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import {
  type Client,
  groupSchema,
  membersOf,
  newClientWithUsers,
  newGroupName,
  patchSchema,
} from "./client.ts";

let client: Client;
/** The ids of users of the client, in ascending order. */
let users: string[];
let [a, b, c] = ["", "", ""];
beforeAll(async () => {
  ({ users, ...client } = await newClientWithUsers());
  [a = "", b = "", c = ""] = users;
});

const newGroup = (group: object = {}) =>
  client.createGroup({ displayName: newGroupName(), ...group });

describe("PATCH", () => {
  const one = (id: string) => `members[value eq "${id}"]`;
  /** The operations on a group with the members a and b, and the members afterwards. */
  const rows: [string, () => object[], () => string[]][] = [
    [
      "add, as Okta sends it",
      () => [{ op: "add", path: "members", value: [{ value: c, display: "cy@example.com" }] }],
      () => [a, b, c],
    ],
    [
      "add of a member who is there",
      () => [{ op: "Add", path: "members", value: membersOf(a) }],
      () => [a, b],
    ],
    [
      "add without a path",
      () => [{ op: "add", value: { members: membersOf(c) } }],
      () => [a, b, c],
    ],
    [
      "add to members.value",
      () => [{ op: "add", path: "members.value", value: c }],
      () => [a, b, c],
    ],
    [
      "add to what a filter describes",
      () => [{ op: "add", path: one(c), value: { value: c } }],
      () => [a, b, c],
    ],
    ["remove by a filter", () => [{ op: "remove", path: one(a) }], () => [b]],
    [
      "remove by a filter with another case",
      () => [{ op: "REMOVE", path: `MEMBERS[VALUE EQ "${a.toUpperCase()}"]` }],
      () => [b],
    ],
    [
      "remove by a filter with or",
      () => [{ op: "remove", path: `members[value eq "${a}" or value eq "${b}"]` }],
      () => [],
    ],
    [
      "remove by a filter with and",
      () => [{ op: "remove", path: `members[value eq "${a}" and type eq "User"]` }],
      () => [b],
    ],
    [
      "remove by a type that no member has",
      () => [{ op: "remove", path: 'members[type eq "Group"]' }],
      () => [a, b],
    ],
    [
      "remove of a list, as Entra sends it",
      () => [{ op: "Remove", path: "members", value: [{ value: a }] }],
      () => [b],
    ],
    [
      "remove of one who is not there",
      () => [{ op: "Remove", path: "members", value: membersOf(c, "0".repeat(16)) }],
      () => [a, b],
    ],
    ["remove of an empty list", () => [{ op: "Remove", path: "members", value: [] }], () => [a, b]],
    ["remove of all", () => [{ op: "remove", path: "members" }], () => []],
    ["replace", () => [{ op: "replace", path: "members", value: membersOf(c) }], () => [c]],
    [
      "replace with the URN of the schema",
      () => [{ op: "replace", path: `${groupSchema}:members`, value: membersOf(c) }],
      () => [c],
    ],
    [
      "replace without a path",
      () => [{ op: "replace", value: { members: membersOf(b, c), schemas: [], id: "x" } }],
      () => [b, c],
    ],
    [
      "several operations in their order",
      () => [
        { op: "remove", path: "members" },
        { op: "add", path: "members", value: membersOf(a, c) },
        { op: "remove", path: one(a) },
      ],
      () => [c],
    ],
    [
      "a remove before an add",
      () => [
        { op: "remove", path: one(a) },
        { op: "add", path: "members", value: membersOf(a) },
      ],
      () => [a, b],
    ],
    [
      "unknown attributes",
      () => [
        { op: "replace", path: "urn:example:2.0:Group:owner", value: "x" },
        { op: "add", path: "color", value: "red" },
        { op: "add", value: { color: "red", "urn:example:2.0:Group": { x: 1 } } },
      ],
      () => [a, b],
    ],
  ];
  test.each(rows)("%s", async (_, operations, after) => {
    const { id } = await newGroup({ members: membersOf(a, b) });
    const { status, body } = await client.patchGroup(id, ...operations());
    expect([status, body?.detail]).toEqual([204, undefined]);
    expect(await client.members(id)).toEqual(after());
  });

  test.each<[string, () => object, number, string | undefined]>([
    [
      "a member who is not a user",
      () => ({ op: "add", path: "members", value: membersOf("0".repeat(16)) }),
      400,
      "invalidValue",
    ],
    [
      "members who have only a name",
      () => ({ op: "replace", path: "members", value: [{ display: "Ada" }] }),
      400,
      "invalidValue",
    ],
    [
      "the removal of a member who has only a name",
      () => ({ op: "remove", path: "members", value: [{ value: null, display: "Ada" }] }),
      400,
      "invalidValue",
    ],
    [
      "an empty text as all members",
      () => ({ op: "replace", path: "members", value: "" }),
      400,
      "invalidValue",
    ],
    [
      "a nested group",
      () => ({ op: "add", path: "members", value: [{ value: a, type: "Group" }] }),
      400,
      "invalidValue",
    ],
    [
      "the removal of the displayName",
      () => ({ op: "remove", path: "displayName" }),
      400,
      "invalidValue",
    ],
    ["a change of the id", () => ({ op: "replace", path: "id", value: "x" }), 400, "mutability"],
    [
      "a change of a member",
      () => ({ op: "replace", path: `members[value eq "${a}"].type`, value: "x" }),
      400,
      "mutability",
    ],
    [
      "a filter that names no members",
      () => ({ op: "remove", path: 'members[value sw "0"]' }),
      400,
      "invalidFilter",
    ],
    ["a path of spaces", () => ({ op: "add", path: " ", value: "x" }), 400, "invalidPath"],
    [
      "a path with more after its end",
      () => ({ op: "remove", path: "members]" }),
      400,
      "invalidPath",
    ],
    [
      "a path without an end",
      () => ({ op: "remove", path: "members[value eq" }),
      400,
      "invalidFilter",
    ],
  ])("refuses %s, and changes nothing", async (_, operation, status, scimType) => {
    const { id } = await newGroup({ members: membersOf(a) });
    const first = { op: "add", path: "members", value: membersOf(b) };
    const answer = await client.patchGroup(id, first, operation());
    expect([answer.status, answer.body.scimType]).toEqual([status, scimType]);
    expect(await client.members(id)).toEqual([a]);
  });

  test("refuses more operations than a group allows", async () => {
    const { id } = await newGroup();
    const many = (count: number) =>
      Array.from({ length: count }, () => ({ op: "remove", path: one(a) }));
    expect((await client.patchGroup(id, ...many(1_000))).status).toBe(204);
    expect((await client.patchGroup(id, ...many(1_001))).status).toBe(413);
  });

  test("returns the group only if the client asks for attributes", async () => {
    const { id } = await newGroup();
    const body = {
      schemas: [patchSchema],
      Operations: [{ op: "add", path: "members", value: membersOf(a) }],
    };
    const shown = await client.ask("PATCH", `/Groups/${id}?attributes=displayName,members`, body);
    expect([shown.status, shown.body.members]).toMatchObject([200, [{ value: a }]]);
    const without = await client.ask("PATCH", `/Groups/${id}?excludedAttributes=members`, body);
    expect([without.status, without.body.members, without.body.id]).toEqual([200, undefined, id]);
  });

  test("of different members at the same time keeps all of them", async () => {
    const { id } = await newGroup();
    const [one, two, three] = [newGroupName(), newGroupName(), newGroupName()];
    const more = await Promise.all(
      [one, two, three].map((userName) => client.create({ userName })),
    );
    const ids = [a, b, c, ...more.map((user) => user.id)].sort();
    const answers = await Promise.all(
      ids.map((value) => client.patchGroup(id, { op: "add", path: "members", value: [{ value }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 204));
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(ids.length);
    expect(await client.members(id)).toEqual(ids);
  });

  test("at the same time as a deletion leaves no members behind", async () => {
    const groups = await Promise.all(
      Array.from({ length: 5 }, () => newGroup({ members: membersOf(a) })),
    );
    const answers = await Promise.all(
      groups.flatMap(({ id }) => [
        client.patchGroup(id, { op: "add", path: "members", value: membersOf(b, c) }),
        client.ask("DELETE", `/Groups/${id}`),
      ]),
    );
    for (const { status } of answers) expect([204, 404]).toContain(status);
    const left = await sql(
      "select 1 from scim_group_members where group_uid in (select value from json_each(?))",
      JSON.stringify(groups.map(({ id }) => `${client.idp}/${id}`)),
    );
    expect(left).toEqual([]);
  });
});

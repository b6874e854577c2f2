/** Groups over SCIM: what a provisioning client sends, and what it gets. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Client,
  errorSchema,
  groupSchema,
  membersOf,
  newClient,
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

describe("a group", () => {
  test("is created with members, read, and deleted", async () => {
    const displayName = newGroupName();
    const body = {
      schemas: [groupSchema],
      displayName,
      externalId: displayName,
      members: membersOf(b, a),
    };
    const made = await client.ask("POST", "/Groups", body);
    expect(made.status).toBe(201);
    const location = `/scim/v2/${client.idp}/Groups/${made.body.id}`;
    expect(made.body).toEqual({
      schemas: [groupSchema],
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      ...{ displayName, externalId: displayName },
      members: [a, b].map((value) => ({
        ...{ value, type: "User" },
        $ref: expect.stringContaining(`/scim/v2/${client.idp}/Users/${value}`),
      })),
      meta: {
        resourceType: "Group",
        created: expect.any(String),
        lastModified: made.body.meta.created,
        location: expect.stringContaining(location),
        version: made.headers.get("etag"),
      },
    });
    expect(made.headers.get("location")).toContain(location);
    const read = await client.ask("GET", `/Groups/${made.body.id}`);
    expect(read.body).toEqual(made.body);
    expect((await client.ask("DELETE", `/Groups/${made.body.id}`)).status).toBe(204);
    expect((await client.ask("GET", `/Groups/${made.body.id}`)).status).toBe(404);
    expect((await client.ask("POST", "/Groups", body)).status).toBe(201);
  });

  test.each([
    ["attributes in any case", { DISPLAYNAME: "X1", MEMBERS: [{ VALUE: "a" }] }],
    [
      "names with the URN of the schema",
      { [`${groupSchema}:displayName`]: "X2", [`${groupSchema}:members`]: [{ value: "a" }] },
    ],
    ["members as texts", { displayName: "X3", members: ["a"] }],
    [
      "one member without a list",
      { displayName: "X4", members: { value: "a", display: "Ada", type: "user" } },
    ],
    [
      "members by reference",
      { displayName: "X5", members: [{ $ref: "https://example.com/Users/a" }] },
    ],
    [
      "unknown attributes and schemas",
      {
        displayName: "X6",
        members: [{ value: "a", primary: "yes", more: { x: 1 } }],
        color: "red",
        "urn:example:2.0:Group": { owner: 1 },
        id: "1",
        meta: {},
      },
    ],
    ["the same member twice", { displayName: "X7", members: [{ value: "a" }, { value: "A" }] }],
  ])("can have %s", async (_, given) => {
    const text = JSON.stringify({
      schemas: ["urn:example:2.0:Group", groupSchema.toUpperCase()],
      ...given,
    });
    const body = JSON.parse(
      text
        .replaceAll(/"a"|(?<=Users\/)a/g, (it) => it.replace("a", a))
        .replace('"A"', `"${a.toUpperCase()}"`),
    );
    const made = await client.ask("POST", "/Groups", body);
    expect([made.status, made.body.detail]).toEqual([201, undefined]);
    expect(made.body.displayName).toMatch(/^X\d$/);
    expect(await client.members(made.body.id)).toEqual([a]);
  });

  test.each<[string, object, number, string]>([
    ["without a displayName", {}, 400, "invalidValue"],
    ["with an empty displayName", { displayName: " " }, 400, "invalidValue"],
    ["with a displayName of 257 characters", { displayName: "x".repeat(257) }, 400, "invalidValue"],
    [
      "with a member that is not a user",
      { displayName: "Y", members: [{ value: "0".repeat(16) }] },
      400,
      "invalidValue",
    ],
    [
      "with a member whose id cannot be one",
      { displayName: "Y", members: [{ value: "' or 1" }] },
      400,
      "invalidValue",
    ],
    [
      "with a member who has only a name",
      { displayName: "Y", members: [{ display: "Ada" }] },
      400,
      "invalidValue",
    ],
    ["with a member without a text", { displayName: "Y", members: "" }, 400, "invalidValue"],
    [
      "with a group as a member",
      { displayName: "Y", members: [{ value: "0".repeat(16), type: "Group" }] },
      400,
      "invalidValue",
    ],
  ])("is refused %s", async (_, body, status, scimType) => {
    const made = await client.ask("POST", "/Groups", { schemas: [groupSchema], ...body });
    expect([made.status, made.body.scimType]).toEqual([status, scimType]);
    expect(made.body.schemas).toEqual([errorSchema]);
  });

  test("has a displayName and an externalId that no other group of the provider has", async () => {
    const displayName = newGroupName();
    const first = await newGroup({ displayName, externalId: displayName });
    const again = [
      { displayName: displayName.toUpperCase() },
      { displayName: newGroupName(), externalId: displayName },
    ];
    for (const body of again) {
      const made = await client.ask("POST", "/Groups", { schemas: [groupSchema], ...body });
      expect([made.status, made.body.scimType]).toEqual([409, "uniqueness"]);
    }
    const other = await newGroup();
    const renamed = await client.patchGroup(other.id, { op: "replace", value: { displayName } });
    expect(renamed.status).toBe(409);
    const elsewhere = await newClient();
    await elsewhere.createGroup({ displayName, externalId: displayName });
    expect((await client.ask("GET", `/Groups/${first.id}`)).status).toBe(200);
  });

  test("of another provider is not there, and cannot have users of this one", async () => {
    const other = await newClient();
    const { id } = await newGroup({ members: membersOf(a) });
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const body =
        method === "GET" || method === "DELETE"
          ? undefined
          : { schemas: [groupSchema], displayName: "x" };
      expect((await other.ask(method, `/Groups/${id}`, body)).status).toBe(404);
    }
    const made = await other.ask("POST", "/Groups", {
      schemas: [groupSchema],
      displayName: "x",
      members: membersOf(a),
    });
    expect([made.status, made.body.scimType]).toEqual([400, "invalidValue"]);
    expect((await other.ask("GET", "/Groups")).body.totalResults).toBe(0);
  });

  test("is replaced with its members by PUT", async () => {
    const { id } = await newGroup({ externalId: newGroupName(), members: membersOf(a, b) });
    const displayName = newGroupName();
    const body = { schemas: [groupSchema], displayName, members: membersOf(b, c) };
    const put = await client.ask("PUT", `/Groups/${id}`, body);
    expect(put.body).toMatchObject({ displayName, members: [{ value: b }, { value: c }] });
    expect(put.body.externalId).toBeUndefined();
    const emptied = await client.ask("PUT", `/Groups/${id}`, {
      schemas: [groupSchema],
      displayName,
    });
    expect(emptied.body.members).toBeUndefined();
  });
});

describe("the version of a group", () => {
  let id: string;
  let etag: string;
  beforeEach(async () => {
    ({ id } = await newGroup({ members: membersOf(a) }));
    etag = (await client.ask("GET", `/Groups/${id}`)).headers.get("etag") ?? "";
  });
  const add = (value: string, headers: Record<string, string>) =>
    client.ask(
      "PATCH",
      `/Groups/${id}`,
      {
        schemas: [patchSchema],
        Operations: [{ op: "add", path: "members", value: membersOf(value) }],
      },
      headers,
    );

  test("changes with a member, and If-Match refuses an old one", async () => {
    const added = await add(b, { "if-match": etag });
    expect(added.status).toBe(204);
    const next = added.headers.get("etag") ?? "";
    expect(next).not.toBe(etag);
    expect((await client.ask("GET", `/Groups/${id}`)).headers.get("etag")).toBe(next);
    const body = { schemas: [groupSchema], displayName: newGroupName() };
    expect((await add(c, { "if-match": etag })).status).toBe(412);
    expect((await client.ask("PUT", `/Groups/${id}`, body, { "if-match": etag })).status).toBe(412);
    expect(
      (await client.ask("DELETE", `/Groups/${id}`, undefined, { "if-match": etag })).status,
    ).toBe(412);
    expect(await client.members(id)).toEqual([a, b].sort());
    expect(
      (await client.ask("DELETE", `/Groups/${id}`, undefined, { "if-match": next })).status,
    ).toBe(204);
  });

  test("stays if nothing changes, and is not sent again", async () => {
    expect((await add(a, {})).headers.get("etag")).toBe(etag);
    const same = await client.ask("GET", `/Groups/${id}`, undefined, { "if-none-match": etag });
    expect(same.status).toBe(304);
  });

  test("changes when a member is deleted", async () => {
    const { id: gone } = await client.create({ userName: newGroupName() });
    await add(gone, {});
    const before = (await client.ask("GET", `/Groups/${id}`)).headers.get("etag");
    await client.ask("DELETE", `/Users/${gone}`);
    const { body, headers } = await client.ask("GET", `/Groups/${id}`);
    expect(body.members).toMatchObject([{ value: a }]);
    expect(headers.get("etag")).not.toBe(before);
  });
});

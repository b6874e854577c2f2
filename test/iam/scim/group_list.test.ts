/** Lists of groups: filters, pages, and what large identity providers send. */
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { type Client, groupSchema, newClient, patchSchema } from "./client.ts";

let client: Client;
const ids: Record<string, string> = {};
beforeAll(async () => {
  client = await newClient();
  for (const userName of ["ada", "bob"]) ids[userName] = (await client.create({ userName })).id;
  const add = async (displayName: string, more: object) => {
    ids[displayName] = (await client.createGroup({ displayName, ...more })).id;
  };
  await add("Readers", { externalId: "ext-R", members: [{ value: ids.ada }, { value: ids.bob }] });
  await add("Ärzte", { members: [{ value: ids.ada }] });
  await add("empty", { externalId: "ext-E" });
});

const find = (query: string) => client.ask("GET", `/Groups?${query}`);
const withIds = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? "");
const filtered = (text: string, more = "") =>
  find(`filter=${encodeURIComponent(withIds(text))}${more}`);
const namesOf = (resources: { displayName: string }[] = []) =>
  resources.map(({ displayName }) => displayName);

describe("a filter finds", () => {
  const all = ["Readers", "Ärzte", "empty"];
  test.each<[string, string[]]>([
    ['displayName eq "readers"', ["Readers"]],
    ['DISPLAYNAME EQ "READERS"', ["Readers"]],
    ['displayName eq "ÄRZTE"', ["Ärzte"]],
    ['urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "Readers"', ["Readers"]],
    ['displayName ne "readers"', ["Ärzte", "empty"]],
    ['displayName sw "Re" or displayName ew "TY"', ["Readers", "empty"]],
    ['displayName co "e"', all],
    ['externalId eq "ext-R"', ["Readers"]],
    ['externalId eq "EXT-R"', []],
    ["externalId pr", ["Readers", "empty"]],
    ["not (externalId pr)", ["Ärzte"]],
    ['id eq "{Readers}"', ["Readers"]],
    ['id eq "{Readers}" and members eq "{ada}"', ["Readers"]],
    ['id eq "{empty}" and members eq "{ada}"', []],
    ['members.value eq "{bob}"', ["Readers"]],
    ['MEMBERS[VALUE EQ "{ada}"]', ["Readers", "Ärzte"]],
    ['members[value eq "{bob}" and type eq "User"]', ["Readers"]],
    ['members[value eq "{ada}" and value eq "{bob}"]', []],
    ['members.value eq "{ada}" and members.value eq "{bob}"', ["Readers"]],
    ['members[value eq "{bob}" or value eq "0"]', ["Readers"]],
    ['members ne "{bob}"', ["Ärzte", "empty"]],
    ['not (members eq "{ada}")', ["empty"]],
    ['members.type eq "user"', ["Readers", "Ärzte"]],
    ["members pr", ["Readers", "Ärzte"]],
    ['meta.created gt "2020-01-01T00:00:00Z"', all],
    ['meta.resourceType eq "Group"', all],
    ['displayName eq "nobody"', []],
  ])("%s", async (text, expected) => {
    const { status, body } = await filtered(text);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(namesOf(body.Resources)).toEqual(expected);
    expect(body.totalResults).toBe(expected.length);
  });

  test.each([
    'members.value co "a"',
    'members[value sw "a"]',
    'members[not (value eq "a")]',
    'members.$ref eq "a"',
    'userName eq "ada"',
    "members eq true",
    'schemas eq "x"',
  ])("refuses %s", async (text) => {
    const { status, body } = await filtered(text);
    expect([status, body.scimType]).toEqual([400, "invalidFilter"]);
  });

  test("never groups of another provider, by any filter", async () => {
    const other = await newClient(client.organization);
    await other.createGroup({ displayName: "Readers", externalId: "ext-R" });
    const { body } = await other.ask(
      "GET",
      `/Groups?filter=${encodeURIComponent(withIds('id eq "{Readers}" or members eq "{ada}" or displayName pr'))}`,
    );
    expect(body.totalResults).toBe(1);
  });
});

describe("a list", () => {
  test("has the attributes that the client asks for", async () => {
    const { body } = await find("excludedAttributes=members");
    for (const group of body.Resources) expect(group).not.toHaveProperty("members");
    const { body: names } = await find("attributes=DISPLAYNAME");
    expect(names.Resources[0]).toEqual({
      schemas: [groupSchema],
      id: ids.Readers,
      displayName: "Readers",
    });
    const { body: values } = await find(`attributes=${groupSchema}:members.value`);
    expect(values.Resources[1].members).toEqual([{ value: ids.ada }]);
    const { body: one } = await client.ask(
      "GET",
      `/Groups/${ids.Readers}?excludedAttributes=members`,
    );
    expect([one.id, one.members]).toEqual([ids.Readers, undefined]);
  });

  test("has only what is always returned if the client asks for an attribute that groups lack", async () => {
    const { Readers: id = "" } = ids;
    const least = { schemas: [groupSchema], id };
    for (const names of ["nickName", "urn:example:2.0:Group:owner", "nickName,__proto__"]) {
      const { body } = await client.ask("GET", `/Groups/${id}?attributes=${names}`);
      expect(body).toEqual(least);
    }
    for (const names of ["", ",", "%20"]) {
      const { body } = await client.ask("GET", `/Groups/${id}?attributes=${names}`);
      expect(body.members).toHaveLength(2);
    }
    const query = "attributes=nickName&excludedAttributes=id";
    const { body } = await find(`${query}&filter=${encodeURIComponent(`id eq "${id}"`)}`);
    expect(body.Resources).toEqual([least]);
  });

  test("has pages, and only a number for count=0", async () => {
    const { body } = await find("startIndex=2&count=1");
    expect([
      namesOf(body.Resources),
      body.totalResults,
      body.startIndex,
      body.itemsPerPage,
    ]).toEqual([["Ärzte"], 3, 2, 1]);
    const { body: none } = await find("count=0");
    expect([none.totalResults, none.Resources]).toEqual([3, []]);
  });

  test("can be asked for by a search", async () => {
    const body = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
      ...{ filter: withIds('members.value eq "{bob}"'), attributes: ["displayName"] },
    };
    const found = await client.ask("POST", "/Groups/.search", body);
    expect([found.status, namesOf(found.body.Resources)]).toEqual([200, ["Readers"]]);
  });

  test("ends before the group whose members do not fit, and the next page begins with it", async () => {
    const large = await newClient();
    const { id: first } = await large.createGroup({ displayName: "first" });
    const { id: second } = await large.createGroup({ displayName: "second" });
    await sql(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 12000)
       insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
       select ? || '/' || printf('%016x', i), i, i, '{}', 1, 1 from n`,
      large.idp,
    );
    for (const id of [first, second])
      await sql(
        "insert into scim_group_members select ?, uid from scim_users where parent = ?",
        `${large.idp}/${id}`,
        large.idp,
      );
    const { body } = await large.ask("GET", "/Groups");
    expect([body.totalResults, body.itemsPerPage, body.Resources[0].members.length]).toEqual([
      2, 1, 12_000,
    ]);
    const { body: next } = await large.ask("GET", "/Groups?startIndex=2");
    expect([next.itemsPerPage, next.Resources[0].members.length]).toEqual([1, 12_000]);
    const { body: short } = await large.ask("GET", "/Groups?excludedAttributes=members");
    expect(short.itemsPerPage).toBe(2);
    const operation = {
      op: "add",
      path: "members",
      value: [{ value: "0".repeat(15).concat("1") }],
    };
    expect((await large.patchGroup(first, operation)).status).toBe(204);
  });
});

test("a group has at most 20,000 members, and a provider at most 5,000 groups", async () => {
  const full = await newClient();
  const { id } = await full.createGroup({ displayName: "full" });
  const { id: last } = await full.create({ userName: "last" });
  const series = (count: number) =>
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`;
  await sql(
    `${series(20_000)} insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
     select ? || '/' || printf('%016x', i), i, i, '{}', 1, 1 from n`,
    full.idp,
  );
  await sql(
    "insert into scim_group_members select ?, uid from scim_users where parent = ? and user_name <> 'last'",
    ...[`${full.idp}/${id}`, full.idp],
  );
  const add = { op: "add", path: "members", value: [{ value: last }] };
  const refused = await full.patchGroup(id, add);
  expect([refused.status, refused.body.scimType]).toEqual([400, "invalidValue"]);
  const swapped = await full.patchGroup(
    id,
    { op: "remove", path: `members[value eq "${"0".repeat(15)}1"]` },
    add,
  );
  expect(swapped.status).toBe(204);
  await sql(
    `${series(4_999)} insert into scim_groups (uid, display_name, display_name_key, create_time, update_time)
     select ? || '/' || printf('%016x', i), i, i, 1, 1 from n`,
    full.idp,
  );
  const more = await full.ask("POST", "/Groups", { schemas: [groupSchema], displayName: "more" });
  expect([more.status, more.body.scimType]).toEqual([400, "tooMany"]);
  await full.ask("DELETE", `/Groups/${id}`);
  expect(
    (await full.ask("POST", "/Groups", { schemas: [groupSchema], displayName: "more" })).status,
  ).toBe(201);
});

describe("the calls of", () => {
  const json = { "content-type": "application/json; charset=utf-8" };

  test("Okta, from a pushed group to its end", async () => {
    const { body: none } = await filtered('displayName eq "Okta Team"', "&startIndex=1&count=100");
    expect(none.totalResults).toBe(0);
    const made = await client.ask(
      "POST",
      "/Groups",
      { schemas: [groupSchema], displayName: "Okta Team", members: [] },
      json,
    );
    expect(made.status).toBe(201);
    const path = `/Groups/${made.body.id}`;
    const patch = (...Operations: object[]) =>
      client.ask("PATCH", path, { schemas: [patchSchema], Operations }, json);
    const display = "ada@example.com";
    expect(
      (
        await patch({
          op: "add",
          path: "members",
          value: [
            { value: ids.ada, display },
            { value: ids.bob, display },
          ],
        })
      ).status,
    ).toBe(204);
    expect(
      (await patch({ op: "replace", value: { id: made.body.id, displayName: "Okta Renamed" } }))
        .status,
    ).toBe(204);
    expect((await patch({ op: "remove", path: `members[value eq "${ids.bob}"]` })).status).toBe(
      204,
    );
    const { body } = await client.ask("GET", path);
    expect([body.displayName, body.members.length]).toEqual(["Okta Renamed", 1]);
    const put = {
      schemas: [groupSchema],
      id: made.body.id,
      displayName: "Okta Renamed",
      members: [{ value: ids.bob, display }],
    };
    expect((await client.ask("PUT", path, put, json)).body.members).toMatchObject([
      { value: ids.bob },
    ]);
    expect((await client.ask("DELETE", path)).status).toBe(204);
  });

  test("Entra ID, from an assigned group to its end", async () => {
    const { body: none } = await filtered(
      'externalId eq "8aa1a0c0"',
      "&excludedAttributes=members",
    );
    expect(none.totalResults).toBe(0);
    const schemas = [
      groupSchema,
      "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group",
    ];
    const meta = { resourceType: "Group" };
    const made = await client.ask(
      "POST",
      "/Groups",
      { schemas, externalId: "8aa1a0c0", displayName: "Entra Team", meta },
      json,
    );
    expect([made.status, made.body.members]).toEqual([201, undefined]);
    const path = `/Groups/${made.body.id}`;
    const patch = (...Operations: object[]) =>
      client.ask("PATCH", path, { schemas: [patchSchema], Operations }, json);
    const { body: read } = await client.ask("GET", `${path}?excludedAttributes=members`);
    expect(read.externalId).toBe("8aa1a0c0");
    const add = {
      name: "addMember",
      op: "Add",
      path: "members",
      value: [{ $ref: null, value: ids.ada }],
    };
    expect((await patch(add)).status).toBe(204);
    expect((await patch(add)).status).toBe(204);
    const check = `id eq "${made.body.id}" and members eq "{ada}"`;
    expect((await filtered(check, "&attributes=id")).body.totalResults).toBe(1);
    expect(
      (await patch({ op: "Replace", path: "displayName", value: "Entra Renamed" })).status,
    ).toBe(204);
    expect(
      (await patch({ op: "Remove", path: "members", value: [{ $ref: null, value: ids.ada }] }))
        .status,
    ).toBe(204);
    expect((await filtered(check)).body.totalResults).toBe(0);
    expect((await client.ask("DELETE", path)).status).toBe(204);
    expect(
      (
        await client.ask(
          "POST",
          "/Groups",
          { schemas, externalId: "8aa1a0c0", displayName: "Entra Renamed" },
          json,
        )
      ).status,
    ).toBe(201);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { randomName, randomUid } from "../../world/personas.ts";
import { costOf, sql } from "../../world/platform.ts";
import { type Client, enterpriseSchema, errorSchema, newClient, userSchema } from "./client.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const whole = {
  userName: "bjensen@example.com",
  externalId: "701984",
  name: { formatted: "Ms. Barbara J Jensen, III", familyName: "Jensen", givenName: "Barbara" },
  displayName: "Babs Jensen",
  profileUrl: "https://login.example.com/bjensen",
  emails: [
    { value: "bjensen@example.com", type: "work", primary: true },
    { value: "babs@jensen.org", type: "home" },
  ],
  addresses: [{ type: "work", locality: "Hollywood", country: "USA" }],
  phoneNumbers: [{ value: "555-555-5555", type: "satellite" }],
  roles: [{ value: "admin", type: "anything" }],
  title: "Tour Guide",
  active: true,
  [enterpriseSchema]: {
    employeeNumber: "701984",
    department: "Tour Operations",
    manager: { value: "26118915-6090" },
  },
};

const post = (user: unknown) => client.ask("POST", "/Users", user);
const put = (id: string, user: object, headers = {}) =>
  client.ask("PUT", `/Users/${id}`, { schemas: [userSchema], ...user }, headers);

describe("a user", () => {
  test("is read back as it was created, at its location", async () => {
    const schemas = [userSchema, enterpriseSchema];
    const { status, headers, body } = await post({ schemas, ...whole });
    expect(status).toBe(201);
    const location = `http://localhost:8787/scim/v2/${client.idp}/Users/${body.id}`;
    expect(headers.get("content-type")).toBe("application/scim+json");
    expect(headers.get("location")).toBe(location);
    expect(headers.get("etag")).toBe(body.meta.version);
    expect(body).toEqual({
      schemas,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      ...whole,
      meta: {
        resourceType: "User",
        created: expect.stringMatching(/^\d{4}-.*Z$/),
        lastModified: body.meta.created,
        location,
        version: expect.stringMatching(/^W\/"\d+"$/),
      },
    });
    const got = await client.ask("GET", `/Users/${body.id}`);
    expect([got.status, got.body]).toEqual([200, body]);
    expect(got.headers.get("etag")).toBe(body.meta.version);
  });

  test("is active by default, and read-only attributes are ignored", async () => {
    const made = await client.create({
      userName: "u",
      id: "0".repeat(16),
      meta: { created: "2000-01-01T00:00:00Z" },
      password: "hunter2",
      groups: [{ value: "admins" }],
      favouriteColour: "blue",
      nickName: null,
      emails: [],
      name: {},
    });
    expect(made).toEqual({
      schemas: [userSchema],
      id: expect.any(String),
      userName: "u",
      active: true,
      meta: expect.anything(),
    });
    expect(made.id).not.toBe("0".repeat(16));
    const [row] = await sql("select * from scim_users where parent = ?", client.idp);
    expect(JSON.stringify(row)).not.toContain("hunter2");
  });

  test("accepts attribute names in any case, and booleans as text", async () => {
    const made = await client.create({
      USERNAME: "u",
      Active: "False",
      Emails: [{ Value: "a@b.example", PRIMARY: "True" }],
    });
    expect(made).toMatchObject({
      userName: "u",
      active: false,
      emails: [{ value: "a@b.example", primary: true }],
    });
  });

  test.each([
    ["no userName", {}, "invalidValue"],
    ["an empty userName", { userName: " " }, "invalidValue"],
    ["an invalid userName", { userName: 1 }, "invalidValue"],
    ["active of another kind", { userName: "u", active: "maybe" }, "invalidValue"],
    ["a name that is text", { userName: "u", name: "Babs" }, "invalidValue"],
    ["a number for an e-mail", { userName: "u", emails: [7] }, "invalidValue"],
    ["two titles", { userName: "u", title: ["a", "b"] }, "invalidValue"],
    [
      "two primary e-mails",
      {
        userName: "u",
        emails: [
          { value: "a", primary: true },
          { value: "b", primary: true },
        ],
      },
      "invalidValue",
    ],
    ["a null character", { userName: "u\u0000" }, "invalidValue"],
    ["other schemas", { userName: "u", schemas: ["urn:x"] }, "invalidSyntax"],
    ["no schemas", { userName: "u", schemas: undefined }, "invalidSyntax"],
  ])("is rejected with %s", async (_, user, scimType) => {
    const { status, body } = await post({ schemas: [userSchema], ...user });
    expect(body).toEqual({
      schemas: [errorSchema],
      status: "400",
      scimType,
      detail: expect.any(String),
    });
    expect(status).toBe(400);
    expect(await sql("select 1 from scim_users where parent = ?", client.idp)).toEqual([]);
  });

  test("has a unique userName and externalId, in any case", async () => {
    const one = await client.create({ userName: "Jörg@Example.com", externalId: "Abc" });
    const other = await client.create({ userName: "other", externalId: "abc" });
    for (const twin of [{ userName: "JÖRG@example.COM" }, { userName: "x", externalId: "Abc" }]) {
      const { status, body } = await post({ schemas: [userSchema], ...twin });
      expect([status, body.scimType, body.status]).toEqual([409, "uniqueness", "409"]);
    }
    const taken = [
      await put(other.id, { userName: one.userName }),
      await client.patch(other.id, { op: "replace", path: "externalId", value: "Abc" }),
    ];
    expect(taken.map(({ status }) => status)).toEqual([409, 409]);
    const elsewhere = await newClient();
    await elsewhere.create({ userName: "Jörg@Example.com", externalId: "Abc" });
  });

  test("is created once by two calls at once", async () => {
    const users = { schemas: [userSchema], userName: "same" };
    const answers = await Promise.all([post(users), post(users), post(users)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe("a PUT of a user", () => {
  test("replaces all attributes except id, meta and active", async () => {
    const { id, meta } = await client.create({ ...whole, active: false });
    const { status, body } = await put(id, { userName: "new", title: "Boss", id: "x" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, userName: "new", title: "Boss", active: false });
    expect(Object.keys(body).sort()).toEqual(
      ["schemas", "id", "userName", "active", "title", "meta"].sort(),
    );
    expect(body.meta.created).toBe((meta as { created: string }).created);
    expect(body.meta.version).not.toBe((meta as { version: string }).version);
  });

  test("without a difference does not change the version", async () => {
    const { id, meta } = await client.create({ userName: "u", title: "t" });
    expect((await put(id, { userName: "u", title: "t" })).body.meta).toEqual(meta);
  });
});

describe("the version of a user", () => {
  test("that is not the current one is rejected with 412, for every change", async () => {
    const { id, meta } = await client.create({ userName: "u" });
    const { version } = meta as { version: string };
    const match = { "if-match": version };
    expect((await put(id, { userName: "v" }, match)).status).toBe(200);
    const late = [
      await put(id, { userName: "w" }, match),
      await client.ask("PATCH", `/Users/${id}`, {}, match),
      await client.ask("DELETE", `/Users/${id}`, undefined, match),
    ];
    expect(late.map(({ status, body }) => [status, body.status])).toEqual(
      late.map(() => [412, "412"]),
    );
    expect((await client.ask("GET", `/Users/${id}`)).body.userName).toBe("v");
    expect((await put(id, { userName: "w" }, { "if-match": "*" })).status).toBe(200);
  });

  test("that the client has is not sent again", async () => {
    const { id, meta } = await client.create({ userName: "u" });
    const { version } = meta as { version: string };
    const got = await client.ask("GET", `/Users/${id}`, undefined, { "if-none-match": version });
    expect([got.status, got.body]).toEqual([304, undefined]);
  });

  test("lets two parallel changes happen one after the other", async () => {
    const { id } = await client.create({ userName: "u" });
    const fields = ["title", "nickName", "locale"];
    const answers = await Promise.all(
      fields.map((path) => client.patch(id, { op: "replace", path, value: path })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await client.ask("GET", `/Users/${id}`)).body).toMatchObject({
      title: "title",
      nickName: "nickName",
      locale: "locale",
    });
  });
});

describe("a person who signed in as a user", () => {
  let person: string;
  let id: string;
  let elsewhere: string;
  beforeEach(async () => {
    ({ id } = await client.create({ userName: "u", externalId: "sub-1" }));
    person = randomUid();
    elsewhere = `${randomUid()}/${"1".repeat(16)}`;
    await sql(
      "update scim_users set identity_uid = ? where uid = ?",
      person,
      `${client.idp}/${id}`,
    );
    for (const provider of [client.idp, elsewhere]) {
      await sql(
        "insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time) values (?, ?, ?, ?, '{}', 1, 9e12)",
        randomName("digest"),
        randomName("family"),
        person,
        provider,
      );
    }
  });
  const revoked = async () =>
    (
      await sql<{ provider: string }>(
        "select identity_provider_uid as provider from refresh_tokens where identity_uid = ? and revoke_time is not null",
        person,
      )
    ).map(({ provider }) => provider);
  const identity = async () =>
    (await sql("select identity_uid from scim_users where uid = ?", `${client.idp}/${id}`))[0]
      ?.identity_uid;

  test.each([
    [
      "is deactivated by PATCH",
      () => client.patch(id, { op: "Replace", path: "active", value: "False" }),
    ],
    ["is deactivated by PUT", () => put(id, { userName: "u", externalId: "sub-1", active: false })],
    ["is deleted", () => client.ask("DELETE", `/Users/${id}`)],
    [
      "becomes another",
      () => client.patch(id, { op: "replace", path: "externalId", value: "sub-2" }),
    ],
  ])("loses the refresh tokens of the provider if it %s", async (_, change) => {
    expect((await change()).status).toBeLessThan(300);
    expect(await revoked()).toEqual([client.idp]);
  });

  test("remains the user after other changes, and is no longer the user once externalId changes", async () => {
    await client.patch(id, { op: "replace", path: "title", value: "t" });
    expect([await revoked(), await identity()]).toEqual([[], person]);
    await client.patch(id, { op: "replace", path: "externalId", value: "sub-2" });
    expect(await identity()).toBeNull();
  });

  test("is the user again once it is active again", async () => {
    await client.patch(id, { op: "replace", value: { active: false } });
    await client.patch(id, { op: "replace", value: { active: true } });
    expect(await identity()).toBe(person);
  });
});

test("a deleted user cannot be restored", async () => {
  const { id } = await client.create({ userName: "u", externalId: "e" });
  const gone = await client.ask("DELETE", `/Users/${id}`);
  expect([gone.status, gone.body]).toEqual([204, undefined]);
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    const answer = await client.ask(method, `/Users/${id}`, body);
    expect([method, answer.status, answer.body.status]).toEqual([method, 404, "404"]);
  }
  await client.create({ userName: "u", externalId: "e" });
});

describe("the attributes in a response", () => {
  let id: string;
  beforeEach(async () => {
    ({ id } = await client.create(whole));
  });
  const keys = async (query: string) =>
    Object.keys((await client.ask("GET", `/Users/${id}?${query}`)).body).sort();

  test("are the requested ones, and always id and schemas", async () => {
    expect(await keys("attributes=userName")).toEqual(["id", "schemas", "userName"]);
    const { body } = await client.ask(
      "GET",
      `/Users/${id}?attributes=NAME.familyname,emails.value,${enterpriseSchema}:department,nothing`,
    );
    expect(body).toEqual({
      schemas: expect.anything(),
      id,
      name: { familyName: "Jensen" },
      emails: [{ value: "bjensen@example.com" }, { value: "babs@jensen.org" }],
      [enterpriseSchema]: { department: "Tour Operations" },
    });
  });

  test("are all except the excluded ones", async () => {
    const query = `excludedAttributes=emails,name,meta,id,${enterpriseSchema}`;
    expect(await keys(query)).toEqual(
      [
        ...["schemas", "id", "userName", "externalId", "displayName", "profileUrl", "active"],
        ...["addresses", "phoneNumbers", "roles", "title"],
      ].sort(),
    );
    const { body } = await client.ask("GET", `/Users/${id}?excludedAttributes=emails.type`);
    expect(body.emails[1]).toEqual({ value: "babs@jensen.org" });
  });

  test("are the same in lists and after changes too", async () => {
    const { body } = await client.ask("GET", "/Users?attributes=userName");
    expect(Object.keys(body.Resources[0]).sort()).toEqual(["id", "schemas", "userName"]);
    const changed = await client.ask("PATCH", `/Users/${id}?attributes=title`, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", path: "title", value: "t" }],
    });
    expect(changed.body).toEqual({ schemas: expect.anything(), id, title: "t" });
  });
});

test("a read costs one D1 round trip, and everything else costs two", async () => {
  const made = await client.ask("POST", "/Users", { schemas: [userSchema], userName: "u" });
  const { id } = made.body;
  const costs = [
    made,
    await client.ask("GET", "/Users"),
    await client.patch(id, { op: "replace", path: "title", value: "t" }),
    await put(id, { userName: "v" }),
    await client.ask("DELETE", `/Users/${id}`),
  ].map((answer) => costOf(answer).roundTrips);
  expect(costs).toEqual([2, 2, 2, 2, 2]);
  expect(costOf(await client.ask("GET", `/Users/${id}`)).roundTrips).toBe(1);
});

test("what clients write for a user is stored as the standard has it", async () => {
  const client = await newClient();
  const { body } = await client.ask("POST", "/Users", {
    schemas: [userSchema, enterpriseSchema, "urn:acme:scim:2.0:User"],
    USERNAME: "bob@acme.example",
    "name.familyName": "B",
    [`${userSchema}:title`]: "Boss",
    [`${enterpriseSchema}:department`]: "x",
    [enterpriseSchema]: { manager: "26118915-6090-4610-87e4-49d8ca9f808d" },
    emails: ["bob@acme.example"],
    "urn:acme:scim:2.0:User": { badge: 7 },
    favouriteColour: "green",
  });
  const { meta: _, id, ...user } = body;
  expect(user).toEqual({
    schemas: [userSchema, enterpriseSchema],
    userName: "bob@acme.example",
    active: true,
    name: { familyName: "B" },
    title: "Boss",
    emails: [{ value: "bob@acme.example" }],
    [enterpriseSchema]: {
      manager: { value: "26118915-6090-4610-87e4-49d8ca9f808d" },
      department: "x",
    },
  });
  expect((await client.ask("GET", `/Users/${id}`)).body).toEqual(body);
});

test("a user that was deleted and comes back is a new user with the same names", async () => {
  const client = await newClient();
  const names = { userName: "ann@acme.example", externalId: "e1" };
  const first = await client.create(names);
  expect((await client.ask("DELETE", `/Users/${first.id}`)).status).toBe(204);
  const second = await client.create(names);
  expect(second).toMatchObject({ ...names, active: true });
  expect(second.id).not.toBe(first.id);
});

import { gzipSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newUser, randomUid } from "../../world/personas.ts";
import { baseUrl, callRest, tokenFor } from "../../world/platform.ts";
import {
  type Client,
  clientOf,
  enterpriseSchema,
  errorSchema,
  groupSchema,
  newClient,
  userSchema,
} from "./client.ts";

let client: Client;
beforeAll(async () => {
  client = await newClient();
});

const paths = [
  ["GET", "/Users"],
  ["POST", "/Users"],
  ["POST", "/Users/.search"],
  ["GET", `/Users/${"0".repeat(16)}`],
  ["PUT", `/Users/${"0".repeat(16)}`],
  ["PATCH", `/Users/${"0".repeat(16)}`],
  ["DELETE", `/Users/${"0".repeat(16)}`],
  ["GET", "/ServiceProviderConfig"],
  ["GET", "/ResourceTypes"],
  ["GET", "/Schemas"],
] as const;

describe("a request is rejected", () => {
  let other: Client;
  let sibling: Client;
  beforeAll(async () => {
    other = await newClient();
    sibling = await newClient(client.organization);
  });

  const refusals: [string, () => Promise<Client> | Client][] = [
    ["with a token of another organization's provider", () => as(client.idp, other.token)],
    ["with a token of a sibling provider", () => as(client.idp, sibling.token)],
    ["with a token of the API", async () => as(client.idp, await tokenFor((await newUser()).uid))],
    ["with garbage", () => as(client.idp, "garbage")],
    [
      "of an unknown provider",
      () => as(`${client.organization.uid}/${"0".repeat(16)}`, client.token),
    ],
    ["of an unknown organization", () => as(`${randomUid()}/${"0".repeat(16)}`, client.token)],
    [
      "below another path of the same provider",
      () => as(`${client.idp}/${"0".repeat(16)}`, client.token),
    ],
  ];
  const as = (idp: string, token: string) => clientOf(client.organization, idp, token);

  test.each(refusals)("%s: 401 in the form of SCIM, the same for all", async (_, make) => {
    const refused = await make();
    for (const [method, path] of paths) {
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const { status, headers, body: error } = await refused.ask(method, path, body);
      expect([method, path, status]).toEqual([method, path, 401]);
      expect(error).toEqual({
        schemas: [errorSchema],
        status: "401",
        detail: "the bearer token is not a valid SCIM token of this identity provider",
      });
      expect(headers.get("www-authenticate")).toBe('Bearer realm="scim"');
      expect(headers.get("content-type")).toBe("application/scim+json");
    }
  });

  test.each([[undefined], ["Basic abc"], ["Bearer"]])(
    "a request with the authorization %s is rejected",
    async (value) => {
      const response = await fetch(`${baseUrl()}/scim/v2/${client.idp}/Users`, {
        ...(value ? { headers: { authorization: value } } : {}),
      });
      expect(response.status).toBe(401);
    },
  );

  test("while SCIM is disabled, with 403, and still with 401 for a bad token", async () => {
    const off = await newClient();
    const path = `/iam/v2/identityProviders/${off.idp}`;
    const { token } = off.organization.owner;
    await callRest(`${path}:setScimEnabled`, { token, body: { enabled: false, etag: "scim-2" } });
    for (const [method, at] of paths) {
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const { status, body: error } = await off.ask(method, at, body);
      expect([method, at, status, error.status]).toEqual([method, at, 403, "403"]);
    }
    expect((await as(off.idp, "garbage").ask("GET", "/Users")).status).toBe(401);
  });

  test("after the provider was deleted", async () => {
    const gone = await newClient();
    const { token } = gone.organization.owner;
    expect((await gone.ask("GET", "/Users")).status).toBe(200);
    await callRest(`/iam/v2/identityProviders/${gone.idp}`, { method: "DELETE", token });
    expect((await gone.ask("GET", "/Users")).status).toBe(401);
  });
});

test("a user of another provider is 404, by every method", async () => {
  const other = await newClient(client.organization);
  const { id } = await other.create({ userName: "theirs" });
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    expect([method, (await client.ask(method, `/Users/${id}`, body)).status]).toEqual([
      method,
      404,
    ]);
  }
  expect((await client.ask("GET", "/Users")).body.totalResults).toBe(0);
});

describe("the path of a request", () => {
  test.each([
    ["POST", "/Groups", 400],
    ["PATCH", "/Groups", 405],
    ["GET", "/groups", 404],
    ["GET", "/Groups/not-an-id", 404],
    ["GET", `/Groups/${"0".repeat(16)}`, 404],
    ["GET", "", 404],
    ["GET", "/", 404],
    ["GET", "/users", 404],
    ["GET", "/Users/not-an-id", 404],
    ["GET", `/Users/${"0".repeat(16)}/more`, 404],
    ["POST", "/Bulk", 501],
    ["GET", "/Me", 501],
    ["DELETE", "/Users", 405],
    ["POST", "/Schemas", 405],
    ["GET", "/Schemas/urn:x", 404],
    ["GET", "/ResourceTypes/Role", 404],
    ["GET", "/Schemas?filter=id%20pr", 403],
  ])("%s %s returns %i as a SCIM error", async (method, path, expected) => {
    const { status, body } = await client.ask(method, path, method === "POST" ? {} : undefined);
    expect([status, body.schemas, body.status]).toEqual([expected, [errorSchema], `${expected}`]);
  });

  test.each(["/scim", "/scim/v2", "/scim/v1/x/y/Users", "/scim/v2/a/b/Users"])(
    "the path %s is 404",
    async (path) => {
      expect((await callRest(path, { token: client.token })).status).toBe(404);
    },
  );
});

describe("the body of a request", () => {
  const user = (title: string) => JSON.stringify({ schemas: [userSchema], userName: "big", title });

  test("larger than 256 KiB is 413, with and without content-length", async () => {
    const large = user("x".repeat(256 * 1024));
    expect((await client.ask("POST", "/Users", large)).status).toBe(413);
    const streamed = await fetch(`${baseUrl()}/scim/v2/${client.idp}/Users`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.token}` },
      body: new Blob([large]).stream(),
      duplex: "half",
    } as RequestInit);
    expect([streamed.status, (await streamed.json()).status]).toEqual([413, "413"]);
    // Within 256 KiB it is read, and the user in it found too large.
    const { status, body } = await client.ask("POST", "/Users", user("x".repeat(255 * 1024)));
    expect([status, body.scimType]).toEqual([400, "invalidValue"]);
  });

  test("cannot grow a user beyond 64 KiB in several steps", async () => {
    const size = JSON.stringify({ userName: "grows", active: true, title: "" }).length;
    const { id } = await client.create({ userName: "grows", title: "x".repeat(65_536 - size) });
    const { status, body } = await client.patch(id, { op: "add", path: "nickName", value: "y" });
    expect([status, body.scimType]).toEqual([400, "invalidValue"]);
  });

  test("can have a user of 500 values, and up to 200 operations", async () => {
    const emails = Array.from({ length: 500 }, (_, index) => ({ value: `${index}` }));
    const { id } = await client.create({ userName: "full", emails });
    const operations = emails.slice(0, 200).map(({ value }) => ({
      op: "replace",
      path: `emails[value eq "${value}"].type`,
      value: "work",
    }));
    const { status, body } = await client.patch(id, ...operations);
    expect([status, body.emails.filter(({ type }: { type?: string }) => type).length]).toEqual([
      200, 200,
    ]);
  });

  test.each([
    ["no JSON", "{", {}, 400],
    ["nothing", "", {}, 400],
    ["a list", "[]", {}, 400],
    ["null", "null", {}, 400],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), {}, 400],
    ["of another type", user("t"), { "content-type": "text/xml" }, 415],
    ["packed", new Uint8Array(gzipSync(user("t"))), { "content-encoding": "gzip" }, 415],
  ])("that is %s is refused", async (_, body, headers, expected) => {
    const answer = await client.ask("POST", "/Users", body, headers);
    expect([answer.status, answer.body.schemas]).toEqual([expected, [errorSchema]]);
  });

  test("of application/json is accepted", async () => {
    const body = JSON.stringify({ schemas: [userSchema], userName: "json" });
    const type = { "content-type": "application/json; charset=utf-8" };
    expect((await client.ask("POST", "/Users", body, type)).status).toBe(201);
  });
});

describe("the endpoint describes itself", () => {
  let base: string;
  beforeEach(() => {
    base = `http://localhost:8787/scim/v2/${client.idp}`;
  });

  test("with its features", async () => {
    const { status, body } = await client.ask("GET", "/ServiceProviderConfig");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 262144 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: "oauthbearertoken" }],
      meta: { location: `${base}/ServiceProviderConfig`, resourceType: "ServiceProviderConfig" },
    });
  });

  test("with its resource types", async () => {
    const { body } = await client.ask("GET", "/ResourceTypes");
    expect(body).toMatchObject({ totalResults: 2, startIndex: 1, itemsPerPage: 2 });
    expect(body.Resources[0]).toMatchObject({
      id: "User",
      endpoint: "/Users",
      schema: userSchema,
      schemaExtensions: [{ schema: enterpriseSchema, required: false }],
      meta: { location: `${base}/ResourceTypes/User` },
    });
    const one = await client.ask("GET", "/ResourceTypes/User");
    expect(one.body).toEqual(body.Resources[0]);
    const group = await client.ask("GET", "/ResourceTypes/Group");
    expect(group.body).toEqual(body.Resources[1]);
    expect(group.body).toMatchObject({ endpoint: "/Groups", schema: groupSchema });
  });

  test("with its schemas, without the attributes that it does not store", async () => {
    const { body } = await client.ask("GET", "/Schemas");
    const ids = body.Resources.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([userSchema, enterpriseSchema, groupSchema]);
    const group = await client.ask("GET", `/Schemas/${groupSchema}`);
    expect(group.body).toMatchObject({
      attributes: [
        { name: "displayName", required: true, caseExact: false, uniqueness: "server" },
        {
          name: "members",
          subAttributes: [
            { name: "value" },
            { name: "$ref", referenceTypes: ["User"] },
            { name: "type", canonicalValues: ["User"] },
          ],
        },
      ],
    });
    const [user] = body.Resources;
    const names = user.attributes.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["userName", "name", "emails", "active"]));
    expect(names).not.toEqual(expect.arrayContaining(["password"]));
    expect(names).not.toEqual(expect.arrayContaining(["groups"]));
    expect(user.attributes.find(({ name }: { name: string }) => name === "userName")).toMatchObject(
      {
        type: "string",
        required: true,
        caseExact: false,
        mutability: "readWrite",
        uniqueness: "server",
      },
    );
    expect((await client.ask("GET", `/Schemas/${userSchema}`)).body).toEqual(user);
  });
});

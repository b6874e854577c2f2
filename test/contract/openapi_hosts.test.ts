/** What no RPC serves, and the OpenAPI document tells by hand, answers as it is told there. */
import { beforeAll, describe, expect, test } from "vitest";
import { history, newImage, publicImage, registryToken } from "../distribution/images.ts";
import { type Client, newClient, patchSchema, userSchema } from "../iam/scim/client.ts";
import { newProvider } from "../issuer/login/logins.ts";
import { startProvider } from "../issuer/login/openid_provider.ts";
import { newOrganization, newUser, type Organization, randomName } from "../world/personas.ts";
import { type Answer, type Asked, rest, tokenFor } from "../world/platform.ts";
import { answerFaults, operations, type Placed } from "./openapi_document.ts";

const byHand = operations.filter(({ operation }) => !operation["x-grpc"]);
const seen = new Map<string, Set<number>>();

function placedAs(id: string): Placed {
  const found = byHand.find(({ operation }) => operation.operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

/** An answer of an operation, which has to be told in the document. */
function expectTold(id: string, answer: Answer, status: number): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  const empty = { ...answer, body: answer.body === "" ? undefined : answer.body };
  expect(answerFaults(placedAs(id), empty), id).toEqual([]);
  seen.set(id, (seen.get(id) ?? new Set()).add(status));
}

describe("the registry host", () => {
  let organization: Organization;
  let image: { name: string; uid: string };
  let token: string;
  beforeAll(async () => {
    organization = await newOrganization();
    image = await publicImage(["latest"]);
    token = await registryToken((await newUser()).uid);
  });
  const scopeOf = (name: string) => `/token?scope=${encodeURIComponent(`repository:${name}:pull`)}`;

  test("the registry host answers token requests as documented", async () => {
    expectTold("getRegistryToken", await rest(scopeOf(image.name)), 200);
    expectTold("getRegistryToken", await rest("/token?scope=nothing"), 400);
    expectTold("getRegistryToken", await rest("/token"), 401);
    expectTold(
      "getRegistryToken",
      await rest(scopeOf(`${organization.uid}/image`), { token }),
      403,
    );
    const wrong = await tokenFor(organization.owner.uid);
    expectTold("getRegistryToken", await rest("/token", { token: wrong }), 403);
    const owner = await registryToken(organization.owner.uid);
    const missing = `${organization.uid}/nothing`;
    expectTold("getRegistryToken", await rest(scopeOf(missing), { token: owner }), 404);
    expectTold("getRegistryToken", await rest("/token", { method: "POST" }), 405);
  });

  test("answers the history of tags", async () => {
    const pull = (await rest(scopeOf(image.name))).body.token;
    expectTold("getTagHistory", await history(image.name, "latest", pull), 200);
    expectTold("getTagHistory", await history(image.name, "latest", pull, "?start=nothing"), 400);
    expectTold("getTagHistory", await history(image.name, "latest"), 401);
    expectTold("getTagHistory", await history(image.name, "1.0", pull), 403);
    const owner = await registryToken(organization.owner.uid);
    await newImage(organization);
    const own = `${organization.uid}/image`;
    expectTold("getTagHistory", await history(own, "never", owner), 404);
    const path = `/v2/${image.name}/_vendor/history/latest`;
    expectTold("getTagHistory", await rest(path, { method: "PUT", token: pull }), 405);
  });

  test("answers the version check", async () => {
    expectTold("checkRegistryVersion", await rest("/v2/", { token }), 200);
    expectTold("checkRegistryVersion", await rest("/v2/"), 401);
    const wrong = await tokenFor(organization.owner.uid);
    expectTold("checkRegistryVersion", await rest("/v2/", { token: wrong }), 403);
    expectTold("checkRegistryVersion", await rest("/v2/", { token, method: "PUT" }), 405);
  });
});

describe("the issuer", () => {
  test("answers what everyone may know", async () => {
    expectTold("getDiscovery", await rest("/.well-known/openid-configuration"), 200);
    expectTold("getKeys", await rest("/.well-known/jwks.json"), 200);
    expectTold("checkOrganization", await rest("/orgcheck?name=nobody.example"), 200);
  });

  test("takes back refresh tokens", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const revoke = (body: string) => rest("/oauth/revoke", { method: "POST", headers, body });
    expectTold("revokeToken", await revoke("token=unknown"), 200);
    expectTold("revokeToken", await revoke(`token=${"x".repeat(20_000)}`), 400);
  });

  test("the issuer redirects logins as documented", async () => {
    const { uid } = await newOrganization();
    const provider = await newProvider(uid, { issuer: "http://localhost:1" });
    const redirect = encodeURIComponent("http://localhost:1/done");
    const at = (query: string) => rest(`/oauth?${query}`);
    const code = Buffer.from(new Uint8Array(32).fill(9)).toString("base64url");
    expectTold("startLogin", await at(`idp_id=${provider}&headless_code=${code}`), 200);
    const people = await startProvider();
    const reachable = await newProvider(uid, { issuer: people.url });
    expectTold("startLogin", await at(`idp_id=${reachable}`), 302);
    await people.close();
    const unknown = uid.replace(/./g, "0");
    expectTold("startLogin", await at(`idp_id=${unknown}&redirect=${redirect}`), 303);
    expectTold("startLogin", await at("redirect=https://elsewhere.example"), 400);
    expectTold("startLogin", await at(`idp_id=${unknown}`), 404);
    expectTold("startLogin", await at(`idp_id=${provider}`), 503);
  });
});

describe("provisioning", () => {
  let client: Client;
  const ask = (path: string, asked: Asked = {}) =>
    rest(`/scim/v2/${client.idp}${path}`, {
      token: client.token,
      ...asked,
      headers: { "content-type": "application/scim+json", ...asked.headers },
    });
  const named = (userName: string) => ({ schemas: [userSchema], userName });
  beforeAll(async () => {
    client = await newClient();
  });

  test("provisioning answers users as documented", async () => {
    const made = await ask("/Users", { body: named(randomName("ann")) });
    expectTold("createScimUser", made, 201);
    expectTold("createScimUser", await ask("/Users", { body: {} }), 400);
    expectTold("createScimUser", await ask("/Users", { body: named(made.body.userName) }), 409);
    const text = { headers: { "content-type": "text/plain" }, body: "x" };
    expectTold("createScimUser", await ask("/Users", text), 415);
    expectTold("createScimUser", await ask("/Users", { body: "x".repeat(300_000) }), 413);
    expectTold("listScimUsers", await ask("/Users?count=1"), 200);
    expectTold("listScimUsers", await ask("/Users?filter=nothing"), 400);
    const at = `/Users/${made.body.id}`;
    expectTold("getScimUser", await ask(at), 200);
    const etag = made.headers.get("etag") ?? "";
    expectTold("getScimUser", await ask(at, { headers: { "if-none-match": etag } }), 304);
    expectTold("getScimUser", await ask("/Users/0000000000000000"), 404);
    const operations = [{ op: "replace", path: "active", value: false }];
    const patch = { schemas: [patchSchema], Operations: operations };
    expectTold("patchScimUser", await ask(at, { method: "PATCH", body: patch }), 200);
    const put = { method: "PUT", body: named(made.body.userName) };
    expectTold("replaceScimUser", await ask(at, put), 200);
    const stale = { ...put, headers: { "if-match": 'W/"1"' } };
    expectTold("replaceScimUser", await ask(at, stale), 412);
    const search = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
      filter: `userName eq "${made.body.userName}"`,
    };
    expectTold("searchScimUsers", await ask("/Users/.search", { body: search }), 200);
    expectTold("deleteScimUser", await ask(at, { method: "DELETE" }), 204);
    expectTold("deleteScimUser", await ask(at, { method: "DELETE" }), 404);
  });

  test("says what it can do, and to nobody without its token", async () => {
    expectTold("getScimServiceProviderConfig", await ask("/ServiceProviderConfig"), 200);
    expectTold("listScimResourceTypes", await ask("/ResourceTypes"), 200);
    expectTold("listScimSchemas", await ask("/Schemas"), 200);
    for (const { verb, operation } of byHand.filter(({ path }) => path.startsWith("/scim/"))) {
      const path = placedAs(operation.operationId).path.replace("{id}", "0000000000000000");
      const at = path.replace("/scim/v2/{provider}", "");
      const answer = await ask(at, { method: verb.toUpperCase(), token: undefined });
      expectTold(operation.operationId, answer, 401);
    }
  });
});

test("each of them was called here, and did what it is for", () => {
  for (const { operation } of byHand) {
    const told = Object.keys(operation.responses).map(Number);
    const good = told.filter((status) => status < 400);
    expect([...(seen.get(operation.operationId) ?? [])], operation.operationId).toEqual(
      expect.arrayContaining(good),
    );
  }
});

/** Responses that do not come from an RPC match their handwritten descriptions in the OpenAPI document. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  newImage,
  publicImage,
  readHistory,
  registryToken,
} from "../../distribution/stored_images.ts";
import {
  type Client,
  groupSchema,
  newClient,
  patchSchema,
  userSchema,
} from "../../iam/scim/client.ts";
import { newProvider } from "../../issuer/login/logins.ts";
import { startProvider } from "../../issuer/login/openid_provider.ts";
import { newOrganization, newUser, type Organization, randomName } from "../../world/personas.ts";
import { type Answer, callRest, type RequestOptions, tokenFor } from "../../world/platform.ts";
import { answerViolations, type DocumentedOperation, operations } from "./document.ts";

const byHand = operations.filter(({ operation }) => !operation["x-grpc"]);
const seen = new Map<string, Set<number>>();

function placedAs(id: string): DocumentedOperation {
  const found = byHand.find(({ operation }) => operation.operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

/** A response of an operation. The document must contain it. */
function expectDocumented(id: string, answer: Answer, status: number): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  const empty = { ...answer, body: answer.body === "" ? undefined : answer.body };
  expect(answerViolations(placedAs(id), empty), id).toEqual([]);
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

  test("responds to token requests as documented", async () => {
    expectDocumented("getRegistryToken", await callRest(scopeOf(image.name)), 200);
    expectDocumented("getRegistryToken", await callRest("/token?service=other"), 400);
    expectDocumented("getRegistryToken", await callRest("/token"), 401);
    expectDocumented(
      "getRegistryToken",
      await callRest(scopeOf(`${organization.uid}/image`), { token }),
      403,
    );
    const wrong = await tokenFor(organization.owner.uid);
    expectDocumented("getRegistryToken", await callRest("/token", { token: wrong }), 403);
    expectDocumented("getRegistryToken", await callRest("/token", { method: "PUT" }), 405);
  });

  test("returns the history of tags", async () => {
    const pull = (await callRest(scopeOf(image.name))).body.token;
    expectDocumented("getTagHistory", await readHistory(image.name, "latest", pull), 200);
    expectDocumented(
      "getTagHistory",
      await readHistory(image.name, "latest", pull, "?start=nothing"),
      400,
    );
    expectDocumented("getTagHistory", await readHistory(image.name, "latest"), 401);
    expectDocumented("getTagHistory", await readHistory(image.name, "1.0", pull), 403);
    const owner = await registryToken(organization.owner.uid);
    await newImage(organization);
    const own = `${organization.uid}/image`;
    expectDocumented("getTagHistory", await readHistory(own, "never", owner), 404);
    const path = `/v2/${image.name}/_vendor/history/latest`;
    expectDocumented("getTagHistory", await callRest(path, { method: "PUT", token: pull }), 405);
  });

  test("responds to the version check", async () => {
    expectDocumented("checkRegistryVersion", await callRest("/v2/", { token }), 200);
    expectDocumented("checkRegistryVersion", await callRest("/v2/"), 401);
    const wrong = await tokenFor(organization.owner.uid);
    expectDocumented("checkRegistryVersion", await callRest("/v2/", { token: wrong }), 403);
    expectDocumented("checkRegistryVersion", await callRest("/v2/", { token, method: "PUT" }), 405);
  });
});

describe("the issuer", () => {
  test("returns its public documents", async () => {
    expectDocumented("getDiscovery", await callRest("/.well-known/openid-configuration"), 200);
    expectDocumented("getKeys", await callRest("/.well-known/jwks.json"), 200);
    expectDocumented("getKeysAsPem", await callRest("/.well-known/jwks.pem"), 200);
    expectDocumented("checkOrganization", await callRest("/orgcheck?name=nobody.example"), 200);
  });

  test("revokes refresh tokens", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const revoke = (body: string) => callRest("/oauth/revoke", { method: "POST", headers, body });
    expectDocumented("revokeToken", await revoke("token=unknown"), 200);
    expectDocumented("revokeToken", await revoke(`token=${"x".repeat(20_000)}`), 400);
  });

  test("the issuer redirects logins as documented", async () => {
    const { uid } = await newOrganization();
    const provider = await newProvider(uid, { issuer: "http://localhost:1" });
    const redirect = encodeURIComponent("http://localhost:1/done");
    const at = (query: string) => callRest(`/oauth?${query}`);
    const code = Buffer.from(new Uint8Array(32).fill(9)).toString("base64url");
    expectDocumented("startLogin", await at(`idp_id=${provider}&headless_code=${code}`), 200);
    const people = await startProvider();
    const reachable = await newProvider(uid, { issuer: people.url });
    expectDocumented("startLogin", await at(`idp_id=${reachable}`), 302);
    await people.close();
    const unknown = uid.replace(/./g, "0");
    expectDocumented("startLogin", await at(`idp_id=${unknown}&redirect=${redirect}`), 303);
    expectDocumented("startLogin", await at("redirect=https://elsewhere.example"), 400);
    expectDocumented("startLogin", await at(`idp_id=${unknown}`), 404);
    expectDocumented("startLogin", await at(`idp_id=${provider}`), 503);
  });
});

describe("provisioning", () => {
  let client: Client;
  const ask = (path: string, asked: RequestOptions = {}) =>
    callRest(`/scim/v2/${client.idp}${path}`, {
      token: client.token,
      ...asked,
      headers: { "content-type": "application/scim+json", ...asked.headers },
    });
  const named = (userName: string) => ({ schemas: [userSchema], userName });
  beforeAll(async () => {
    client = await newClient();
  });

  test("returns users as documented", async () => {
    const made = await ask("/Users", { body: named(randomName("ann")) });
    expectDocumented("createScimUser", made, 201);
    expectDocumented("createScimUser", await ask("/Users", { body: {} }), 400);
    expectDocumented(
      "createScimUser",
      await ask("/Users", { body: named(made.body.userName) }),
      409,
    );
    const text = { headers: { "content-type": "text/plain" }, body: "x" };
    expectDocumented("createScimUser", await ask("/Users", text), 415);
    expectDocumented("createScimUser", await ask("/Users", { body: "x".repeat(300_000) }), 413);
    expectDocumented("listScimUsers", await ask("/Users?count=1"), 200);
    expectDocumented("listScimUsers", await ask("/Users?filter=nothing"), 400);
    const at = `/Users/${made.body.id}`;
    expectDocumented("getScimUser", await ask(at), 200);
    const etag = made.headers.get("etag") ?? "";
    expectDocumented("getScimUser", await ask(at, { headers: { "if-none-match": etag } }), 304);
    expectDocumented("getScimUser", await ask("/Users/0000000000000000"), 404);
    const operations = [{ op: "replace", path: "active", value: false }];
    const patch = { schemas: [patchSchema], Operations: operations };
    expectDocumented("patchScimUser", await ask(at, { method: "PATCH", body: patch }), 200);
    const put = { method: "PUT", body: named(made.body.userName) };
    expectDocumented("replaceScimUser", await ask(at, put), 200);
    const stale = { ...put, headers: { "if-match": 'W/"1"' } };
    expectDocumented("replaceScimUser", await ask(at, stale), 412);
    const search = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
      filter: `userName eq "${made.body.userName}"`,
    };
    expectDocumented("searchScimUsers", await ask("/Users/.search", { body: search }), 200);
    expectDocumented("deleteScimUser", await ask(at, { method: "DELETE" }), 204);
    expectDocumented("deleteScimUser", await ask(at, { method: "DELETE" }), 404);
  });

  test("returns groups as documented", async () => {
    const { id } = await client.create({ userName: randomName("bob") });
    const named = (displayName: string) => ({
      ...{ schemas: [groupSchema], displayName, members: [{ value: id }] },
    });
    const name = randomName("team");
    const made = await ask("/Groups", { body: named(name) });
    expectDocumented("createScimGroup", made, 201);
    expectDocumented("createScimGroup", await ask("/Groups", { body: {} }), 400);
    expectDocumented("createScimGroup", await ask("/Groups", { body: named(name) }), 409);
    expectDocumented("createScimGroup", await ask("/Groups", { body: "x".repeat(300_000) }), 413);
    expectDocumented("listScimGroups", await ask("/Groups?count=1"), 200);
    expectDocumented("listScimGroups", await ask("/Groups?filter=nothing"), 400);
    const at = `/Groups/${made.body.id}`;
    expectDocumented("getScimGroup", await ask(at), 200);
    const etag = made.headers.get("etag") ?? "";
    expectDocumented("getScimGroup", await ask(at, { headers: { "if-none-match": etag } }), 304);
    expectDocumented("getScimGroup", await ask("/Groups/0000000000000000"), 404);
    const Operations = [{ op: "remove", path: "members" }];
    const patch = { method: "PATCH", body: { schemas: [patchSchema], Operations } };
    expectDocumented("patchScimGroup", await ask(at, patch), 204);
    expectDocumented("patchScimGroup", await ask(`${at}?attributes=members`, patch), 200);
    const put = { method: "PUT", body: named(name) };
    expectDocumented("replaceScimGroup", await ask(at, put), 200);
    const stale = { ...put, headers: { "if-match": 'W/"1"' } };
    expectDocumented("replaceScimGroup", await ask(at, stale), 412);
    const search = {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"],
      filter: `members.value eq "${id}"`,
    };
    expectDocumented("searchScimGroups", await ask("/Groups/.search", { body: search }), 200);
    expectDocumented("deleteScimGroup", await ask(at, { method: "DELETE" }), 204);
    expectDocumented("deleteScimGroup", await ask(at, { method: "DELETE" }), 404);
  });

  test("describes itself only to a caller with its token", async () => {
    expectDocumented("getScimServiceProviderConfig", await ask("/ServiceProviderConfig"), 200);
    expectDocumented("listScimResourceTypes", await ask("/ResourceTypes"), 200);
    expectDocumented("listScimSchemas", await ask("/Schemas"), 200);
    for (const { verb, operation } of byHand.filter(({ path }) => path.startsWith("/scim/"))) {
      const path = placedAs(operation.operationId).path.replace("{id}", "0000000000000000");
      const at = path.replace("/scim/v2/{provider}", "");
      const answer = await ask(at, { method: verb.toUpperCase(), token: undefined });
      expectDocumented(operation.operationId, answer, 401);
    }
  });
});

test("every documented operation was called here and succeeded", () => {
  for (const { operation } of byHand) {
    const statuses = Object.keys(operation.responses).map(Number);
    const good = statuses.filter((status) => status < 400);
    expect([...(seen.get(operation.operationId) ?? [])], operation.operationId).toEqual(
      expect.arrayContaining(good),
    );
  }
});

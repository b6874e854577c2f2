/** The login with a key at the registry: what it gives, and everything that ends it. */
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { newKey, newKeyHolder } from "../iam/keys/new_key.ts";
import { newIdentity, newOrganization } from "../world/personas.ts";
import { type Answer, callRest, costOf, registryAudience, sql } from "../world/platform.ts";
import { basicHeader, newImage, refusalOf } from "./stored_images.ts";

const from = (address: string) => ({ "cf-connecting-ip": address });

const ask = (scope: string, secret: string, headers = {}, user = "key"): Promise<Answer> =>
  callRest(`/token?service=${registryAudience}&scope=${encodeURIComponent(scope)}`, {
    headers: { ...basicHeader(secret, user), ...headers },
  });

const history = (name: string, headers: Record<string, string>) =>
  callRest(`/v2/${name}/_vendor/history/latest`, { headers });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A private image, an identity with a role, and its key. */
async function keyed(role = "registry.push", key: object = {}) {
  const organization = await newOrganization("keyed");
  const repo = await newImage(organization);
  const identity = await newIdentity(organization, role);
  const made = await newKey(organization.owner.token, identity.uid, key);
  const name = `${organization.uid}/image`;
  return { organization, repo, identity, key: made, name, pull: `repository:${name}:pull` };
}

describe("a key", () => {
  test("gives a registry token for its actions, which pulls", async () => {
    const { name, key, identity, pull } = await keyed();
    const answer = await ask(`${pull},push`, key.secret);
    expect(answer.status).toBe(200);
    expect(decodeJwt(answer.body.token)).toMatchObject({
      sub: identity.uid,
      access: [{ name, actions: ["pull"] }],
      chain: [{ sub: identity.uid, key: key.uid }],
    });
    expect((await history(name, bearer(answer.body.token))).status).toBe(200);
    expect(costOf(answer).roundTrips).toBe(2);
  });

  test("also works in the form of the OAuth2 specification, and as the refresh token", async () => {
    const { key, pull } = await keyed();
    const post = (form: Record<string, string>) =>
      callRest("/token", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ service: registryAudience, scope: pull, ...form }).toString(),
      });
    const password = { grant_type: "password", username: "key", password: key.secret };
    expect((await post({ ...password, access_type: "offline" })).body.refresh_token).toBe(
      key.secret,
    );
    const again = { grant_type: "refresh_token", refresh_token: key.secret };
    expect((await post(again)).status).toBe(200);
    expect((await post({ ...password, username: "_token" })).status).toBe(401);
  });

  test("works directly at /v2/, for its actions only", async () => {
    const { name, key } = await keyed("owner");
    expect((await history(name, basicHeader(key.secret, "key"))).status).toBe(200);
    const upload = await callRest(`/v2/${name}/blobs/uploads/`, {
      method: "POST",
      headers: basicHeader(key.secret, "key"),
    });
    expect(refusalOf(upload)).toEqual([401, "UNAUTHORIZED"]);
  });

  test("with the action push does not pull and does not list repositories", async () => {
    const { name, key, pull } = await keyed("owner", { actions: ["push"] });
    expect(refusalOf(await ask(pull, key.secret))).toEqual([403, "DENIED"]);
    expect((await ask(`repository:${name}:push`, key.secret)).status).toBe(200);
    const { token } = (await ask("registry:catalog:*", key.secret)).body;
    expect(decodeJwt(token).access).toEqual([]);
    const direct = await callRest("/v2/_catalog", { headers: basicHeader(key.secret, "key") });
    expect(direct.status).toBe(401);
  });

  test("for one repository does not reach another", async () => {
    const { organization, identity, repo, pull } = await keyed();
    await newImage(organization, "other");
    const { secret } = await newKey(organization.owner.token, identity.uid, { scopes: [repo] });
    expect((await ask(pull, secret)).status).toBe(200);
    const other = `repository:${organization.uid}/other:pull`;
    expect(refusalOf(await ask(other, secret))).toEqual([403, "DENIED"]);
    expect((await history(`${organization.uid}/other`, basicHeader(secret, "key"))).status).toBe(
      403,
    );
  });

  test("of an identity does not reach another organization", async () => {
    const { key } = await keyed();
    const other = await keyed();
    expect(refusalOf(await ask(other.pull, key.secret))).toEqual([403, "DENIED"]);
  });

  test("records its last use, once a day", async () => {
    const { organization, key, pull } = await keyed();
    const { token } = organization.owner;
    const used = async () => (await callRest(`/iam/v2/keys/${key.uid}`, { token })).body;
    expect((await used()).lastUsedTime).toBeUndefined();
    await ask(pull, key.secret);
    await expect.poll(async () => (await used()).lastUsedTime).toBeDefined();
    const first = (await used()).lastUsedTime;
    await ask(pull, key.secret);
    expect((await used()).lastUsedTime).toBe(first);
    expect((await used()).etag).toBe(key.etag);
  });

  test("and its tokens end no later than the key", async () => {
    const { key, pull, name } = await keyed();
    const ends = Date.now() + 60_000;
    await sql("update keys set expire_time = ? where uid = ?", ends, key.uid);
    const { exp = 0 } = decodeJwt((await ask(pull, key.secret)).body.token);
    expect(exp * 1000).toBeLessThanOrEqual(ends);
    await sql("update keys set expire_time = ? where uid = ?", Date.now() - 1, key.uid);
    const expired = await ask(pull, key.secret);
    expect(refusalOf(expired)).toEqual([401, "UNAUTHORIZED"]);
    expect(expired.body.errors[0].message).toContain("expired at");
    expect((await history(name, basicHeader(key.secret, "key"))).status).toBe(401);
  });
});

describe("a key ends with the next request, and so do its tokens,", () => {
  const ends: Record<string, (world: Awaited<ReturnType<typeof keyed>>) => Promise<unknown>> = {
    "if it is deleted": ({ organization, key }) =>
      callRest(`/iam/v2/keys/${key.uid}`, { method: "DELETE", token: organization.owner.token }),
    "if someone reports it as leaked": ({ key }) =>
      callRest("/leaked-keys", { body: { keys: [key.secret] } }),
    "if its identity is deleted": ({ organization, identity }) =>
      callRest(`/iam/v2/identities/${identity.uid}`, {
        method: "DELETE",
        token: organization.owner.token,
      }),
    "if its identity loses its role": ({ identity }) =>
      sql("delete from role_bindings where identity_uid = ?", identity.uid),
    "if the organization forbids keys": ({ organization }) =>
      callRest(`/iam/v2/groups/${organization.uid}`, {
        method: "PATCH",
        token: organization.owner.token,
        body: { keysDisabled: true },
      }),
  };
  test.each(Object.entries(ends))("%s", async (_, end) => {
    const world = await keyed();
    const { token } = (await ask(world.pull, world.key.secret)).body;
    expect((await history(world.name, bearer(token))).status).toBe(200);
    await end(world);
    expect([401, 403]).toContain((await history(world.name, bearer(token))).status);
    expect([401, 403]).toContain((await ask(world.pull, world.key.secret)).status);
    expect([401, 403]).toContain(
      (await history(world.name, basicHeader(world.key.secret, "key"))).status,
    );
  });

  test("but another key of the same identity stays valid", async () => {
    const { organization, identity, key, pull } = await keyed();
    const { token } = organization.owner;
    const next = await newKey(token, identity.uid);
    for (const { secret } of [key, next]) expect((await ask(pull, secret)).status).toBe(200);
    await callRest(`/iam/v2/keys/${key.uid}`, { method: "DELETE", token });
    expect((await ask(pull, next.secret)).status).toBe(200);
  });
});

describe("a key for given networks", () => {
  const networks = ["192.0.2.0/24", "2001:db8::/32"];
  test.each([
    ["192.0.2.200", 200],
    ["2001:db8:1::5", 200],
    ["::ffff:192.0.2.1", 200],
    ["192.0.3.1", 403],
    ["2001:db9::1", 403],
    ["", 403],
  ])("from %j: %d, and the same for its tokens", async (address, status) => {
    const { key, pull, name } = await keyed("registry.pull", { networks });
    const inside = await ask(pull, key.secret, from("192.0.2.1"));
    expect(inside.status).toBe(200);
    const headers: Record<string, string> = address === "" ? {} : from(address);
    expect((await ask(pull, key.secret, headers)).status).toBe(status);
    expect((await history(name, { ...bearer(inside.body.token), ...headers })).status).toBe(status);
  });
});

describe("what is not a key", () => {
  test("a wrong checksum costs no read of the database", async () => {
    const { key, pull } = await keyed();
    const typo = `${key.secret.slice(0, -1)}${key.secret.endsWith("a") ? "b" : "a"}`;
    const answer = await ask(pull, typo);
    expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
    expect(costOf(answer).roundTrips).toBe(0);
  });

  test("a key as the user name, as the password of _token, or as a bearer token is refused", async () => {
    const { key, pull, name } = await keyed();
    const answers = [
      await ask(pull, "x", {}, key.secret),
      await ask(pull, key.secret, {}, "_token"),
      await ask(pull, key.secret, {}, ""),
      await history(name, bearer(key.secret)),
      await history(name, basicHeader("a.b.c", "key")),
    ];
    for (const answer of answers) {
      expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
      expect(JSON.stringify(answer.body)).not.toContain(key.secret.slice(0, 20));
    }
  });

  test("a key is not a token of the API, and neither the key nor its token can be exchanged", async () => {
    const { key, pull } = await keyed();
    const { token } = (await ask(pull, key.secret)).body;
    expect((await callRest("/iam/v2/groups", { token: key.secret })).status).toBe(401);
    expect((await callRest("/iam/v2/groups", { token })).status).toBe(401);
    for (const credential of [key.secret, token]) {
      const exchanged = await callRest("/sts/exchange?aud=http://localhost:8787", {
        method: "POST",
        token: credential,
      });
      expect(exchanged.status).toBe(403);
    }
  });

  test("a key of another platform with a right checksum is unknown", async () => {
    const { pull } = await keyed();
    const { key } = await newKeyHolder();
    await sql("delete from keys where uid = ?", key.uid);
    expect(refusalOf(await ask(pull, key.secret))).toEqual([401, "UNAUTHORIZED"]);
  });
});

/** Keys: who can create them, their limits, and where the secret is. */
import { beforeAll, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/aip/sha256.ts";
import { isWholeKey } from "../../../src/auth/key_secret.ts";
import {
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
  randomUid,
} from "../../world/personas.ts";
import { callRest, sql, vendor } from "../../world/platform.ts";
import { iso } from "../../world/times.ts";
import { newKey } from "./new_key.ts";

const day = 24 * 3600 * 1000;

let organization: Organization;
let identity: Persona;
let token: string;
beforeAll(async () => {
  organization = await newOrganization("keys");
  ({ token } = organization.owner);
  identity = await newIdentity(organization, "registry.pull");
});

const create = (key: object, as = token, parent = identity.uid, headers = {}) =>
  callRest(`/iam/v2/keys/${parent}`, { token: as, body: { name: "ci", ...key }, headers });

/** An identity of its own, because an identity has at most 5 keys. */
const another = () => newIdentity(organization, "registry.pull");

describe("a key", () => {
  test("pulls for 90 days by default, and has a uid below its identity", async () => {
    const before = Date.now();
    const made = await newKey(token, identity.uid, { name: "ci" });
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${identity.uid}/[0-9a-f]{16}$`)),
      name: "ci",
      actions: ["pull"],
      creatorUid: organization.owner.uid,
      createTime: expect.any(String),
      updateTime: made.createTime,
      expireTime: expect.any(String),
      secret: expect.any(String),
      etag: expect.any(String),
    });
    expect(Date.parse(made.expireTime) - Date.parse(String(made.createTime))).toBe(90 * day);
    expect(Date.parse(made.expireTime)).toBeGreaterThanOrEqual(before + 90 * day);
  });

  test("has a prefix, 256 random bits and a checksum, so that a scanner can find it", async () => {
    const { secret } = await newKey(token, (await another()).uid);
    expect(secret).toMatch(/^vekey_[0-9A-Za-z]{49}$/);
    expect(isWholeKey({ vendor }, secret)).toBe(true);
    for (let index = 0; index < secret.length; index += 1) {
      const typo = `${secret.slice(0, index)}${secret[index] === "a" ? "b" : "a"}${secret.slice(index + 1)}`;
      expect(isWholeKey({ vendor }, typo)).toBe(false);
    }
  });

  test("shows its secret once: no read, list, event or row contains it", async () => {
    const { uid: parent } = await another();
    const { secret, ...made } = await newKey(token, parent);
    const got = await callRest(`/iam/v2/keys/${made.uid}`, { token });
    expect(got.body).toEqual(made);
    const listed = await callRest(`/iam/v2/keys?uidp.children_of=${parent}`, { token });
    expect(listed.body.keys).toEqual([made]);
    const rows = await sql("select * from keys where uid = ?", made.uid);
    const events = await sql("select * from events where subject = ?", made.uid);
    expect(events.length).toBe(1);
    expect(JSON.stringify([got.body, listed.body, rows, events])).not.toContain(secret.slice(10));
    expect(rows[0]?.digest).toBe(await sha256(secret));
  });

  test("is created once, and has the same secret, if a call is repeated with its idempotency key", async () => {
    const { uid: parent } = await another();
    const headers = { "idempotency-key": "one" };
    const first = await create({}, token, parent, headers);
    const again = await create({}, token, parent, headers);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    expect((await sql("select uid from keys where parent = ?", parent)).length).toBe(1);
  });

  test("has no secret and no uid if the call only validates", async () => {
    const { uid: parent } = await another();
    const { status, body } = await callRest(`/iam/v2/keys/${parent}?validate_only=true`, {
      token,
      body: { name: "ci" },
    });
    expect([status, body.uid ?? "", body.secret ?? ""]).toEqual([200, "", ""]);
    expect(await sql("select uid from keys where parent = ?", parent)).toEqual([]);
  });

  test("is deleted with its identity", async () => {
    const { uid } = await another();
    await newKey(token, uid);
    expect((await callRest(`/iam/v2/identities/${uid}`, { method: "DELETE", token })).status).toBe(
      200,
    );
    expect(await sql("select uid from keys where uid > ? and uid < ?", uid, `${uid}0`)).toEqual([]);
  });

  test("is deleted with the organization of its identity", async () => {
    const own = await newOrganization();
    const { uid } = await newIdentity(own, "owner");
    await newKey(own.owner.token, uid);
    const gone = await callRest(`/iam/v2/groups/${own.uid}`, {
      method: "DELETE",
      token: own.owner.token,
    });
    expect(gone.status).toBe(200);
    expect(await sql("select uid from keys where uid > ? and uid < ?", uid, `${uid}0`)).toEqual([]);
  });
});

describe("an identity", () => {
  test("has at most 5 keys, also if two are created at once", async () => {
    const { uid } = await another();
    for (let number = 0; number < 4; number += 1) await newKey(token, uid);
    const answers = await Promise.all([create({}, token, uid), create({}, token, uid)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect((await create({}, token, uid)).body.message).toContain("5 keys");
  });
});

describe("the limits of a key", () => {
  const group = () => organization.uid;
  test.each<[string, () => object, string]>([
    ["expires in the past", () => ({ expireTime: iso(Date.now() - 1) }), "expire_time"],
    ["lives too long", () => ({ expireTime: iso(Date.now() + 90 * day + 60_000) }), "expire_time"],
    ["is for another organization", () => ({ scopes: [randomUid()] }), "scopes[0]"],
    ["is for no uid", () => ({ scopes: ["image"] }), "scopes[0]"],
    ["is for a scope twice", () => ({ scopes: [group(), group()] }), "scopes"],
    ["has an unknown action", () => ({ actions: ["sign"] }), "actions[0]"],
    ["is for no network", () => ({ networks: ["example.com"] }), "networks[0]"],
    ["is for a wrong length", () => ({ networks: ["192.0.2.0/33"] }), "networks[0]"],
    ["is for bits after the length", () => ({ networks: ["192.0.2.1/24"] }), "networks[0]"],
    ["is for octal digits", () => ({ networks: ["192.0.2.010"] }), "networks[0]"],
    ["is for a wrong IPv6 length", () => ({ networks: ["2001:db8::/129"] }), "networks[0]"],
    ["has no name", () => ({ name: "" }), "name"],
  ])("refuse one that %s", async (_, key, field) => {
    const { status, body } = await create(key());
    expect([status, body.code]).toEqual([400, 3]);
    expect(body.message).toContain(field);
  });

  test("write networks in their usual notation", async () => {
    const { uid } = await another();
    const networks = ["2001:DB8:0:0::/32", "192.0.2.7/32", "198.51.100.0/24"];
    const made = await newKey(token, uid, { networks });
    expect(made.networks).toEqual(["2001:db8::/32", "192.0.2.7", "198.51.100.0/24"]);
  });
});

describe("who can create a key", () => {
  test("not a stranger, not a viewer, and not the owner of another organization", async () => {
    const stranger = await newUser();
    const viewer = await newIdentity(organization, "viewer");
    const other = await newOrganization();
    for (const as of [stranger.token, viewer.token, other.owner.token, identity.token]) {
      const { status, body } = await create({}, as);
      expect([status, body.code]).toEqual([403, 7]);
    }
  });

  test("only someone who has all access of the identity", async () => {
    const role = await callRest(`/iam/v2/roles/${organization.uid}`, {
      token,
      body: { name: "key-maker", capabilities: ["CAP_IAM_KEY_CREATE", "CAP_IAM_KEY_LIST"] },
    });
    expect(role.body).toHaveProperty("uid");
    const maker = await newIdentity(organization, undefined);
    const body = { identityUid: maker.uid, roleUid: role.body.uid };
    expect(
      (await callRest(`/iam/v2/roleBindings/${organization.uid}`, { token, body })).status,
    ).toBe(200);
    const { uid } = await another();
    const refused = await create({}, maker.token, uid);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining("capabilities that you do not have"),
    ]);
    const powerless = await newIdentity(organization, undefined);
    expect((await create({}, maker.token, powerless.uid)).status).toBe(200);
  });

  test("no one for an identity that does not exist, or for a person", async () => {
    const missing = `${organization.uid}/00000000000000ff`;
    expect((await create({}, token, missing)).status).toBe(404);
    expect((await create({}, token, organization.owner.uid)).status).toBe(403);
  });
});

test("a stranger can neither read, list nor delete a key", async () => {
  const { uid } = await newKey(token, (await another()).uid);
  const { token: stranger } = await newUser();
  const path = `/iam/v2/keys/${uid}`;
  expect((await callRest(path, { token: stranger })).status).toBe(403);
  expect((await callRest(path, { token: stranger, method: "DELETE" })).status).toBe(403);
  const listed = await callRest("/iam/v2/keys", { token: stranger });
  expect(listed.body.keys ?? []).toEqual([]);
});

describe("an organization that forbids keys", () => {
  test("creates none, and only an organization can forbid them", async () => {
    const own = await newOrganization();
    const { uid } = await newIdentity(own, "registry.pull");
    const group = `/iam/v2/groups/${own.uid}`;
    const as = own.owner.token;
    const set = await callRest(group, { method: "PATCH", token: as, body: { keysDisabled: true } });
    expect([set.status, set.body.keysDisabled]).toEqual([200, true]);
    const refused = await create({}, as, uid);
    expect(refused.status).toBe(400);
    expect(refused.body.details[1]?.violations?.[0]?.type).toBe("KEYS_DISABLED");
    const below = await callRest(group, { token: as, body: { name: "team", keysDisabled: true } });
    expect([below.status, below.body.message]).toEqual([
      400,
      expect.stringContaining("keys_disabled"),
    ]);
  });
});

/** Quotas: nothing passes one, every way of writing meets it, and only the operator changes it. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  digestOf,
  newImageOf,
  outcome,
  pushBlob,
  putManifest,
  send,
} from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import {
  createResource,
  makeOperator,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";
import { newClient } from "../scim/client.ts";
import {
  eventsIn,
  failureOf,
  grow,
  newOperated,
  newPlace,
  path,
  quotaOf,
  setLimit,
  update,
  usedOf,
} from "./calls.ts";
import { type Kind, kinds, type Place } from "./kinds.ts";

describe("at its quota, an organization gets no more, until it deletes something:", () => {
  for (const [some, tier] of tiers(
    kinds.map((one): [string, Kind] => [one.kind, one]),
    ([kind]) => (kind === "REPOS" || kind === "TAGS" ? kind : "other"),
  ))
    test.for(some)("%s", tier, async ([name, kind]) => {
      const place = await newPlace();
      const { organization } = place;
      const limit = (await usedOf(organization, name)) + 1;
      // The growth prepares what it needs before the limit is reached.
      const last = await kind.grow(place);
      await setLimit(organization, name, limit);
      const made = await grow(place, kind);
      expect([made.status, made.body.message]).toEqual([200, undefined]);
      const before = await eventsIn(organization);
      const { token } = organization.owner;
      const refused = await callRest(last.path, { token, body: last.body });
      expect([refused.status, refused.body.code]).toEqual([429, 8]);
      expect(refused.headers.get("retry-after")).toBeNull();
      const [info, failure] = refused.body.details;
      expect([info.reason, failure]).toEqual([
        "QUOTA_EXCEEDED",
        failureOf(organization.uid, name, limit),
      ]);
      expect(await usedOf(organization, name)).toBe(limit);
      const written = name === "ROLE_BINDINGS" ? 0 : (await eventsIn(organization)) - before;
      expect(written).toBe(0);
      // A lower limit keeps what is there, and deletions work.
      await setLimit(organization, name, 0);
      await deleteOne(place, kind, last.path, made.body);
      await setLimit(organization, name, limit);
      const again = kind.goesWithRepo
        ? await grow(place, kind)
        : await callRest(last.path, { token, body: last.body });
      expect([again.status, again.body.message]).toEqual([200, undefined]);
    });
});

/** Deletes one. If that is only possible with its repository, there is a new one afterwards. */
async function deleteOne(place: Place, kind: Kind, at: string, answer: { uid?: string }) {
  const { uid, owner } = place.organization;
  const { token } = owner;
  const collection = at.split(`/${uid}`)[0];
  const own = kind.goesWithRepo
    ? `/registry/v2/repos/${place.repo}`
    : `${collection}/${answer.uid}`;
  const { path: to, body } = kind.deletion?.(place, answer) ?? { path: own };
  const deleted = await callRest(to, { method: body ? "POST" : "DELETE", token, body });
  expect([deleted.status, deleted.body?.message]).toEqual([200, undefined]);
  if (!kind.goesWithRepo) return;
  const name = randomName("repo");
  place.repo = (await createResource(`/registry/v2/repos/${uid}`, token, { name })).uid;
}

describe("the registry", () => {
  async function world() {
    const organization = await newOperated();
    const token = await registryToken((await newIdentity(organization, "registry.push")).uid);
    const target = { token, name: `${organization.uid}/${randomName("image")}` };
    return { organization, target };
  }

  const pushed = async (target: Parameters<typeof putManifest>[0], tag: string) => {
    const image = newImageOf({ layers: [], annotations: { one: randomName("n") } });
    await pushBlob(target, image.config);
    return putManifest(target, tag, image.text);
  };

  test.for(["MANIFESTS", "TAGS"])(
    "refuses a push over the quota of %s with DENIED",
    async (kind) => {
      const { organization, target } = await world();
      expect((await pushed(target, "one")).status).toBe(201);
      const limit = await usedOf(organization, kind);
      await setLimit(organization, kind, limit);
      const refused = await pushed(target, "two");
      const { errors } = JSON.parse(await refused.clone().text());
      expect(await outcome(refused)).toEqual([403, "DENIED"]);
      const noun = kind.toLowerCase();
      expect(errors[0].message).toContain(
        `at most ${limit} ${noun}, and this call would make it ${limit + 1}`,
      );
      expect(await usedOf(organization, kind)).toBe(limit);
    },
  );

  test("refuses a push that would create a repository over the quota", async () => {
    const { organization, target } = await world();
    await setLimit(organization, "REPOS", 0);
    const begun = send(target, "blobs/uploads/", { method: "POST" });
    expect(await outcome(begun)).toEqual([403, "DENIED"]);
    expect(await usedOf(organization, "REPOS")).toBe(0);
  });

  test("refuses one more open upload with 429, and says when to try again", async () => {
    const { organization, target } = await world();
    await setLimit(organization, "OPEN_UPLOADS", 2);
    const begin = () => send(target, "blobs/uploads/", { method: "POST" });
    const locations = [await begin(), await begin()].map(
      (one) => one.headers.get("location") ?? "",
    );
    const refused = await begin();
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await outcome(refused)).toEqual([429, "TOOMANYREQUESTS"]);
    expect(await usedOf(organization, "OPEN_UPLOADS")).toBe(2);
    await send(target, locations[0] ?? "", { method: "DELETE" });
    expect((await begin()).status).toBe(202);
  });

  test("refuses bytes over the limit that the operator sets over the API", async () => {
    const { organization, target } = await world();
    await setLimit(organization, "REGISTRY_BYTES", 10);
    expect((await quotaOf(organization, "REGISTRY_BYTES")).own).toBe(true);
    const more = { method: "POST", body: new Uint8Array(11) };
    const to = `blobs/uploads/?digest=${digestOf(more.body)}`;
    expect(await outcome(send(target, to, more))).toEqual([403, "DENIED"]);
    const { uid, owner } = organization;
    const usage = await callRest(`/registry/v2/usages/${uid}`, { token: owner.token });
    expect(usage.body.limitBytes).toBe("10");
    const reset = await update(uid, owner.token, "REGISTRY_BYTES", { useDefault: true });
    expect([reset.status, reset.body.limit, reset.body.own]).toEqual([200, undefined, false]);
    expect(await pushBlob(target, new Uint8Array(11))).toMatch(/^sha256:/);
  });
});

test("the bytes of documents have a quota, and a deleted document gives its bytes back", async () => {
  const place = await newPlace();
  const { organization } = place;
  const sboms = kinds.find(({ kind }) => kind === "SBOMS") as Kind;
  await grow(place, sboms);
  const used = await usedOf(organization, "DOCUMENT_BYTES");
  expect(used).toBeGreaterThan(100);
  await setLimit(organization, "DOCUMENT_BYTES", used + 10);
  const refused = await grow(place, sboms);
  expect([refused.status, refused.body.details[0].reason]).toEqual([429, "QUOTA_EXCEEDED"]);
  await deleteOne(place, sboms, "", {});
  expect(await usedOf(organization, "DOCUMENT_BYTES")).toBe(0);
  expect((await grow(place, sboms)).status).toBe(200);
});

test.for(["SCIM_USERS", "SCIM_GROUPS"])("SCIM refuses one more of %s with 403", async (kind) => {
  const client = await newClient();
  await makeOperator(client.organization);
  const one = () =>
    kind === "SCIM_USERS"
      ? client.ask("POST", "/Users", {
          schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
          userName: randomName("ada"),
        })
      : client.ask("POST", "/Groups", {
          schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"],
          displayName: randomName("group"),
        });
  await setLimit(client.organization, kind, 1);
  expect((await one()).status).toBe(201);
  const refused = await one();
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    expect.stringContaining("may have at most 1 scim"),
  ]);
  expect(await usedOf(client.organization, kind)).toBe(1);
});

test("of twenty creates at once, one below the limit, exactly one succeeds", async () => {
  const place = await newPlace();
  const { organization } = place;
  const tags = kinds.find(({ kind }) => kind === "TAGS") as Kind;
  await grow(place, tags);
  await setLimit(organization, "TAGS", 2);
  const all = await Promise.all(Array.from({ length: 20 }, () => grow(place, tags)));
  const made = all.filter(({ status }) => status === 200);
  expect([made.length, await usedOf(organization, "TAGS")]).toEqual([1, 2]);
  for (const { status, body } of all.filter((one) => !made.includes(one))) {
    expect([409, 429]).toContain(status);
    if (status === 429) expect(body.details[0].reason).toBe("QUOTA_EXCEEDED");
  }
});

test("an import that would pass the quota writes none of its records", async () => {
  const { uid, owner } = await newOperated();
  await update(uid, owner.token, "ADVISORIES", { limit: "2" });
  const records = [1, 2, 3].map(() => ({
    id: randomName("OSV"),
    modified: "2026-01-01T00:00:00Z",
    affected: [{ package: { ecosystem: "PyPI", name: randomName("lib") } }],
  }));
  const body = { records };
  const at = `/vulnerabilities/v2/osvRecords/${uid}:import`;
  const refused = await callRest(at, { token: owner.token, body });
  expect([refused.status, refused.body.details[0].reason]).toEqual([429, "QUOTA_EXCEEDED"]);
  expect(await sql("select uid from advisories where parent = ?", uid)).toEqual([]);
  const fewer = await callRest(at, { token: owner.token, body: { records: records.slice(1) } });
  expect(fewer.status).toBe(200);
});

test("tags of all classes count together, and a tag can be renamed at the limit", async () => {
  const { organization, repo } = await newPlace();
  const { token } = organization.owner;
  const create = (name: string) =>
    callRest(`/registry/v2/tags/${repo}`, {
      token,
      body: { name, digest: `sha256:${"a".repeat(64)}` },
    });
  await create("one");
  await setLimit(organization, "TAGS", 1);
  const names = ["1.0-r2", "1-20260101", `sha256-${"a".repeat(64)}`, "plain"];
  for (const name of names) expect([name, (await create(name)).status]).toEqual([name, 429]);
  expect(await usedOf(organization, "TAGS")).toBe(1);
});

describe("a validating call", () => {
  test("reports the quota that the real call would exceed", async () => {
    const place = await newPlace();
    await setLimit(place.organization, "ROLES", 0);
    const roles = kinds.find(({ kind }) => kind === "ROLES") as Kind;
    const checked = await grow(place, roles, "?validateOnly=true");
    expect([checked.status, checked.body.details[0].reason]).toEqual([429, "QUOTA_EXCEEDED"]);
  });

  test("of UpdateQuota changes nothing", async () => {
    const { uid, owner, ...rest } = await newOperated();
    const value = { limit: "7", validateOnly: true };
    const checked = await update(uid, owner.token, "ROLES", value);
    expect([checked.status, checked.body.limit]).toEqual([200, "7"]);
    expect((await quotaOf({ uid, owner, ...rest }, "ROLES")).own).toBe(false);
  });
});

/** The default for groups in a test world (test/world/migrations.ts). */
const wide = String(1000 * 1000);

describe("the limit", () => {
  let organization: Organization;
  let token: string;
  beforeAll(async () => {
    organization = await newOperated();
    ({ token } = organization.owner);
  });

  test("of an organization comes before the default, and leaves other organizations alone", async () => {
    const other = await newOrganization("other");
    const before = await quotaOf(other, "GROUPS");
    await setLimit(organization, "GROUPS", 0);
    expect(await quotaOf(organization, "GROUPS")).toMatchObject({ limit: "0", own: true });
    expect(await quotaOf(other, "GROUPS")).toEqual(before);
    expect(before).toMatchObject({ limit: wide, own: false, used: "0", nearLimit: false });
    const create = (uid: string, as: string) =>
      callRest(`/iam/v2/groups/${uid}`, { token: as, body: { name: randomName("group") } });
    expect((await create(organization.uid, token)).status).toBe(429);
    expect((await create(other.uid, other.owner.token)).status).toBe(200);
    const free = await update(organization.uid, token, "GROUPS", { unlimited: true });
    expect([free.body.limit, free.body.own]).toEqual([undefined, true]);
    expect((await create(organization.uid, token)).status).toBe(200);
    const reset = await update(organization.uid, token, "GROUPS", { useDefault: true });
    expect([reset.body.limit, reset.body.own, reset.body.used]).toEqual([wide, false, "1"]);
  });

  test("can be changed only with the capability of the operator", async () => {
    const owned = await newOrganization("owned");
    const viewer = await newIdentity(owned, "viewer");
    const stranger = await newUser();
    const others = [owned.owner.token, viewer.token, stranger.token, token];
    for (const one of others) {
      expect((await update(owned.uid, one, "ROLES", { unlimited: true })).status).toBe(403);
      const change = {
        method: "PATCH",
        token: one,
        body: { kind: "QUOTA_KIND_ROLES", limit: "9" },
      };
      expect((await callRest(`/iam/v2/defaultQuotas/${owned.uid}`, change)).status).toBe(403);
      const listed = await callRest(`/iam/v2/defaultQuotas/${owned.uid}`, { token: one });
      expect(listed.status).toBe(403);
    }
    expect((await callRest(path(owned.uid), { token: viewer.token })).status).toBe(200);
    expect((await callRest(path(owned.uid), { token: stranger.token })).status).toBe(403);
    expect((await quotaOf(owned, "ROLES")).own).toBe(false);
  });

  test.for([
    [{ kind: "QUOTA_KIND_ROLES" }, "value"],
    [{ kind: "QUOTA_KIND_ROLES", limit: "-1" }, "limit"],
    [{ kind: "QUOTA_KIND_ROLES", limit: "9007199254740992" }, "limit"],
    [{ kind: "QUOTA_KIND_ROLES", unlimited: false }, "unlimited"],
    [{ kind: "QUOTA_KIND_ROLES", useDefault: false }, "use_default"],
    [{ limit: "1" }, "kind"],
    [{ kind: "QUOTA_KIND_OWNED_ORGANIZATIONS", limit: "1" }, "kind"],
  ] as const)("%o is refused with the field", async ([body, field]) => {
    const answer = await callRest(path(organization.uid), { method: "PATCH", token, body });
    expect([answer.status, answer.body.details[1]?.fieldViolations[0].field]).toEqual([400, field]);
  });

  test("of a group below an organization does not exist", async () => {
    const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: randomName("group"),
    });
    expect((await callRest(path(uid), { token })).status).toBe(400);
    expect((await update(uid, token, "ROLES", { limit: "1" })).status).toBe(400);
  });

  test("changes only if the etag is the current one", async () => {
    const { etag } = await quotaOf(organization, "SUBSCRIPTIONS");
    const first = await update(organization.uid, token, "SUBSCRIPTIONS", { limit: "5", etag });
    expect(first.status).toBe(200);
    const second = await update(organization.uid, token, "SUBSCRIPTIONS", { limit: "6", etag });
    expect([second.status, second.body.details[0].reason]).toEqual([409, "ABORTED"]);
    const third = { limit: "6", etag: first.body.etag };
    expect((await update(organization.uid, token, "SUBSCRIPTIONS", third)).status).toBe(200);
  });

  test("is gone with its organization", async () => {
    const { uid, owner } = await newOperated();
    await update(uid, owner.token, "ROLES", { limit: "5" });
    await callRest(`/iam/v2/groups/${uid}`, { method: "DELETE", token: owner.token });
    expect(await sql("select 1 from quotas where organization = ?", uid)).toEqual([]);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import { plantedDigest } from "../../paging/tree.ts";
import {
  createResource,
  makeOperator,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, registryAudience, sql } from "../../world/platform.ts";

let organization: Organization;
let path: string;
beforeEach(async () => {
  organization = await newOrganization();
  path = `/registry/v2/repos/${organization.uid}`;
});

const post = (body: unknown, at = path) => callRest(at, { token: organization.owner.token, body });
const get = (at: string) => callRest(at, { token: organization.owner.token });
const patch = (at: string, body: unknown, token = organization.owner.token) =>
  callRest(at, { method: "PATCH", token, body });
const remove = (at: string) => callRest(at, { method: "DELETE", token: organization.owner.token });

const whole = {
  name: "team/python",
  description: "The language.",
  catalogTier: "CATALOG_TIER_FIPS",
  bundles: ["base", "fips", "application", "byol", "ai", "ai-gpu", "featured"],
  aliases: ["registry.example/python:latest", "python:3"],
  activeTags: ["latest", "3.12"],
  customOverlay: {
    contents: {
      packages: ["curl"],
      runtimeRepositories: ["https://apk.example"],
      runtimeKeyring: [{ name: "k.pub", content: "PEM" }],
    },
    environment: { PATH: "/bin", VENDORED: "1" },
    annotations: { "dev.vendored": "1", "org.example": "2" },
    accounts: {
      runAs: "app",
      users: [
        { username: "app", uid: 1, gid: 2, groupName: "g", shell: "/bin/sh", homeDir: "/app" },
      ],
      groups: [{ groupname: "g", gid: 2, members: ["app"] }],
    },
    certificates: { additional: [{ name: "ca.pem", content: "PEM" }], providers: ["ca"] },
  },
};

test("a repository can be read back by its uid, with every field it was created with", async () => {
  const { status, body } = await post(whole);
  expect(status).toBe(200);
  expect(body).toEqual({
    ...whole,
    uid: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
    createTime: body.updateTime,
    updateTime: expect.any(String),
    etag: expect.any(String),
  });
  expect((await get(`/registry/v2/repos/${body.uid}`)).body).toEqual(body);
  const listed = await get(`/registry/v2/repos?name=${encodeURIComponent(whole.name)}`);
  expect(listed.body.repos).toEqual([body]);
});

test("the body can be in snake_case, and unknown keys are dropped on create", async () => {
  const { status, body } = await post({
    name: "r",
    active_tags: ["1"],
    custom_overlay: { accounts: { run_as: "u", colour: 1 } },
    colour: "red",
  });
  expect(status).toBe(200);
  expect([body.activeTags, body.customOverlay]).toEqual([["1"], { accounts: { runAs: "u" } }]);
});

test("a client cannot set the fields that the server sets", async () => {
  const { body } = await post({
    name: "r",
    uid: `${organization.uid}/00000000000000ff`,
    createTime: "2000-01-01T00:00:00Z",
    updateTime: "2000-01-01T00:00:00Z",
  });
  expect(body.uid).not.toContain("00000000000000ff");
  expect(Date.parse(body.createTime)).toBeGreaterThan(Date.now() - 60_000);
});

describe("the custom overlay", () => {
  test.each([
    [{ environment: { VENDOR_KEY: "1" } }, "custom_overlay.environment"],
    [{ annotations: { "dev.vendor.x": "1" } }, "custom_overlay.annotations"],
    [{ annotations: { "org.opencontainers.image.title": "1" } }, "custom_overlay.annotations"],
  ])("rejects names of the operator: %j", async (customOverlay, field) => {
    const refused = await post({ name: "r", customOverlay });
    expect([refused.status, refused.body.details[1].fieldViolations[0].field]).toEqual([
      400,
      field,
    ]);
    const repo = await createResource(path, organization.owner.token, { name: "r" });
    const at = `/registry/v2/repos/${repo.uid}`;
    const changed = await patch(at, { customOverlay });
    expect([changed.status, changed.body.details[1].fieldViolations[0].field]).toEqual([
      400,
      field,
    ]);
    expect((await get(at)).body).toEqual(repo);
  });
});

describe("sync_config", () => {
  const newSource = () =>
    createResource(path, organization.owner.token, {
      name: randomName("source"),
      description: "of the source",
      bundles: ["base"],
      activeTags: ["9"],
    });

  test("has its JSON key in both directions, and syncConfig is not a key", async () => {
    const { uid } = await newSource();
    const sync_config = { source: uid, google: "g", amazon: "a", azure: "z" };
    const { body } = await post({ name: randomName("r"), sync_config });
    expect(body.sync_config).toMatchObject({ ...sync_config, uniqueTags: false });
    expect(body).not.toHaveProperty("syncConfig");
    const other = await post({ name: randomName("s"), syncConfig: sync_config });
    expect(other.body).not.toHaveProperty("sync_config");
    const refused = await patch(`/registry/v2/repos/${body.uid}`, { syncConfig: null });
    expect(refused.status).toBe(400);
    expect((await get(`/registry/v2/repos/${body.uid}`)).body).toEqual(body);
  });

  test("a source sent by name is returned by uid, for 14 days, with its inherited fields", async () => {
    const source = await newSource();
    await sql("update groups set verified = 1 where uid = ?", organization.uid);
    for (const text of [
      `${organization.name}/${source.name}`,
      `${registryAudience}/${organization.name}/${source.name}`,
    ]) {
      const { body } = await post({ name: randomName("r"), sync_config: { source: text } });
      expect(body.sync_config.source).toBe(source.uid);
      const days = Date.parse(body.sync_config.expirationTime) - Date.parse(body.createTime);
      expect(days).toBe(14 * 24 * 3600 * 1000);
      expect(body).toMatchObject({
        description: "of the source",
        bundles: ["base"],
        activeTags: ["9"],
      });
    }
  });

  test("a source that the caller cannot pull has the error of one that does not exist", async () => {
    const other = await newOrganization();
    const theirs = await createResource(`/registry/v2/repos/${other.uid}`, other.owner.token, {
      name: "r",
    });
    const foreign = await post({ name: "x", sync_config: { source: theirs.uid } });
    const unknown = await post({
      name: "x",
      sync_config: { source: `${other.uid}/0123456789abcdef` },
    });
    expect(foreign.status).toBe(403);
    expect(withoutDecisionId(foreign.body)).toBe(withoutDecisionId(unknown.body));
  });

  test.each([
    ["catalogTier", "CATALOG_TIER_AI", "catalog_tier"],
    ["bundles", ["ai"], "bundles"],
    ["aliases", ["x:y"], "aliases"],
    ["activeTags", ["8"], "active_tags"],
  ])("a synced repo has its source's %s", async (key, value, field) => {
    const { uid: source } = await newSource();
    const repo = await createResource(path, organization.owner.token, {
      name: randomName("r"),
      sync_config: { source },
    });
    const at = `/registry/v2/repos/${repo.uid}`;
    const refused = await patch(at, { [key]: value });
    expect([refused.status, refused.body.details[1].fieldViolations[0].field]).toEqual([
      400,
      field,
    ]);
    expect((await get(at)).body).toEqual(repo);
    expect((await patch(at, { description: "mine", bundles: ["base"] })).status).toBe(200);
    expect((await patch(at, { sync_config: null, [key]: value })).body[key]).toEqual(value);
  });
});

describe("names", () => {
  test("are unique in a group and free in another group", async () => {
    const { token } = organization.owner;
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
    await createResource(path, token, { name: "r" });
    expect((await post({ name: "r" })).status).toBe(409);
    expect((await post({ name: "r" }, `/registry/v2/repos/${group.uid}`)).status).toBe(200);
  });

  test.each(["a", "a.b", "a_b", "a__b", "a---b", "a/b/c", "0", "x".repeat(255)])(
    "the name %j is accepted",
    async (name) => {
      expect((await post({ name })).body.name).toBe(name);
    },
  );

  test.each(["", "A", "-a", "a-", "a..b", "a___b", "/a", "a/", "a b", "a:b", "é"])(
    "the name %j is rejected",
    async (name) => {
      expect((await post({ name })).status).toBe(400);
    },
  );
});

describe("the deletion of a repository", () => {
  test("returns an empty body and deletes its tags and manifests, and the history stays", async () => {
    const { token } = organization.owner;
    const repo = await createResource(path, token, { name: "r" });
    const tag = await createResource(`/registry/v2/tags/${repo.uid}`, token, {
      name: "latest",
      digest: plantedDigest(1),
    });
    await createResource(`/registry/v2/manifests/${repo.uid}`, token, {
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      content: btoa(JSON.stringify({ config: { size: 1 }, layers: [] })),
    });
    const gone = await remove(`/registry/v2/repos/${repo.uid}`);
    expect([gone.status, gone.body]).toEqual([200, undefined]);
    expect((await get(`/registry/v2/repos/${repo.uid}`)).status).toBe(404);
    expect((await get(`/registry/v2/tags/${tag.uid}`)).status).toBe(404);
    expect(await sql("select uid from manifests where parent = ?", repo.uid)).toEqual([]);
    const totals = await get(`/registry/v2/tags?uidp.descendants_of=${organization.uid}`);
    expect(totals.body.totalCount).toBe("0");
    expect(await sql("select digest from tag_moves where repo_uid = ?", repo.uid)).toEqual([
      { digest: plantedDigest(1) },
      { digest: "" },
    ]);
    expect((await remove(`/registry/v2/repos/${repo.uid}`)).status).toBe(404);
    expect((await post({ name: "r" })).status).toBe(200);
  });
});

describe("the readme", () => {
  test("is read separately from the repository, and only the operator writes it", async () => {
    const { token } = organization.owner;
    const repo = await createResource(path, token, { name: "r" });
    const at = `/registry/v2/repos/${repo.uid}/readme`;
    const empty = await get(at);
    expect(empty.body.uid).toBe(repo.uid);
    expect(empty.body).not.toHaveProperty("content");
    const refused = await patch(at, { content: "# Python" });
    expect([refused.status, refused.body.code]).toEqual([403, 7]);
    expect(refused.body.message).toContain("repo.internal.admin");
    await makeOperator(organization);
    const written = await patch(at, { content: "# Python\n" });
    expect([written.status, written.body.content]).toEqual([200, "# Python\n"]);
    expect((await get(at)).body).toEqual(written.body);
    expect((await get(`/registry/v2/repos/${repo.uid}`)).body).not.toHaveProperty("readme");
    expect((await patch(at, { content: "" })).body).not.toHaveProperty("content");
  });
});

import { Code } from "@connectrpc/connect";
import { beforeEach, describe, expect, test } from "vitest";
import { Registry } from "../../../schema/gen/platform/registry/registry_pb.js";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, clientOf, sql } from "../../world/platform.ts";

const v1 = "/registry/v1/repos";
const v2 = "/registry/v2/repos";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const post = (body: unknown, query = "") =>
  callRest(`${v1}/${organization.uid}${query}`, { token, body });
const put = (id: string, body: unknown) => callRest(`${v1}/${id}`, { method: "PUT", token, body });
const get = (path: string) => callRest(path, { token });
const items = async (query: string) => (await get(`${v1}?${query}`)).body.items;
const read = async (id: string) => (await items(`id=${id}`))[0];
const fieldOf = ({ body }: { body: { details: { fieldViolations: { field: string }[] }[] } }) =>
  body.details[1]?.fieldViolations[0]?.field;
const events = () =>
  sql<{ type: string; body_type: string; data: string }>(
    "select type, body_type, data from events where group_uid = ? and type like '%registry%' order by rowid",
    organization.uid,
  );

/** Everything that a client of version 1 can set. */
const whole = {
  name: "team/python",
  description: "The language.",
  catalogTier: "COMMERCIAL",
  bundles: ["base", "fips"],
  readme: "# Python\n\nA language.",
  aliases: ["registry.example/python:latest", "python:3"],
  activeTags: ["latest", "3.12"],
  customOverlay: {
    contents: {
      packages: ["curl"],
      runtimeRepositories: ["https://apk.example"],
      runtimeKeyring: [{ name: "k.pub", content: "PEM" }],
    },
    environment: { PATH: "/bin" },
    annotations: { "org.example": "2" },
    accounts: {
      runAs: "app",
      users: [
        { uid: 1, userName: "app", gid: 2, groupName: "g", shell: "/bin/sh", homeDir: "/app" },
      ],
      groups: [{ gid: 2, groupName: "g", members: ["app"] }],
    },
    certificates: { additional: [{ name: "ca.pem", content: "PEM" }], providers: ["ca"] },
  },
};

/** The same values in the names of version 2. */
const { readme, ...withoutReadme } = whole;
const wholeInV2 = {
  ...withoutReadme,
  catalogTier: "CATALOG_TIER_COMMERCIAL",
  customOverlay: {
    ...whole.customOverlay,
    accounts: {
      runAs: "app",
      users: [
        { uid: 1, username: "app", gid: 2, groupName: "g", shell: "/bin/sh", homeDir: "/app" },
      ],
      groups: [{ gid: 2, groupname: "g", members: ["app"] }],
    },
  },
};

test("repositories that version 1 writes can be read by both versions, with every field", async () => {
  const { status, body } = await post(whole);
  expect(status).toBe(200);
  expect(body).toEqual({ ...whole, id: expect.any(String), createTime: expect.any(String) });
  expect(body.id).toMatch(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`));
  expect(await read(body.id)).toEqual(body);
  expect((await get(`${v2}/${body.id}`)).body).toMatchObject({ ...wholeInV2, uid: body.id });
  const readmeInV2 = (await get(`${v2}/${body.id}/readme`)).body;
  expect(readmeInV2).toMatchObject({ content: readme, updateTime: body.createTime });
});

test("repositories that version 2 writes can be read by version 1", async () => {
  const { uid } = await createResource(`${v2}/${organization.uid}`, token, wholeInV2);
  const { id: _, createTime: __, ...rest } = await read(uid);
  expect(rest).toEqual(withoutReadme);
});

test.each([
  ["APPLICATION", "CATALOG_TIER_APPLICATION"],
  ["BASE", "CATALOG_TIER_BASE"],
  ["FIPS", "CATALOG_TIER_FIPS"],
  ["AI", "CATALOG_TIER_AI"],
  ["DEVTOOLS", "CATALOG_TIER_DEVTOOLS"],
  ["COMMERCIAL", "CATALOG_TIER_COMMERCIAL"],
])("tier %s is %s in version 2", async (catalogTier, inV2) => {
  const { body } = await post({ name: "r", catalogTier });
  expect(body.catalogTier).toBe(catalogTier);
  expect((await get(`${v2}/${body.id}`)).body.catalogTier).toBe(inV2);
});

describe("a create with the name of an existing repository", () => {
  test("replaces all its fields, and keeps its id and create time", async () => {
    const first = (await post(whole)).body;
    const { status, body } = await post({ name: whole.name, description: "Other." });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: first.id,
      name: whole.name,
      description: "Other.",
      createTime: first.createTime,
    });
    expect(await items(`uidp.childrenOf=${organization.uid}`)).toEqual([body]);
    expect((await get(`${v2}/${body.id}/readme`)).body).not.toHaveProperty("content");
  });

  test("accepts a synced repository without the fields of its source", async () => {
    const source = (await post({ ...whole, name: "source" })).body;
    const body = { name: "copy", sync_config: { source: source.id } };
    const first = (await post(body)).body;
    const { bundles, aliases, activeTags, catalogTier } = whole;
    expect(first).toMatchObject({ bundles, aliases, activeTags, catalogTier });
    const again = await post(body);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ bundles, aliases, activeTags, catalogTier });
    const differing = await post({ ...body, bundles: ["ai"] });
    expect([differing.status, fieldOf(differing)]).toEqual([400, "bundles"]);
    const parted = await put(first.id, { name: "copy" });
    expect(parted.body).toEqual({ id: first.id, name: "copy", createTime: first.createTime });
  });
});

describe("a PUT", () => {
  test("resets the fields that it leaves out, including the readme", async () => {
    const { id, createTime } = (await post(whole)).body;
    const { status, body } = await put(id, { name: "bare" });
    expect(status).toBe(200);
    expect(body).toEqual({ id, name: "bare", createTime });
    expect(await read(id)).toEqual(body);
  });

  test("with the fields as they were read changes nothing", async () => {
    const source = (await post({ ...whole, name: "source" })).body;
    const sync_config = { source: source.id, google: "g", amazon: "a", azure: "z" };
    const made = (await post({ ...whole, sync_config })).body;
    expect(made.sync_config).toEqual({
      ...sync_config,
      uniqueTags: false,
      syncApks: false,
      gracePeriod: false,
      expiration: expect.any(String),
    });
    const before = (await get(`${v2}/${made.id}`)).body;
    const number = (await events()).length;
    const { body } = await put(made.id, made);
    expect(body).toEqual(made);
    expect((await get(`${v2}/${made.id}`)).body).toEqual(before);
    expect(await events()).toHaveLength(number);
  });

  test("keeps the sync settings that version 2 leaves to the server, and resets others that it leaves out", async () => {
    const source = (await post({ ...whole, name: "source" })).body;
    const set = { uniqueTags: true, gracePeriod: true, apkoOverlay: "x: 1" };
    const sync_config = { source: source.id, expiration: "2031-02-03T04:05:06.789Z", ...set };
    const made = (await post({ name: "copy", sync_config })).body;
    expect(made.sync_config).toEqual({ ...sync_config, syncApks: false });
    expect(await read(made.id)).toMatchObject({ sync_config });
    const { expiration: expirationTime, ...same } = sync_config;
    expect((await get(`${v2}/${made.id}`)).body.sync_config).toEqual({ ...same, expirationTime });
    const less = { source: source.id };
    const after = (await put(made.id, { name: "copy", sync_config: less })).body.sync_config;
    const reset = { uniqueTags: false, gracePeriod: false, syncApks: false };
    expect(after).toEqual({ ...less, ...reset, expiration: sync_config.expiration });
    const later = { ...sync_config, expiration: "2032-01-01T00:00:00.000Z" };
    const moved = await put(made.id, { name: "copy", sync_config: later });
    expect(moved.body.sync_config.expiration).toBe(later.expiration);
    const { uid } = await createResource(`${v2}/${organization.uid}`, token, { name: "other" });
    const other = { source: uid };
    const anew = (await put(made.id, { name: "copy", sync_config: other })).body.sync_config;
    const days = (Date.parse(anew.expiration) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(14);
  });

  test("rejects an invalid expiration over gRPC, and a configuration that is too long", async () => {
    const source = (await post({ name: "source" })).body.id;
    const client = clientOf(Registry, token);
    for (const [seconds, nanos] of [
      [253_402_300_800n, 0],
      [-62_135_596_801n, 0],
      [0n, -1],
      [0n, 1_000_000_000],
    ] as const) {
      const syncConfig = { source, expiration: { seconds, nanos } };
      const call = client.createRepo({
        parentId: organization.uid,
        repo: { name: "copy", syncConfig },
      });
      await expect(call).rejects.toMatchObject({
        code: Code.InvalidArgument,
        message: expect.stringContaining("sync_config.expiration"),
      });
    }
    const refused = await post({
      name: "copy",
      sync_config: { source, apkoOverlay: "x".repeat(65_537) },
    });
    expect([refused.status, fieldOf(refused)]).toEqual([400, "sync_config.apko_overlay"]);
    expect(await items("name=copy")).toBeUndefined();
  });

  test("changes the readme's own time only if the readme differs", async () => {
    const { id } = (await post(whole)).body;
    const time = async () => (await get(`${v2}/${id}/readme`)).body.updateTime;
    const before = await time();
    await put(id, { ...whole, description: "Other." });
    expect(await time()).toBe(before);
    await put(id, { ...whole, readme: "Other." });
    expect(Date.parse(await time())).toBeGreaterThan(Date.parse(before));
  });
});

describe("an error uses the names of version 1", () => {
  const user = { userName: "u" };
  test.each([
    [{ readme: "<script>x</script>" }, "readme"],
    [{ readme: "x".repeat(524_289) }, "readme"],
    [{ catalogTier: 1 }, "catalog_tier"],
    [{ catalogTier: 10 }, "catalog_tier"],
    [{ bundles: ["x"] }, "bundles[0]"],
    [{ sync_config: { source: "x", syncApks: true } }, "sync_config.sync_apks"],
    [{ sync_config: {} }, "sync_config.source"],
    [
      { customOverlay: { accounts: { users: [user, {}] } } },
      "custom_overlay.accounts.users[1].user_name",
    ],
    [
      { customOverlay: { accounts: { groups: [{}] } } },
      "custom_overlay.accounts.groups[0].group_name",
    ],
    [
      { customOverlay: { accounts: { users: [{ ...user, uid: 2 ** 31 }] } } },
      "custom_overlay.accounts.users[0].uid",
    ],
    [
      { customOverlay: { accounts: { users: [{ ...user, gid: 2 ** 31 }] } } },
      "custom_overlay.accounts.users[0].gid",
    ],
    [
      { customOverlay: { accounts: { groups: [{ groupName: "g", gid: 2 ** 31 }] } } },
      "custom_overlay.accounts.groups[0].gid",
    ],
    [{ customOverlay: { environment: { VENDOR_X: "1" } } }, "custom_overlay.environment"],
  ])("%j names %s, and nothing is written", async (fields, field) => {
    const refused = await post({ name: "r", ...fields });
    expect([refused.status, fieldOf(refused)]).toEqual([400, field]);
    expect(refused.body.message).toContain(field);
    expect(await items(`uidp.childrenOf=${organization.uid}`)).toBeUndefined();
    const { body } = await post({ name: "r" });
    const unchanged = await put(body.id, { name: "r", ...fields });
    expect([unchanged.status, fieldOf(unchanged)]).toEqual([400, field]);
    expect(await read(body.id)).toEqual(body);
  });
});

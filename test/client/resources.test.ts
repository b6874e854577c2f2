/** The standard methods of the client, called on the platform. */
import { createClient, NotFound, PermissionDenied, Unauthenticated } from "platform-api/client";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { newOrganization, type Organization, randomName, roleUid } from "../world/personas.ts";
import { baseUrl, sql } from "../world/platform.ts";
import { clientOf } from "./calls.ts";

let org: Organization;
let client: ReturnType<typeof clientOf>;
beforeAll(async () => {
  org = await newOrganization();
  client = clientOf(org.owner.token);
});

const newRepo = (more = {}) =>
  client.repos.create(org.uid, { name: randomName("repo"), description: "before", ...more });

test("a created resource can be read by its uid, and no longer after its deletion", async () => {
  const made = await newRepo();
  expect(await client.repos.get(made.uid)).toEqual(made);
  expect(await client.repos.delete(made.uid)).toBeUndefined();
  await expect(client.repos.get(made.uid)).rejects.toBeInstanceOf(NotFound);
});

test("a write that a tag rule refuses is made with a reason", async () => {
  const { uid } = await newRepo();
  await client.tagRules.create(uid, { name: "once", keep: { writeOnce: true } });
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
  const tag = await client.tags.create(uid, { name: "v1", digest: digest("a") });
  const moved = { name: "v1", digest: digest("b") };
  await expect(client.tags.create(uid, moved)).rejects.toThrow(/can be set only once/);
  const reason = { overrideReason: "urgent" };
  expect(await client.tags.create(uid, moved, reason)).toMatchObject(moved);
  await expect(client.tags.delete(tag.uid)).rejects.toThrow(/cannot be deleted/);
  expect(await client.tags.delete(tag.uid, reason)).toBeUndefined();
});

test("an organization is created without a parent", async () => {
  const name = randomName("org");
  const { uid } = await client.groups.create("", { name });
  expect(uid).toMatch(/^[0-9a-f]{40}$/);
  expect((await client.groups.get(uid)).name).toBe(name);
});

describe("an update", () => {
  test("without a mask changes the members that are present", async () => {
    const { uid, name } = await newRepo({ aliases: ["docker.io/a:1"] });
    const changed = await client.repos.update(uid, { description: "after", name: undefined });
    expect(changed).toMatchObject({ name, description: "after", aliases: ["docker.io/a:1"] });
  });

  test.each([
    ["an empty text", { description: "" }, "description"],
    ["null", { description: null }, "description"],
    ["an empty list", { aliases: [] }, "aliases"],
    ["null for a list", { aliases: null }, "aliases"],
    ["null for a message", { customOverlay: null }, "customOverlay"],
  ] as const)("an update clears a member with %s", async (_, changes, member) => {
    const customOverlay = { contents: { packages: ["curl"] } };
    const { uid } = await newRepo({ aliases: ["docker.io/a:1"], customOverlay });
    expect(await client.repos.get(uid)).toHaveProperty(member);
    expect(await client.repos.update(uid, changes)).not.toHaveProperty(member);
    expect(await client.repos.get(uid)).not.toHaveProperty(member);
  });

  test("changes one member of a nested one and leaves its siblings", async () => {
    const { uid } = await client.identities.create(org.uid, {
      name: randomName("bot"),
      claimMatch: { issuer: "https://issuer.example", subject: "one" },
    });
    const { claimMatch } = await client.identities.update(uid, { claimMatch: { subject: "two" } });
    expect(claimMatch).toEqual({ issuer: "https://issuer.example", subject: "two" });
  });

  test("with a mask changes the named members and nothing else", async () => {
    const { uid, name } = await newRepo();
    const changes = { name: "ignored", description: "after" };
    const masked = await client.repos.update(uid, changes, { updateMask: ["description"] });
    expect(masked).toMatchObject({ name, description: "after" });
    const cleared = await client.repos.update(uid, { name }, { updateMask: ["*"] });
    expect(cleared).not.toHaveProperty("description");
  });

  test("accepts a resource as it was returned", async () => {
    const made = await newRepo();
    const { createTime, updateTime, uid, ...own } = made;
    const changed = await client.repos.update(uid, { ...own, description: "after" });
    expect(changed).toMatchObject({ uid, createTime, description: "after" });
    expect(updateTime < changed.updateTime).toBe(true);
  });

  test("rejects an empty mask, because the platform would read it as none", async () => {
    const { uid } = await newRepo();
    await expect(client.repos.update(uid, {}, { updateMask: [] })).rejects.toThrow(TypeError);
  });
});

test("the readme is changed through the repo that its request names", async () => {
  const { uid } = await newRepo();
  await sql("update repos set readme = '# hello' where uid = ?", uid);
  expect((await client.repos.getRepoReadme({ uid })).content).toBe("# hello");
  const repoReadme = { uid, content: "# other" };
  const refused = client.repos.updateRepoReadme({ repoReadme });
  await expect(refused).rejects.toThrow(/repo\.internal\.admin/);
  await expect(refused).rejects.toBeInstanceOf(PermissionDenied);
});

test("a batch is created from its request", async () => {
  const { uid: identityUid } = await client.identities.create(org.uid, { name: randomName("bot") });
  const { roleBindings } = await client.roleBindings.batchCreateRoleBindings({
    parent: org.uid,
    requests: [{ roleBinding: { identityUid, roleUid: await roleUid("viewer") } }],
  });
  expect(roleBindings?.map(({ role }) => role?.name)).toEqual(["viewer"]);
});

test("a document is returned as JSON", async () => {
  await client.osvRecords.importOsvRecords({
    parent: org.uid,
    records: [
      {
        id: "SAMPLE-7",
        modified: "2026-01-01T00:00:00Z",
        affected: [{ package: { ecosystem: "PyPI", name: "sample" } }],
      },
    ],
  });
  const [advisory] = await client.advisories.list({ childrenOf: org.uid }).all();
  const uid = advisory?.uid ?? "";
  const exported = await client.advisoryExports.exportAdvisory({ uid, format: "osv" });
  expect(exported).toMatchObject({ id: "SAMPLE-7" });
});

test("a diagnosis returns the checks of the token and the identities", async () => {
  const { uid } = await client.identities.create(org.uid, { name: randomName("bot") });
  const diagnosis = await client.tokenDiagnosis.diagnoseToken({
    uid: org.uid,
    identityUid: uid,
    claims: { iss: "https://issuer.example", sub: "one" },
  });
  expect(diagnosis.identities?.map((one) => one.uid)).toEqual([uid]);
  expect(diagnosis.checks?.map(({ kind }) => kind)).toContain("TOKEN_CHECK_KIND_SIGNATURE");
});

test("reports of images, whose request no query can express, are requested too", async () => {
  const reports = client.securityAdvisory.listResolvedVulnsReports({
    imageRefs: [{ repo: "hello" }],
    startTime: "2026-01-01T00:00:00Z",
    endTime: "2026-02-01T00:00:00Z",
  });
  expect(await reports.page()).toEqual({ rows: [], totalCount: 0, skipped: 0 });
});

test("without a token, only public data is returned", async () => {
  const anyone = createClient({ url: `${baseUrl()}/` });
  expect(await anyone.ping.ping()).toEqual({ response: "pong" });
  await expect(anyone.repos.list().page()).rejects.toBeInstanceOf(Unauthenticated);
});

describe("a request that would reach another operation is not sent:", () => {
  test.each(["", ".", ".."])("the uid %j", async (uid) => {
    await expect(client.repos.get(uid)).rejects.toThrow(TypeError);
    await expect(client.repos.delete(uid)).rejects.toThrow(TypeError);
  });

  test.each(["../groups", "x/readme", "x?name=y", "x#y", "%2e%2e/groups", "x:export"])(
    "the uid %j stays a uid, and is rejected as one",
    async (uid) => {
      const refused = client.repos.get(uid);
      await expect(refused).rejects.toMatchObject({ fieldViolations: [{ field: "uid" }] });
    },
  );

  test("a member that the operation does not have", async () => {
    const request = { descendentsOf: org.uid };
    // @ts-expect-error: no such member
    await expect(client.repos.list(request).page()).rejects.toThrow(
      "ListRepos has no member descendentsOf; its members are: descendantsOf,",
    );
  });

  test("a place that does not exist, because the platform would ignore it", async () => {
    const listed = client.call("repos.list", { uidp: { childOf: org.uid } });
    await expect(listed).rejects.toThrow(
      "uidp has no member childOf; its members are: descendantsOf,",
    );
  });

  test("an empty filter, because the platform would read it as none", async () => {
    const below = client.repos.list({ descendantsOf: "" });
    await expect(below.page()).rejects.toThrow("uidp.descendantsOf is empty");
    await expect(client.repos.list({ ids: [] }).page()).rejects.toThrow("uidp.ids is empty");
    const listed = client.artifacts.list({ ecosystems: [] });
    await expect(listed.all()).rejects.toThrow("ecosystems is empty");
  });

  test("a group with a missing parent, because it would become an organization", async () => {
    const parent = undefined as unknown as string;
    await expect(client.groups.create(parent, { name: randomName("team") })).rejects.toThrow(
      "parent must be a string",
    );
  });

  test("an operation that does not exist", async () => {
    await expect(client.call("repos.burn" as "repos.get")).rejects.toThrow("repos.burn");
    await expect(client.call("toString" as "repos.get")).rejects.toThrow(TypeError);
  });
});

test("the types describe responses and requests", () => {
  expectTypeOf(client.repos.get).returns.resolves.toHaveProperty("name").toEqualTypeOf<string>();
  expectTypeOf(client.repos.list().all)
    .returns.resolves.items.toHaveProperty("uid")
    .toEqualTypeOf<string>();
  expectTypeOf(client.repos.delete).returns.resolves.toEqualTypeOf<void>();
  type Made = Parameters<typeof client.repos.create>[1];
  expectTypeOf<Made>().toHaveProperty("name");
  expectTypeOf<Made>().not.toHaveProperty("createTime");
  expectTypeOf<Made>().not.toHaveProperty("uid");
  type Invite = Awaited<ReturnType<typeof client.groupInvites.get>>;
  expectTypeOf<Invite>().not.toHaveProperty("ttl");
});

import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

let organization: Organization;
let token: string;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization("image-hold");
  ({ token } = organization.owner);
  repo = await newRepo();
});

const at = "/registry/v2/imageHolds";
const digests = [fakeDigest("one"), `sha512:${"a".repeat(128)}`];
const newRepo = async () =>
  (
    await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: randomName("repo"),
    })
  ).uid;
const newOne = (name = randomName("hold"), parent = repo) =>
  createResource(`${at}/${parent}`, token, { name, digests });
const create = (body: object, parent = repo, as = token) =>
  callRest(`${at}/${parent}`, { token: as, body });
const holdsOf = (parent: string) =>
  sql<{ name: string }>("select name from image_holds where parent = ?", parent);

describe("an image hold", () => {
  test("has its name, its digests, its times and a uid below its repository", async () => {
    const made = await newOne("apps/prod.lock");
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
      name: "apps/prod.lock",
      digests,
      createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      updateTime: made.createTime,
      etag: expect.stringMatching(/^"ImageHold-[\w-]+"$/),
    });
    expect((await callRest(`${at}/${made.uid}`, { token })).body).toEqual(made);
  });

  test("keeps the fields that an update does not name", async () => {
    const made = await newOne();
    const changed = [fakeDigest("two")];
    const { status, body } = await callRest(`${at}/${made.uid}`, {
      method: "PATCH",
      token,
      body: { digests: changed },
    });
    expect(status).toBe(200);
    const { updateTime, etag } = body;
    expect(body).toEqual({ ...made, digests: changed, updateTime, etag });
    expect(etag).not.toBe(made.etag);
    expect(Date.parse(body.updateTime)).toBeGreaterThan(Date.parse(String(made.updateTime)));
  });

  test("cannot have the name of another one in its repository, and can in another repository", async () => {
    const { name } = await newOne();
    const again = await create({ name, digests });
    expect([again.status, again.body.code]).toEqual([409, 6]);
    expect((await create({ name, digests }, await newRepo())).status).toBe(200);
  });

  test("is in the list of its repository, and of the group above, by its name", async () => {
    const made = await newOne();
    for (const scope of [`children_of=${repo}`, `descendants_of=${organization.uid}`]) {
      const { body } = await callRest(`${at}?uidp.${scope}&name=${made.name}`, { token });
      expect([body.imageHolds, body.totalCount]).toEqual([[made], "1"]);
    }
  });

  test("no longer exists after its deletion, and a second deletion returns NOT_FOUND", async () => {
    const { uid } = await newOne();
    const gone = await callRest(`${at}/${uid}`, { method: "DELETE", token });
    expect(gone.status).toBe(200);
    expect((await callRest(`${at}/${uid}`, { token })).status).toBe(404);
    expect((await callRest(`${at}/${uid}`, { method: "DELETE", token })).status).toBe(404);
  });

  test("is in a repository, and not in a group", async () => {
    const { status, body } = await create({ name: "prod", digests }, organization.uid);
    expect([status, body.code]).toEqual([404, 5]);
  });
});

const many = (count: number) => Array.from({ length: count }, (_, at) => fakeDigest(`${at}`));

test.each([
  ["without digests", { name: "bad", digests: [] }],
  ["with 501 digests", { name: "bad", digests: many(501) }],
  ["with a digest twice", { name: "bad", digests: [fakeDigest("a"), fakeDigest("a")] }],
  ["with a tag instead of a digest", { name: "bad", digests: ["latest"] }],
  ["with a name that begins with a slash", { name: "/bad", digests }],
  ["with a name of 129 characters", { name: "b".repeat(129), digests }],
])("a hold %s is refused", async (_, body) => {
  const answer = await create(body);
  expect([answer.status, answer.body.code]).toEqual([400, 3]);
});

test("a hold can have 500 digests and a name of 128 characters", async () => {
  const body = { name: "b".repeat(128), digests: many(500) };
  expect((await create(body)).body).toMatchObject(body);
});

describe("a repository", () => {
  test("takes 100 holds and no more, also if several come at once", async () => {
    const full = await newRepo();
    const rows = Array.from(
      { length: 98 },
      (_, at) => `${full}/${at.toString(16).padStart(16, "0")}`,
    );
    await sql(
      `insert into image_holds (uid, name, digests, create_time, update_time)
       select value, substr(value, -16), '["sha256:a"]', 1, 1 from json_each(?)`,
      JSON.stringify(rows),
    );
    const names = Array.from({ length: 6 }, (_, at) => `hold-${at}`);
    const answers = await Promise.all(names.map((name) => create({ name, digests }, full)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400, 400, 400]);
    expect(await holdsOf(full)).toHaveLength(100);
    const { body } = answers.find(({ status }) => status === 400) ?? {};
    expect([body.code, body.message]).toEqual([
      9,
      "Precondition failed: the repository already has 100 image holds",
    ]);
    expect(JSON.stringify(body.details)).toContain("TOO_MANY_HOLDS");
  });

  test("takes its holds with it when it is deleted", async () => {
    const [doomed, other] = [await newRepo(), await newRepo()];
    for (const parent of [doomed, other]) await newOne("prod", parent);
    const gone = await callRest(`/registry/v2/repos/${doomed}`, { method: "DELETE", token });
    expect(gone.status).toBe(200);
    expect([await holdsOf(doomed), await holdsOf(other)]).toEqual([[], [{ name: "prod" }]]);
  });

  test("keeps no image from a deletion by hand", async () => {
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const content = btoa(JSON.stringify({ mediaType, config: { size: 1 }, layers: [] }));
    const path = `/registry/v2/manifests/${repo}`;
    const { uid, digest } = await createResource(path, token, { mediaType, content });
    await createResource(`${at}/${repo}`, token, { name: "by-hand", digests: [digest] });
    const deletion = { method: "DELETE", token } as const;
    expect((await callRest(`/registry/v2/manifests/${uid}`, deletion)).status).toBe(200);
  });
});

test.each([
  ["owner", true],
  ["editor", true],
  ["viewer", false],
  ["console_viewer", false],
  ["limited_owner", false],
  ["registry.pull", false],
  ["registry.push", false],
  ["registry.pull_token_creator", false],
])("the role %s reads holds, and may write them: %s", async (role, writes) => {
  const { uid } = await newOne();
  const { token: as } = await newIdentity(organization, role);
  expect((await callRest(`${at}/${uid}`, { token: as })).status).toBe(200);
  const allowed = writes ? 200 : 403;
  const body = { digests: [fakeDigest("three")] };
  expect((await create({ name: randomName("hold"), digests }, repo, as)).status).toBe(allowed);
  const changed = await callRest(`${at}/${uid}`, { method: "PATCH", token: as, body });
  expect(changed.status).toBe(allowed);
  const gone = await callRest(`${at}/${uid}`, { method: "DELETE", token: as });
  expect(gone.status).toBe(allowed);
});

import { beforeEach, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let repo: string;
beforeEach(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const put = (body: Record<string, unknown>) =>
  callRest(`/registry/v2/tags/${repo}`, { token: organization.owner.token, body });
const ask = (path: string, method = "GET") =>
  callRest(path, { method, token: organization.owner.token });
const history = (tag: string) =>
  sql<{ update_time: number; digest: string }>(
    "select update_time, digest from tag_moves where repo_uid = ? and tag = ? order by update_time",
    repo,
    tag,
  );
const digests = async (tag: string) => (await history(tag)).map((row) => row.digest);

test("a tag can be read back by its uid, with every field it was created with", async () => {
  const given = {
    name: "3.12_X.y-z",
    digest: plantedDigest(1),
    deprecated: true,
    bundles: ["base", "emeritoss"],
  };
  const { status, body } = await put({
    ...given,
    uid: `${repo}/00000000000000ff`,
    updateTime: "2000-01-01T00:00:00Z",
  });
  expect(status).toBe(200);
  expect(body).toMatchObject(given);
  expect(body.uid).toMatch(new RegExp(`^${repo}/(?!00000000000000ff)[0-9a-f]{16}$`));
  expect(Date.parse(body.updateTime)).toBeGreaterThan(Date.now() - 60_000);
  expect((await ask(`/registry/v2/tags/${body.uid}`)).body).toEqual(body);
});

describe("a create with the name of an existing tag", () => {
  test("moves it: the uid and create time stay, and the update time is later", async () => {
    const first = (await put({ name: "latest", digest: plantedDigest(1) })).body;
    const second = (await put({ name: "latest", digest: plantedDigest(2) })).body;
    expect([second.uid, second.createTime]).toEqual([first.uid, first.createTime]);
    expect(second.digest).toBe(plantedDigest(2));
    expect(Date.parse(second.updateTime)).toBeGreaterThan(Date.parse(first.updateTime));
    expect((await ask(`/registry/v2/tags?uidp.children_of=${repo}`)).body.totalCount).toBe("1");
  });

  test("is in the history only when the digest changes, at the tag's own update time", async () => {
    const times: number[] = [];
    for (const digest of [1, 1, 2, 2, 1]) {
      const { body } = await put({ name: "latest", digest: plantedDigest(digest) });
      times.push(Date.parse(body.updateTime));
    }
    expect(await history("latest")).toEqual([
      { update_time: times[0], digest: plantedDigest(1) },
      { update_time: times[2], digest: plantedDigest(2) },
      { update_time: times[4], digest: plantedDigest(1) },
    ]);
  });

  test("changes deprecated and bundles without a record in the history", async () => {
    await put({ name: "latest", digest: plantedDigest(1), bundles: ["base"] });
    const { body } = await put({ name: "latest", digest: plantedDigest(1), deprecated: true });
    expect(body.deprecated).toBe(true);
    expect(body).not.toHaveProperty("bundles");
    expect(await digests("latest")).toEqual([plantedDigest(1)]);
  });

  test("keeps tag and history consistent if many callers do it at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        put({ name: "busy", digest: plantedDigest(index % 4) }),
      ),
    );
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    const [tag] = await sql<{ digest: string; update_time: number }>(
      "select digest, update_time from tags where parent = ?",
      repo,
    );
    const moves = await history("busy");
    expect(moves.at(-1)?.digest).toBe(tag?.digest);
    expect(moves.every((move, index) => move.digest !== moves[index - 1]?.digest)).toBe(true);
  });
});

describe("the history of a tag", () => {
  test("survives the tag, and continues when the tag is created again", async () => {
    const { body } = await put({ name: "latest", digest: plantedDigest(1) });
    const gone = await ask(`/registry/v2/tags/${body.uid}`, "DELETE");
    expect([gone.status, gone.body]).toEqual([200, undefined]);
    expect((await ask(`/registry/v2/tags/${body.uid}`)).status).toBe(404);
    expect((await ask(`/registry/v2/tags/${body.uid}`, "DELETE")).status).toBe(404);
    const [one, two] = [plantedDigest(1), plantedDigest(2)];
    expect(await digests("latest")).toEqual([one, ""]);
    const again = await put({ name: "latest", digest: one });
    expect(again.body.uid).not.toBe(body.uid);
    await put({ name: "latest", digest: two });
    expect(await digests("latest")).toEqual([one, "", one, two]);
  });

  test("cannot be changed or deleted, even by SQL", async () => {
    await put({ name: "latest", digest: plantedDigest(1) });
    for (const statement of [
      "update tag_moves set digest = 'x' where repo_uid = ?",
      "delete from tag_moves where repo_uid = ?",
    ]) {
      await expect(sql(statement, repo)).rejects.toThrow(/append-only/);
    }
    expect(await digests("latest")).toEqual([plantedDigest(1)]);
  });
});

test("tag names are case-sensitive and have at most 128 characters", async () => {
  const upper = await put({ name: "RC1", digest: plantedDigest(1) });
  const lower = await put({ name: "rc1", digest: plantedDigest(2) });
  expect(upper.body.uid).not.toBe(lower.body.uid);
  expect((await put({ name: "x".repeat(128), digest: plantedDigest(1) })).status).toBe(200);
  expect((await put({ name: "x".repeat(129), digest: plantedDigest(1) })).status).toBe(400);
});

test("the parent of a tag is a repository, and a group is not found as one", async () => {
  const answer = await callRest(`/registry/v2/tags/${organization.uid}`, {
    token: organization.owner.token,
    body: { name: "latest", digest: plantedDigest(1) },
  });
  expect([answer.status, answer.body.details[1].resourceType]).toEqual([
    404,
    "registry.platform.example/Repo",
  ]);
});

/** ListTagMoves and ListPastTags: what moved, and where tags pointed at an earlier time. */
import { beforeEach, describe, expect, test } from "vitest";
import { newTarget, pushImage, send } from "../../distribution/client.ts";
import { plantedDigest } from "../../paging/tree.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const newRepo = async (name: string, group = organization.uid) =>
  (await createResource(`/registry/v2/repos/${group}`, token, { name })).uid as string;
const put = async (repo: string, name: string, digest: number, more = {}) =>
  (
    await callRest(`/registry/v2/tags/${repo}`, {
      token,
      body: { name, digest: plantedDigest(digest), ...more },
    })
  ).body;
const remove = (path: string) => callRest(path, { method: "DELETE", token });
const list = async (query: string, by = token) =>
  (await callRest(`/registry/v2/tagMoves?${query}`, { token: by })).body;
const inOrganization = () => `uidp.descendants_of=${organization.uid}`;

interface Move {
  repo: string;
  tag: string;
  kind: string;
  digest?: string;
  warnings?: string[];
}
const short = ({ repo, tag, kind }: Move) =>
  `${repo}:${tag} ${kind.slice("TAG_MOVE_KIND_".length)}`;
const moves = async (query = inOrganization()) => ((await list(query)).tagMoves ?? []).map(short);
const warningsOf = async (query = inOrganization()) =>
  ((await list(query)).tagMoves as Move[]).map(({ warnings = [] }) =>
    warnings.map((one) => one.slice("TAG_MOVE_WARNING_".length)),
  );

describe("a list of moves", () => {
  test("has each creation, move, roll back and deletion, the newest first, and who did it", async () => {
    const repo = await newRepo("app");
    const { uid } = await put(repo, "latest", 1);
    await put(repo, "latest", 2);
    await put(repo, "latest", 1);
    await remove(`/registry/v2/tags/${uid}`);
    await put(repo, "latest", 1);
    const { tagMoves } = await list(inOrganization());
    expect(tagMoves.map(short)).toEqual([
      "app:latest CREATED",
      "app:latest DELETED",
      "app:latest ROLLED_BACK",
      "app:latest MOVED",
      "app:latest CREATED",
    ]);
    const identity = { identityUid: organization.owner.uid, method: "TAG_MOVE_METHOD_API" };
    for (const one of tagMoves) expect(one).toMatchObject({ ...identity, repoUid: repo });
    expect(tagMoves[0].identityName).toMatch(/^user-/);
    const [one, two] = [plantedDigest(1), plantedDigest(2)];
    const digests = tagMoves.map((move: Record<string, string>) => [
      move.previousDigest,
      move.digest,
    ]);
    expect(digests).toEqual([
      [undefined, one],
      [one, undefined],
      [two, one],
      [one, two],
      [undefined, one],
    ]);
  });

  test("leaves out changes that do not move the tag", async () => {
    const repo = await newRepo("app");
    await put(repo, "latest", 1);
    await put(repo, "latest", 1, { deprecated: true });
    expect(await moves()).toEqual(["app:latest CREATED"]);
  });

  test("keeps the moves of a deleted repository, with its name and the deletion of its tags", async () => {
    const repo = await newRepo("app");
    await put(repo, "a", 1);
    await put(repo, "b", 1);
    await remove(`/registry/v2/repos/${repo}`);
    expect((await moves()).sort()).toEqual(
      ["app:a CREATED", "app:a DELETED", "app:b CREATED", "app:b DELETED"].sort(),
    );
  });

  test("names pushes and imports as such", async () => {
    const target = await newTarget();
    const { organization: home } = target;
    await pushImage(target, "pushed");
    const pushed = await send(target, "manifests/pushed", { method: "DELETE" });
    expect(pushed.status).toBe(202);
    const path = `/registry/v2/tagMoves/${home.uid}:import`;
    const moved = { updateTime: "2020-01-01T00:00:00Z", repo: "old", tag: "t" };
    const body = { moves: [{ ...moved, digest: plantedDigest(1) }] };
    expect((await callRest(path, { token: home.owner.token, body })).status).toBe(200);
    const { tagMoves } = await list(`uidp.descendants_of=${home.uid}`, home.owner.token);
    const seen = tagMoves.map((one: Record<string, string>) => [one.tag, one.kind, one.method]);
    expect(seen).toEqual([
      ["pushed", "TAG_MOVE_KIND_DELETED", "TAG_MOVE_METHOD_REGISTRY"],
      ["pushed", "TAG_MOVE_KIND_CREATED", "TAG_MOVE_METHOD_REGISTRY"],
      ["t", "TAG_MOVE_KIND_CREATED", "TAG_MOVE_METHOD_IMPORT"],
    ]);
    expect(tagMoves[2].repo).toBe("old");
  });

  test("contains the moves of a group, of a repository, or of everything that the caller may see", async () => {
    const group = (
      await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "team" })
    ).uid;
    const [above, below] = [await newRepo("above"), await newRepo("below", group)];
    await put(above, "t", 1);
    await put(below, "t", 1);
    expect(await moves()).toEqual(["below:t CREATED", "above:t CREATED"]);
    expect(await moves(`uidp.descendants_of=${group}`)).toEqual(["below:t CREATED"]);
    expect(await moves(`uidp.children_of=${above}`)).toEqual(["above:t CREATED"]);
    const viewer = await newIdentity(organization, "viewer", { bindAt: group });
    expect((await list("", viewer.token)).tagMoves.map(short)).toEqual(["below:t CREATED"]);
    const stranger = await newOrganization();
    expect(await list(inOrganization(), stranger.owner.token)).toMatchObject({ code: 7 });
  });

  test("is filtered by time, repository, tag, kind, identity and warnings", async () => {
    const [app, web] = [await newRepo("app"), await newRepo("web")];
    await put(app, "1.0.0", 1);
    await put(web, "latest", 1);
    const { updateTime } = await put(app, "1.0.0", 2);
    const { uid } = await put(web, "edge", 1);
    await remove(`/registry/v2/tags/${uid}`);
    const found = (query: string) => moves(`${inOrganization()}&${query}`);
    expect(await found("repo=app")).toEqual(["app:1.0.0 MOVED", "app:1.0.0 CREATED"]);
    expect(await found("repo=*p&tag=1.*")).toHaveLength(2);
    expect(await found("tag=*.0")).toHaveLength(2);
    expect(await found("tag=1*0*0")).toHaveLength(2);
    expect(await found("tag=1.0.0.0*0")).toEqual([]);
    expect(await found("tag=1")).toEqual([]);
    expect(await found("kinds=TAG_MOVE_KIND_DELETED")).toEqual(["web:edge DELETED"]);
    expect(await found("kinds=TAG_MOVE_KIND_DELETED&kinds=TAG_MOVE_KIND_MOVED")).toHaveLength(2);
    expect(await found("has_warnings=true")).toEqual(["app:1.0.0 MOVED"]);
    expect(await found(`since=${updateTime}`)).toHaveLength(3);
    expect(await found(`until=${updateTime}`)).toHaveLength(2);
    expect(await found(`identity_uid=${organization.owner.uid}`)).toHaveLength(5);
    expect(await found(`identity_uid=${organization.uid}`)).toEqual([]);
    expect(await list(`since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z`)).toMatchObject({
      code: 3,
    });
  });

  test("of a digest has the moves to it and away from it", async () => {
    const repo = await newRepo("app");
    await put(repo, "latest", 1);
    await put(repo, "1.0", 1);
    await put(repo, "latest", 2);
    await put(repo, "latest", 3);
    const { uid } = await put(repo, "edge", 1);
    await remove(`/registry/v2/tags/${uid}`);
    expect(await moves(`uidp.children_of=${repo}&digest=${plantedDigest(1)}`)).toEqual([
      "app:edge DELETED",
      "app:edge CREATED",
      "app:latest MOVED",
      "app:1.0 CREATED",
      "app:latest CREATED",
    ]);
    expect(await moves(`${inOrganization()}&digest=${plantedDigest(9)}`)).toEqual([]);
    expect(await list("digest=latest")).toMatchObject({ code: 3 });
  });

  test("is read page by page, also when a filter leaves pages empty", async () => {
    const repo = await newRepo("app");
    for (let n = 1; n <= 7; n++) await put(repo, n === 1 ? "first" : "latest", n);
    const seen: string[] = [];
    let pages = 0;
    let pageToken = "";
    do {
      const query = `${inOrganization()}&tag=first&page_size=2&page_token=${pageToken}`;
      const body = await list(query);
      seen.push(...(body.tagMoves ?? []).map(short));
      pageToken = body.nextPageToken ?? "";
      pages++;
    } while (pageToken !== "");
    expect([seen, pages]).toEqual([["app:first CREATED"], 4]);
    const oldest = await list(`${inOrganization()}&order_by=update_time&page_size=1`);
    expect(oldest.tagMoves.map(short)).toEqual(["app:first CREATED"]);
  });

  test("of one tag of a repository has full pages, whatever the other tags of the repository do", async () => {
    const [app, web] = [await newRepo("app"), await newRepo("web")];
    for (let n = 1; n <= 6; n++) for (const name of ["1", "11"]) await put(app, name, n);
    await put(web, "1", 1);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let pageToken = ""; sizes.length === 0 || pageToken !== ""; ) {
      const tag = `uidp.children_of=${app}&tag=1&page_size=2`;
      const body = await list(`${tag}&page_token=${pageToken}`);
      sizes.push(body.tagMoves.length);
      seen.push(...body.tagMoves.map(short));
      pageToken = body.nextPageToken ?? "";
    }
    expect(sizes).toEqual([2, 2, 2]);
    expect(seen).toEqual([...Array(5).fill("app:1 MOVED"), "app:1 CREATED"]);
  });
});

test("the database refuses every change to the history", async () => {
  const repo = await newRepo("app");
  await put(repo, "latest", 1);
  const before = await list(inOrganization());
  expect(before.tagMoves).toHaveLength(1);
  const ofRepo = "repo_id = (select id from tag_repos where repo_uid = ?)";
  for (const change of [
    "delete from tag_moves where repo_uid = ?",
    "update tag_moves set digest = '' where repo_uid = ?",
    `delete from tag_records where ${ofRepo}`,
    `update tag_records set digest = '' where ${ofRepo}`,
    `update tag_records set update_time = 1 where ${ofRepo}`,
    `update tag_records set origin_id = 1 where ${ofRepo}`,
    `delete from tag_names where ${ofRepo}`,
    `update tag_names set tag = '' where ${ofRepo}`,
    "delete from tag_repos where repo_uid = ?",
    "update tag_repos set repo_uid = '' where repo_uid = ?",
    "delete from tag_origins where repo_uid = ?",
    "update tag_origins set identity = '' where repo_uid = ?",
  ])
    await expect(sql(change, repo), change).rejects.toThrow("append-only");
  expect(await list(inOrganization())).toEqual(before);
});

describe("a warning", () => {
  test("marks a release tag that moves, and no tag that is meant to move", async () => {
    const repo = await newRepo("app");
    const names = ["1.2.3", "1.2.3-alpine", "v1.2.3"];
    const floating = ["1.2", "v1", "latest", "1.2.x", "a1.2.3", "1.2.3alpine"];
    for (const name of [...names, ...floating]) {
      await put(repo, name, 1);
      await put(repo, name, 2);
    }
    const { tagMoves } = await list(`${inOrganization()}&has_warnings=true`);
    const warned = tagMoves.map(({ tag }: Move) => tag);
    expect(warned.sort()).toEqual(names);
    expect((await warningsOf()).flat()).toEqual(names.map(() => "RELEASE_MOVED"));
  });

  test("ends for a release tag whose last three records are moves", async () => {
    const repo = await newRepo("app");
    for (let n = 1; n <= 6; n++) await put(repo, "1.0.0", n);
    const release = ["RELEASE_MOVED"];
    expect(await warningsOf()).toEqual([[], [], release, release, release, []]);
  });

  test("marks a tag that goes back to an older digest", async () => {
    const repo = await newRepo("app");
    for (const digest of [1, 2, 1]) await put(repo, "latest", digest);
    expect(await warningsOf()).toEqual([["OLDER_DIGEST"], [], []]);
  });

  test("marks every tag of a repository when many move at once, and none when few do", async () => {
    const repo = await newRepo("app");
    const names = Array.from({ length: 12 }, (_, n) => `line-${n}`);
    for (const name of names) await put(repo, name, 1);
    for (const name of names.slice(0, 9)) await put(repo, name, 2);
    expect((await warningsOf()).flat()).toEqual([]);
    for (const name of names.slice(9)) await put(repo, name, 2);
    expect((await warningsOf()).slice(0, 12)).toEqual(names.map(() => ["MANY_TAGS"]));
  });
});

test("an import of older moves corrects the kind of the record that follows", async () => {
  const repo = await newRepo("app");
  await put(repo, "1.0.0", 2);
  const path = `/registry/v2/tagMoves/${organization.uid}:import`;
  const at = { repo: "app", tag: "1.0.0" };
  const body = {
    moves: [
      { ...at, updateTime: "2020-01-01T00:00:00Z", digest: plantedDigest(2) },
      { ...at, updateTime: "2020-01-02T00:00:00Z", digest: plantedDigest(1) },
    ],
  };
  expect((await callRest(path, { token, body })).status).toBe(200);
  expect(await moves()).toEqual(["app:1.0.0 ROLLED_BACK", "app:1.0.0 MOVED", "app:1.0.0 CREATED"]);
});

describe("the tags of a repository at a time", () => {
  const past = async (repo: string, at: string, query = "") =>
    (await callRest(`/registry/v2/pastTags?repo_uid=${repo}&at=${at}${query}`, { token })).body;
  const pointers = ({ pastTags = [] }: { pastTags?: { name: string; digest: string }[] }) =>
    pastTags.map(({ name, digest }) => [name, digest]);

  test("are those that existed, with the digests that they pointed to", async () => {
    const repo = await newRepo("app");
    const { updateTime: first, uid } = await put(repo, "a", 1);
    const { updateTime: second } = await put(repo, "b", 1);
    const { updateTime: third } = await put(repo, "a", 2);
    await remove(`/registry/v2/tags/${uid}`);
    const [one, two] = [plantedDigest(1), plantedDigest(2)];
    expect(await past(repo, first)).toEqual({
      pastTags: [{ name: "a", digest: one, updateTime: first }],
    });
    expect(pointers(await past(repo, second))).toEqual([
      ["a", one],
      ["b", one],
    ]);
    expect(pointers(await past(repo, third))).toEqual([
      ["a", two],
      ["b", one],
    ]);
    expect(pointers(await past(repo, third, "&tag=b"))).toEqual([["b", one]]);
    const now = new Date(Date.now()).toISOString();
    expect(pointers(await past(repo, now))).toEqual([["b", one]]);
    await remove(`/registry/v2/repos/${repo}`);
    expect(pointers(await past(repo, third))).toEqual([
      ["a", two],
      ["b", one],
    ]);
    expect(await past(repo, "2020-01-01T00:00:00Z")).toEqual({});
  });

  test("are read page by page, each once, in the order of their names", async () => {
    const repo = await newRepo("app");
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await put(repo, name, 1);
    const now = new Date().toISOString();
    const seen: string[] = [];
    let pageToken = "";
    do {
      const body = await past(repo, now, `&page_size=2&page_token=${pageToken}`);
      seen.push(...body.pastTags.map(({ name }: { name: string }) => name));
      pageToken = body.nextPageToken ?? "";
    } while (pageToken !== "");
    expect(seen).toEqual(names);
  });

  test("need a time that has passed, and a repository that exists or has existed", async () => {
    const repo = await newRepo("app");
    expect(await past(repo, "2999-01-01T00:00:00Z")).toMatchObject({ code: 3 });
    expect(await past(repo, "2026-01-01T00:00:00Z")).toEqual({});
    const missing = `${organization.uid}/00000000000000ff`;
    expect(await past(missing, "2026-01-01T00:00:00Z")).toMatchObject({ code: 5 });
  });
});

test("a replay of 76 release tags overwritten within minutes marks all of them", async () => {
  const start = Date.UTC(2024, 0, 1);
  const day = 86_400_000;
  const tags = Array.from({ length: 76 }, (_, n) => `0.${n}.0`);
  const moveOf = (tag: string, time: number, digest: number) => ({
    ...{ repo: "action", tag, updateTime: new Date(time).toISOString() },
    digest: plantedDigest(digest),
  });
  const releases = tags.map((tag, n) => moveOf(tag, start + n * 7 * day, 1 + (n % 8)));
  const attack = tags.map((tag, n) => moveOf(tag, start + 600 * day + n * 2000, 9));
  const path = `/registry/v2/tagMoves/${organization.uid}:import`;
  const answer = await callRest(path, { token, body: { moves: [...releases, ...attack] } });
  expect(answer.body).toMatchObject({ recordedMoves: 152 });
  const { tagMoves } = await list(`${inOrganization()}&has_warnings=true&page_size=200`);
  expect(tagMoves.map(({ tag }: Move) => tag).sort()).toEqual(tags.toSorted());
  for (const { warnings } of tagMoves) {
    expect(warnings).toEqual(["TAG_MOVE_WARNING_RELEASE_MOVED", "TAG_MOVE_WARNING_MANY_TAGS"]);
  }
});

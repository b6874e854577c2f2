/** PreviewTagRule: which tags a rule matches, what it would decide about them, and which moves it would have refused. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { putBom } from "../findings/stored_findings.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization("preview");
  ({ token } = organization.owner);
});

const at = "/registry/v2/tagRules";
const day = 86_400_000;
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

const preview = (parent: string, rule: object, more: object = {}, as = token) =>
  callRest(`${at}/${parent}:preview`, {
    token: as,
    body: { tagRule: { name: "new", ...rule }, ...more },
  });

const newGroup = async () =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("g") }))
    .uid;

/** A repository in a group, with tags by their names that point to these digests. */
async function newRepo(parent: string, name: string, tags: Record<string, string>) {
  const { uid } = await createResource(`/registry/v2/repos/${parent}`, token, { name });
  for (const [tag, to] of Object.entries(tags)) await setTag(uid, tag, to);
  return uid;
}

const setTag = (repo: string, name: string, to: string, as = token) =>
  createResource(`/registry/v2/tags/${repo}`, as, { name, digest: to });

const addMove = (repo: string, tag: string, ago: number, to: string) =>
  sql(
    "insert into tag_moves (repo_uid, tag, update_time, digest, identity) values (?, ?, ?, ?, 'someone')",
    ...[repo, tag, Date.now() - ago, to],
  );

interface Previewed {
  tag: string;
  repo: string;
  allowed: boolean;
  reason: string;
  refusedMoves?: { digest: string; reason: string; identityUid: string; updateTime: string }[];
}

/** All pages. */
async function allOf(parent: string, rule: object, pageSize?: number) {
  const [tags, sizes]: [Previewed[], number[]] = [[], []];
  let pageToken = "";
  do {
    const { status, body } = await preview(parent, rule, { pageSize, pageToken });
    expect([status, body]).toMatchObject([200, {}]);
    tags.push(...(body.tags ?? []));
    sizes.push((body.tags ?? []).length);
    pageToken = body.nextPageToken ?? "";
  } while (pageToken !== "");
  return { tags, sizes };
}

const once = { keep: { writeOnce: true } };

describe("the tags", () => {
  let group: string;
  let api: string;
  beforeAll(async () => {
    group = await newGroup();
    api = await newRepo(group, "api", { v1: digest("a"), v2: digest("b"), main: digest("b") });
    await newRepo(group, "web", { v1: digest("c") });
    await newRepo(await newGroup(), "api", { v1: digest("c") });
  });

  const rules: [title: string, rule: object, tags: string[]][] = [
    ["without patterns all", {}, ["api:main", "api:v1", "api:v2", "web:v1"]],
    ["those of the tag patterns", { includeTags: ["v*"] }, ["api:v1", "api:v2", "web:v1"]],
    ["without the excluded ones", { excludeTags: ["v1"] }, ["api:main", "api:v2"]],
    ["those of the repositories", { includeRepos: ["w*"] }, ["web:v1"]],
    ["without excluded repositories", { excludeRepos: ["api"] }, ["web:v1"]],
    ["none", { includeTags: ["x"] }, []],
  ];
  test.each(rules)("are %s, on one page and on pages of one", async (_, rule, names) => {
    for (const pageSize of [undefined, 1]) {
      const { tags } = await allOf(group, { ...rule, ...once }, pageSize);
      expect(tags.map(({ repo, tag }) => `${repo}:${tag}`).sort()).toEqual(names);
    }
  });

  test("of a page of one are at most one, also if none of it matches", async () => {
    const { sizes } = await allOf(group, { includeTags: ["main"], ...once }, 1);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.filter((size) => size > 0)).toEqual([1]);
  });

  test("of a repository are its own, with their uids and digests", async () => {
    const { body } = await preview(api, { includeTags: ["v2"], ...once });
    const [tag] = await sql<{ uid: string }>(
      "select uid from tags where parent = ? and name = 'v2'",
      api,
    );
    expect(body.tags).toEqual([
      {
        ...{ tagUid: tag?.uid, repoUid: api, repo: "api", tag: "v2", digest: digest("b") },
        ...{ allowed: true, reason: "the rule allows it" },
      },
    ]);
  });

  test("a token of another rule is refused", async () => {
    const { body } = await preview(group, once, { pageSize: 1 });
    const other = { includeTags: ["v*"], ...once };
    const asked = { pageSize: 1, pageToken: body.nextPageToken };
    expect((await preview(group, other, asked)).status).toBe(400);
    expect((await preview(group, once, asked)).status).toBe(200);
  });

  test("an empty group has none", async () => {
    expect((await preview(await newGroup(), once)).body.tags ?? []).toEqual([]);
  });
});

describe("the moves that a rule would have refused", () => {
  test("are the newest first, with who made them and why, of the last 90 days", async () => {
    const repo = await newRepo(await newGroup(), "app", {});
    await addMove(repo, "v1", 100 * day, digest("a"));
    await addMove(repo, "v1", 95 * day, digest("b"));
    await addMove(repo, "v1", 80 * day, digest("c"));
    await addMove(repo, "v1", 10 * day, "");
    await addMove(repo, "v1", 5 * day, digest("d"));
    await setTag(repo, "v1", digest("e"));
    const [tag] = (await preview(repo, once)).body.tags as Previewed[];
    const moves = tag?.refusedMoves?.map((move) => [move.digest ?? "", move.reason]);
    expect(moves).toEqual([
      [digest("e"), "it can be set only once"],
      ["", "it is kept, so it cannot be deleted"],
      [digest("c"), "it can be set only once"],
    ]);
    const [newest, older] = tag?.refusedMoves ?? [];
    expect([newest?.identityUid, older?.identityUid]).toEqual([organization.owner.uid, "someone"]);
    expect(Date.parse(older?.updateTime ?? "")).toBeLessThan(Date.now() - 9 * day);
  });

  test("are at most twenty", async () => {
    const repo = await newRepo(await newGroup(), "app", {});
    for (let n = 30; n > 0; n -= 1) await addMove(repo, "v1", n * day, digest("ab"[n % 2] ?? ""));
    await setTag(repo, "v1", digest("c"));
    const [tag] = (await preview(repo, once)).body.tags as Previewed[];
    expect(tag?.refusedMoves).toHaveLength(20);
    expect(tag?.refusedMoves?.[0]?.digest).toBe(digest("c"));
  });

  test("are none of a tag that was only set", async () => {
    const repo = await newRepo(await newGroup(), "app", { v1: digest("a") });
    const [tag] = (await preview(repo, once)).body.tags as Previewed[];
    expect([tag?.allowed, tag?.refusedMoves]).toEqual([true, undefined]);
  });
});

describe("the decision of today", () => {
  test("says what the platform knows of each image, in each repository", async () => {
    const group = await newGroup();
    const repos = [
      await newRepo(group, "one", { v1: digest("a") }),
      await newRepo(group, "two", { v1: digest("a") }),
    ];
    for (const repo of repos) {
      const content = { config: { size: 5 }, layers: [] };
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      const body = { mediaType, content: Buffer.from(JSON.stringify(content)).toString("base64") };
      const made = await createResource(`/registry/v2/manifests/${repo}`, token, body);
      await setTag(repo, "v2", String(made.digest));
      if (repo === repos[0]) await putBom(organization, repo, String(made.digest), ["2.14.1"]);
    }
    const { tags } = await allOf(group, { keep: { requirement: { sbom: true } } });
    const shown = tags.map(({ repo, tag, allowed, reason }) => [`${repo}:${tag}`, allowed, reason]);
    expect(shown.sort()).toEqual([
      ["one:v1", false, "the repository does not have the image"],
      ["one:v2", true, "the rule allows it"],
      ["two:v1", false, "the repository does not have the image"],
      ["two:v2", false, "the image has no SBOM"],
    ]);
  });

  test("counts the role of the caller", async () => {
    const repo = await newRepo(await newGroup(), "app", { v1: digest("a") });
    const [role] = await sql<{ uid: string }>(
      "select uid from roles where name = 'owner' and parent = ''",
    );
    const rule = { keep: { roleUid: role?.uid } };
    const editor = await newIdentity(organization, "editor");
    expect((await preview(repo, rule)).body.tags[0].allowed).toBe(true);
    expect((await preview(repo, rule, {}, editor.token)).body.tags[0].allowed).toBe(false);
  });

  test("depends on no rule that exists, and changes nothing", async () => {
    const repo = await newRepo(await newGroup(), "app", { v1: digest("a") });
    const before = (await preview(repo, once)).body;
    const refusing = { name: "refusing", keep: { requirement: { sbom: true } } };
    await createResource(`${at}/${repo}`, token, refusing);
    expect((await preview(repo, once)).body).toEqual(before);
    const contradicting = { name: "refusing", keep: { forward: "FORWARD_ORDER_VERSION" } };
    expect((await preview(repo, contradicting)).status).toBe(200);
    const listed = await callRest(`${at}?uidp.childrenOf=${repo}`, { token });
    expect(listed.body.tagRules).toHaveLength(1);
  });
});

test("an unknown scope is not found, a bad rule is invalid, and a stranger is denied", async () => {
  const group = await newGroup();
  await newRepo(group, "app", { v1: digest("a") });
  const stranger = (await newOrganization()).owner.token;
  const denied = [
    await preview(`${organization.uid}/0000000000000000`, once),
    await preview(group, {}),
    await preview(group, { keep: {} }),
    await preview(group, { keep: { writeOnce: false } }),
    await preview(group, { keep: { requirement: {} } }),
    await preview(group, { includeTags: ["v?"], ...once }),
    await preview(group, once, {}, stranger),
  ];
  expect(denied.map(({ status }) => status)).toEqual([404, 400, 400, 400, 400, 400, 403]);
});

/** The orders in which tags move, and promotions, as pushes and their history decide them. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Image, newImageOf, send } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { putBom } from "../findings/stored_findings.ts";
import {
  digestOfTag,
  imageBuilt,
  indexOf,
  keep,
  newRuledRepo,
  type Pushed,
  push,
  pushIndex,
  pushWithTags,
  type RuledRepo,
} from "./ruled_repo.ts";

let organization: Organization;
let other: Organization;
beforeAll(async () => {
  [organization, other] = [await newOrganization("evidence"), await newOrganization("other")];
});

/** The reason of a refusal, which the text contains. Undefined if the push is accepted. */
type Reason = string | undefined;

const check = (pushed: Pushed, reason: Reason) =>
  expect(pushed).toEqual(reason === undefined ? [201] : [403, expect.stringContaining(reason)]);

describe("forward by version", () => {
  const precedes = (was: string) => `before the current one, ${was}`;
  const rows: [title: string, old: string[], next: string[], Reason][] = [
    ["a later one", ["1.2.3"], ["1.2.4"], undefined],
    ["a later one with a longer number", ["1.9.0"], ["1.10.0"], undefined],
    ["an older one", ["1.2.3"], ["1.2.2"], precedes("1.2.3")],
    ["an older one, and its floating tag", ["1.2.3"], ["1.1", "1.1.9"], precedes("1.2.3")],
    ["one before the greatest of several", ["1.2.3", "1.3.0"], ["1.2.9"], precedes("1.3.0")],
    ["a prerelease of it", ["1.3.0"], ["1.3.0-rc1"], precedes("1.3.0")],
    ["one of another form", ["1.2.3"], ["1.2.4-slim"], "different forms"],
    ["none", ["1.2.3"], ["main"], "no tag with a version"],
    ["one, after an image without one", ["main"], ["0.1.0"], undefined],
    ["the same one, which moves to it", ["1.2.3"], ["1.2.3"], undefined],
  ];

  async function ruled(old: string[]): Promise<RuledRepo> {
    const repo = await newRuledRepo(organization);
    await keep(repo, { forward: "FORWARD_ORDER_VERSION" }, ["latest"]);
    const first = newImageOf();
    for (const tag of [...old, "latest"]) expect(await push(repo, first, tag)).toEqual([201]);
    return repo;
  }

  test.each(rows)("to %s, tag after tag", async (_, old, next, reason) => {
    const repo = await ruled(old);
    const image = newImageOf();
    for (const tag of next) expect(await push(repo, image, tag)).toEqual([201]);
    check(await push(repo, image, "latest"), reason);
    expect((await digestOfTag(repo, "latest")) === image.digest).toBe(reason === undefined);
  });

  test.each(rows)("to %s, all tags in one request", async (_, old, next, reason) => {
    const repo = await ruled(old);
    const image = newImageOf();
    check(await pushWithTags(repo, image, ["latest", ...next]), reason);
    expect((await digestOfTag(repo, "latest")) === image.digest).toBe(reason === undefined);
    if (reason !== undefined && !old.includes(next[0] ?? ""))
      expect(await digestOfTag(repo, next[0] ?? "")).toBeUndefined();
  });

  test("a version of another organization does not count", async () => {
    const repo = await ruled(["1.2.3"]);
    const image = newImageOf();
    await push(await newRuledRepo(other), image, "2.0.0");
    await push(await newRuledRepo(organization), image, "2.0.0");
    check(await push(repo, image, "latest"), "no tag with a version");
  });

  test("the version in the name of the tag itself does not count", async () => {
    const repo = await newRuledRepo(organization);
    await keep(repo, { forward: "FORWARD_ORDER_VERSION" }, ["1.2"]);
    const [first, second] = [newImageOf(), newImageOf()];
    await pushWithTags(repo, first, ["1.2.3", "1.2"]);
    check(await push(repo, second, "1.2"), "no tag with a version");
    check(await pushWithTags(repo, second, ["1.2.4", "1.2"]), undefined);
  });
});

describe("forward by the time of the image", () => {
  const [early, middle, late] = [
    "2026-01-01T00:00:00Z",
    "2026-02-01T00:00:00Z",
    "2026-03-01T00:00:00Z",
  ];
  /** Pushes an image, or an index, to `latest`. */
  type Step = (repo: RuledRepo) => Promise<Pushed>;
  const image =
    (time: string | undefined): Step =>
    (repo) =>
      push(repo, imageBuilt(time), "latest");
  const index =
    (times: (string | undefined)[], { missing = false } = {}): Step =>
    async (repo) => {
      const images = times.map((time) => imageBuilt(time));
      for (const one of missing ? images.slice(1) : images) await push(repo, one);
      const entries = images.map((one, at): [string, Image] => [["amd64", "arm64"][at] ?? "", one]);
      return pushIndex(repo, indexOf(entries), "latest");
    };
  const isBefore = "the image was built at";
  const unknown = "the image does not say when it was built";

  test.each<[title: string, first: Step, next: Step, Reason]>([
    ["a later image", image(early), image(late), undefined],
    ["an image of the same time", image(middle), image(middle), undefined],
    ["an older image", image(late), image(middle), isBefore],
    ["an image that says no time", image(early), image(undefined), unknown],
    ["an image after one that says no time", image(undefined), image(early), undefined],
    ["a later index", image(middle), index([early, late]), undefined],
    ["an older index", image(late), index([early, middle]), isBefore],
    ["an image before the latest of an index", index([early, late]), image(middle), isBefore],
    ["an image after the latest of an index", index([early, middle]), image(late), undefined],
    ["an index with an image of no time", image(early), index([late, undefined]), unknown],
    [
      "an index with an image that is not there",
      image(early),
      index([late, late], { missing: true }),
      unknown,
    ],
  ])("to %s", async (_, first, next, reason) => {
    const repo = await newRuledRepo(organization);
    await keep(repo, { forward: "FORWARD_ORDER_IMAGE_TIME" }, ["latest"]);
    expect(await first(repo)).toEqual([201]);
    const before = await digestOfTag(repo, "latest");
    check(await next(repo), reason);
    expect((await digestOfTag(repo, "latest")) === before).toBe(reason !== undefined);
  });

  test("a tag that does not exist yet can be set to an image that says no time", async () => {
    const repo = await newRuledRepo(organization);
    await keep(repo, { forward: "FORWARD_ORDER_IMAGE_TIME" }, ["latest"]);
    check(await image(undefined)(repo), undefined);
  });

  test("CreateTag knows the time of an image that was pushed before", async () => {
    const repo = await newRuledRepo(organization);
    await keep(repo, { forward: "FORWARD_ORDER_IMAGE_TIME" }, ["latest"]);
    const images = [middle, early, late].map((time) => imageBuilt(time));
    const statuses: number[] = [];
    for (const one of images) {
      await push(repo, one);
      const body = { name: "latest", digest: one.digest };
      const path = `/registry/v2/tags/${repo.uid}`;
      statuses.push((await callRest(path, { token: repo.token, body })).status);
    }
    expect(statuses).toEqual([200, 400, 200]);
  });

  test("the time of the same image in another organization does not count", async () => {
    const repo = await newRuledRepo(organization);
    await keep(repo, { forward: "FORWARD_ORDER_IMAGE_TIME" }, ["latest"]);
    await image(early)(repo);
    const missing = imageBuilt(late);
    await push(await newRuledRepo(other), missing);
    check(await pushIndex(repo, indexOf([["amd64", missing]]), "latest"), unknown);
  });
});

describe("a promotion after an hour", () => {
  const hour = 3_600_000;

  /** Adds records to the history of a tag, of a digest some hours ago. */
  async function addHistory(
    { uid }: RuledRepo,
    tag: string,
    records: [ago: number, digest: string][],
  ) {
    for (const [ago, digest] of records)
      await sql(
        "insert into tag_moves (repo_uid, tag, update_time, digest) values (?, ?, ?, ?)",
        ...[uid, tag, Date.now() - ago * hour, digest],
      );
  }

  const another = `sha256:${"a".repeat(64)}`;
  type History = [tag: string, [ago: number, digest: "it" | "another" | ""][]][];
  const refused = "no tag staging-* has pointed to the image for 1 hour";

  const rows: [title: string, History, Reason][] = [
    ["a tag points to it for long enough", [["staging-1", [[1.1, "it"]]]], undefined],
    ["a tag points to it for too short a time", [["staging-1", [[0.9, "it"]]]], refused],
    [
      "a tag pointed to it and has moved on",
      [
        [
          "staging-1",
          [
            [5, "it"],
            [3, "another"],
          ],
        ],
      ],
      undefined,
    ],
    [
      "a tag pointed to it too shortly and has moved on",
      [
        [
          "staging-1",
          [
            [5, "it"],
            [4.5, "another"],
          ],
        ],
      ],
      refused,
    ],
    [
      "a tag pointed to it in two parts",
      [
        [
          "staging-1",
          [
            [5, "it"],
            [4.2, "another"],
            [0.8, "it"],
          ],
        ],
      ],
      refused,
    ],
    [
      "a tag pointed to it and was deleted",
      [
        [
          "staging-1",
          [
            [5, "it"],
            [3, ""],
          ],
        ],
      ],
      undefined,
    ],
    [
      "two tags pointed to it for a part each",
      [
        ["staging-1", [[0.6, "it"]]],
        ["staging-2", [[0.6, "it"]]],
      ],
      refused,
    ],
    [
      "one of many tags pointed to it",
      [
        ["staging-1", [[5, "another"]]],
        ["staging-2", [[2, "it"]]],
      ],
      undefined,
    ],
    ["a tag of another name pointed to it", [["stage-1", [[5, "it"]]]], refused],
    ["a tag points to another image", [["staging-1", [[5, "another"]]]], refused],
    ["no tag pointed to it", [], refused],
  ];

  async function ruled(from = "staging-*", hours = 1, tags = ["prod"]) {
    const repo = await newRuledRepo(organization);
    await keep(repo, { promotion: { from, hours } }, tags);
    return repo;
  }

  const addAll = async (repo: RuledRepo, history: History, digest: string) => {
    for (const [tag, records] of history)
      await addHistory(
        repo,
        tag,
        records.map(([ago, which]) => [ago, { it: digest, another, "": "" }[which]]),
      );
  };

  test.each(rows)("%s: a push", async (_, history, reason) => {
    const repo = await ruled();
    const image = newImageOf();
    await addAll(repo, history, image.digest);
    check(await push(repo, image, "prod"), reason);
    expect(await digestOfTag(repo, "prod")).toBe(reason === undefined ? image.digest : undefined);
  });

  test("the tag itself does not count", async () => {
    const repo = await ruled("*", 1, ["prod*"]);
    const image = newImageOf();
    await addHistory(repo, "prod", [
      [5, image.digest],
      [2, another],
    ]);
    check(await push(repo, image, "prod"), "no tag * has pointed to the image");
    check(await push(repo, image, "prod-2"), undefined);
  });

  test("without a period, a tag that points to it now is enough, and none is not", async () => {
    const repo = await ruled("staging-*", 0);
    const image = newImageOf();
    check(await push(repo, image, "prod"), "no tag staging-* has pointed to the image");
    expect(await push(repo, image, "staging-1")).toEqual([201]);
    check(await push(repo, image, "prod"), undefined);
  });

  test("the digest in another repository and in another organization does not count", async () => {
    const repo = await ruled();
    const image = newImageOf();
    for (const of of [other, organization])
      await addHistory(await newRuledRepo(of), "staging-1", [[5, image.digest]]);
    check(await push(repo, image, "prod"), refused);
  });

  test("history that ImportTagMoves brings counts", async () => {
    const repo = await ruled();
    const image = newImageOf();
    await push(repo, image);
    const updateTime = new Date(Date.now() - 2 * hour).toISOString();
    const move = { repo: repo.name, tag: "staging-1", digest: image.digest, updateTime };
    const path = `/registry/v2/tagMoves/${organization.uid}:import`;
    const imported = await callRest(path, { token: repo.token, body: { moves: [move] } });
    expect(imported.status).toBe(200);
    check(await push(repo, image, "prod"), undefined);
  });
});

test("a repository at the greatest depth has rules of all kinds", async () => {
  const { token } = organization.owner;
  let parent = organization.uid;
  const named = (name: string) => ({ name });
  for (const name of ["a", "b", "c", "d"])
    parent = (await createResource(`/iam/v2/groups/${parent}`, token, named(name))).uid;
  const { uid } = await createResource(`/registry/v2/repos/${parent}`, token, named("app"));
  const registry = await registryToken(organization.owner.uid);
  const target = { token: registry, name: `${organization.uid}/a/b/c/d/app` };
  const repo = { organization, token, name: "app", uid, target };
  const conditions = [
    { requirement: { sbom: true } },
    { promotion: { from: "staging-*" } },
    { forward: "FORWARD_ORDER_IMAGE_TIME" },
  ];
  for (const condition of conditions) await keep(repo, condition, ["prod"]);
  const image = newImageOf();
  expect((await push(repo, image, "prod"))[0]).toBe(403);
  await putBom(organization, uid, image.digest, ["2.14.1"]);
  expect(await push(repo, image, "staging-1")).toEqual([201]);
  expect(await push(repo, image, "prod")).toEqual([201]);
  const removed = await send(target, `manifests/${image.digest}`, { method: "DELETE" });
  expect(removed.status).toBe(403);
});

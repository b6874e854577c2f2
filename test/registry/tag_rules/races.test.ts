/** Changes of rules at the same time as changes of the tags that they are about: one comes before the other. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Image, newImageOf, putManifest } from "../../distribution/client.ts";
import { newOrganization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { digestOfTag, newRuledRepo, push, type RuledRepo } from "./ruled_repo.ts";

let repo: RuledRepo;
let first: Image;
let second: Image;
let third: Image;
beforeAll(async () => {
  repo = await newRuledRepo(await newOrganization("races"));
  [first, second, third] = [newImageOf(), newImageOf(), newImageOf()];
  for (const image of [first, second, third]) await push(repo, image);
});

const at = "/registry/v2/tagRules";
const call = (path: string, options: object) => callRest(path, { token: repo.token, ...options });

const create = (includeTags: string[]) =>
  call(`${at}/${repo.uid}`, {
    body: { name: randomName("rule"), includeTags, keep: { writeOnce: true } },
  });

const put = async (tag: string, image: Image) =>
  (await putManifest(repo.target, tag, image.text)).status;

/** The number of the event of this kind about a resource, in the order in which the database wrote them. */
async function seqOf(subject: string, kind: string): Promise<number> {
  const rows = await sql<{ seq: number }>(
    "select max(seq) as seq from events where subject = ? and type like ?",
    ...[subject, `%.${kind}.v1`],
  );
  return rows[0]?.seq ?? 0;
}

/** A change of a rule that begins, or ends, to keep a tag. Returns the rule and the kind of its event. */
interface RuleChange {
  prepare(tag: string): Promise<string>;
  change(tag: string, uid: string): Promise<{ status: number; body: { uid?: string } }>;
  kind: string;
  /** Whether the tag is kept after the change. */
  keeps: boolean;
}

const changes: Record<string, RuleChange> = {
  "the creation of a rule": {
    prepare: async () => "",
    change: (tag) => create([tag]),
    kind: "tag_rule.created",
    keeps: true,
  },
  "an update of a rule, which then matches the tag": {
    prepare: async (tag) => (await create([`not-${tag}`])).body.uid,
    change: (tag, uid) => call(`${at}/${uid}`, { method: "PATCH", body: { includeTags: [tag] } }),
    kind: "tag_rule.updated",
    keeps: true,
  },
  "the deletion of a rule": {
    prepare: async (tag) => (await create([tag])).body.uid,
    change: (_, uid) => call(`${at}/${uid}`, { method: "DELETE" }),
    kind: "tag_rule.deleted",
    keeps: false,
  },
};

/** The pushes of a round, each to its own tag, and the milliseconds between their starts. */
const pushes = 6;
const apart = 3;

const later = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  await new Promise((done) => setTimeout(done, ms));
  return work();
};

describe.each(Object.entries(changes))("%s and pushes", (_, { prepare, change, kind, keeps }) => {
  /** Expects that a push that was accepted is on the right side of the change. */
  async function expectOrder(tag: string, status: number, uid: string) {
    expect([201, 409]).toContain(status);
    expect(await digestOfTag(repo, tag)).toBe((status === 201 ? second : first).digest);
    if (status !== 201) return;
    const [row] = await sql<{ uid: string }>(
      "select uid from tags where parent = ? and name = ?",
      ...[repo.uid, tag],
    );
    const [moved, ruled] = [await seqOf(row?.uid ?? "", "registry.tag.%"), await seqOf(uid, kind)];
    expect([moved > 0, ruled > 0, moved < ruled]).toEqual([true, true, keeps]);
  }

  test("come one after the other, twenty times, and a later push obeys", async () => {
    for (let round = 0; round < 20; round += 1) {
      const name = randomName("v");
      const tags = Array.from({ length: pushes }, (_, at) => `${name}-${at}`);
      for (const tag of tags) expect(await put(tag, first)).toBe(201);
      const prepared = await prepare(`${name}-*`);
      const [changed, ...statuses] = await Promise.all([
        later((round % pushes) * apart, () => change(`${name}-*`, prepared)),
        ...tags.map((tag, at) => later(at * apart, () => put(tag, second))),
      ]);
      expect(changed.status).toBe(200);
      const uid = changed.body?.uid ?? prepared;
      for (const [at, tag] of tags.entries()) await expectOrder(tag, statuses[at] ?? 0, uid);
      expect(await put(tags[0] ?? "", third)).toBe(keeps ? 409 : 201);
      // The next round begins without rules.
      if (keeps) await call(`${at}/${uid}`, { method: "DELETE" });
    }
  });
});

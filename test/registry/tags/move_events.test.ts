/** The events of an import list every move, every deleted record and every created repository. */
import { beforeEach, describe, expect, test } from "vitest";
import { unpackText } from "../../../src/outbox/stored_data.ts";
import { expectLog } from "../../world/logs.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  randomUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
beforeEach(async () => {
  organization = await newOrganization();
});

const at = (seconds: number) => new Date(Date.UTC(2025, 0, 1) + seconds * 1000).toISOString();
const digest = (number: number) => fakeDigest(`image ${number}`);
const move = (seconds: number, number: number, tag = "latest", repo = "python") => ({
  ...{ updateTime: at(seconds), repo, tag, digest: digest(number) },
});

const load = (moves: unknown[], group = organization.uid) =>
  callRest(`/registry/v2/tagMoves/${group}:import`, {
    token: organization.owner.token,
    body: { moves },
  });

interface StoredEvent {
  type: string;
  subject: string;
  parent: string;
  pool: string;
  partition: string;
  repo_uid: string;
  data: string;
}

/** The events of imports in the organization, oldest first. */
const eventsOf = (type: string) =>
  sql<StoredEvent & Record<string, string>>(
    `select * from events where ancestor0 = ? and type = ?
     and source like '%/registry/v2/%' order by seq`,
    organization.uid,
    `dev.vendor.api.platform.registry.${type}`,
  );
const movedEvents = () => eventsOf("tag.moved.batch.v1");
const bodiesOf = (events: { data: string }[]) =>
  Promise.all(events.map(async ({ data }) => JSON.parse(await unpackText(data)).body));
/** The moves of all events: name, digest, previous digest, and whether the tag points there now. */
const movesTold = async () =>
  (await bodiesOf(await movedEvents()))
    .flatMap(({ moves }) => moves)
    .map(({ name, digest, previousDigest, tagUid, updateTime }) => [
      ...[name, updateTime, digest, previousDigest, tagUid !== undefined],
    ]);

const repoUid = async (name: string) =>
  (
    await sql<{ uid: string }>(
      "select uid from repos where parent = ? and name = ?",
      organization.uid,
      name,
    )
  )[0]?.uid;
const tagUid = async (name: string) =>
  (
    await sql<{ uid: string }>(
      "select uid from tags where ancestor0 = ? and name = ?",
      organization.uid,
      name,
    )
  )[0]?.uid;

describe("the moves of an import", () => {
  test("are in one event of each repository, in the order of their times, with both digests", async () => {
    await load([move(3, 3), move(1, 1), move(2, 2, "3.12"), move(1, 9, "1", "go")]);
    const events = await movedEvents();
    const [python, go] = [await repoUid("python"), await repoUid("go")];
    const about = (repo: string | undefined) => ({
      ...{ subject: repo, repo_uid: repo, group_uid: organization.uid, parent: organization.uid },
      source: "http://localhost:8787/registry/v2/tagMoves",
      body_type: "platform.events.v2.MovedTags",
      audience: "customer",
      ...{ pool: `api.platform.registry.tag.${repo}`, partition: "" },
    });
    const byRepo = new Map(events.map((event) => [event.subject, event]));
    expect([...byRepo.keys()].sort()).toEqual([python, go].sort());
    expect(byRepo.get(python ?? "")).toMatchObject(about(python));
    expect(await bodiesOf([byRepo.get(python ?? "") as StoredEvent])).toEqual([
      {
        repoUid: python,
        moves: [
          { name: "latest", digest: digest(1), updateTime: at(1) },
          { name: "3.12", tagUid: await tagUid("3.12"), digest: digest(2), updateTime: at(2) },
          {
            ...{ name: "latest", tagUid: await tagUid("latest"), updateTime: at(3) },
            ...{ digest: digest(3), previousDigest: digest(1) },
          },
        ],
      },
    ]);
    expect(byRepo.get(go ?? "")).toMatchObject(about(go));
  });

  test("into the past name the digest of their time, and no tag", async () => {
    await load([move(1, 1), move(9, 9)]);
    await load([move(5, 5), move(6, 6)]);
    const told = await movesTold();
    expect(told.slice(2)).toEqual([
      ["latest", at(5), digest(5), digest(1), false],
      ["latest", at(6), digest(6), digest(5), false],
    ]);
  });

  test("after the current digest of a tag name it, also if CreateTag moved the tag there", async () => {
    await load([move(1, 1)]);
    const repo = await repoUid("python");
    const { token } = organization.owner;
    const made = await createResource(`/registry/v2/tags/${repo}`, token, {
      ...{ name: "latest", digest: digest(2) },
    });
    const later = new Date(Date.parse(made.updateTime as string) + 1).toISOString();
    await load([{ ...move(0, 3), updateTime: later }]);
    const [, last] = await movesTold();
    expect(last).toEqual(["latest", later, digest(3), digest(2), true]);
  });

  test("that change nothing are left out, and a deleted record is listed without digests", async () => {
    await load([move(1, 1), move(4, 2)]);
    const { body } = await load([move(1, 1), move(3, 2)]);
    expect(body).toMatchObject({ recordedMoves: 1, unchangedMoves: 1 });
    expect((await movesTold()).slice(2)).toEqual([
      ["latest", at(3), digest(2), digest(1), false],
      ["latest", at(4), undefined, undefined, false],
    ]);
    const before = await movedEvents();
    await load([move(1, 1), move(3, 2)]);
    expect(await movedEvents()).toEqual(before);
  });

  test("come in events of at most 100, and a consumer that follows them has every tag", async () => {
    const moves = Array.from({ length: 450 }, (_, i) =>
      move(i, i % 7, `t${i % 40}`, i % 3 === 0 ? "python" : "go"),
    );
    expect((await load(moves)).status).toBe(200);
    const bodies = await bodiesOf(await movedEvents());
    expect(bodies.every(({ moves }) => moves.length <= 100)).toBe(true);
    expect(bodies.length).toBeGreaterThanOrEqual(5);
    const followed = new Map<string, string>();
    for (const { repoUid, moves } of bodies) {
      for (const { name, digest, previousDigest } of moves) {
        const key = `${repoUid}:${name}`;
        expect(followed.get(key)).toBe(previousDigest);
        followed.set(key, digest);
      }
    }
    const tags = await sql<{ key: string; digest: string }>(
      "select parent || ':' || name as key, digest from tags where ancestor0 = ?",
      organization.uid,
    );
    expect(Object.fromEntries(followed)).toEqual(
      Object.fromEntries(tags.map(({ key, digest }) => [key, digest])),
    );
  });

  test("happened in the group of the import, and their group is the organization", async () => {
    const { token } = organization.owner;
    const group = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "g" });
    await load([move(1, 1)], group.uid);
    expect(await movedEvents()).toMatchObject([{ parent: group.uid, group_uid: organization.uid }]);
  });
});

test("a repository that an import creates has the event of CreateRepo", async () => {
  await load([move(2, 1), move(1, 1, "1", "go"), move(3, 2)]);
  await load([move(4, 3), move(1, 1, "1", "rust")]);
  const events = await eventsOf("repo.created.v1");
  const of = async (name: string, seconds: number) => {
    const uid = await repoUid(name);
    return {
      subject: uid,
      repo_uid: uid,
      pool: uid,
      body_type: "platform.registry.v2.Repo",
      ...created(seconds),
    };
  };
  const created = (seconds: number) => ({
    data: expect.stringContaining(`"createTime":"${at(seconds)}"`),
  });
  expect(events).toMatchObject([await of("go", 1), await of("python", 2), await of("rust", 1)]);
});

test("an import whose events cannot be written moves nothing", async () => {
  const name = `refused_${randomUid()}`;
  await sql(
    `create trigger ${name} before insert on events
     when new.ancestor0 = '${organization.uid}' and new.type like '%.moved.batch.v1'
     begin select raise(abort, '${name}'); end`,
  );
  const logged = await expectLog(name);
  const { status } = await load([move(1, 1)]);
  await sql(`drop trigger ${name}`);
  expect(status).toBe(500);
  expect(await logged()).toContain("at ");
  expect(await sql("select uid from repos where parent = ?", organization.uid)).toEqual([]);
});

/** Calls of one plan that cross: each tag and image is deleted once and restored once. */
import { expect, test } from "vitest";
import { AgedRepo } from "./aged_repo.ts";

const count = 12;

/** A repository of many images with tags that expire. */
async function newRepo(): Promise<AgedRepo> {
  const repo = await AgedRepo.create();
  for (let at = 0; at < count; at += 1) await repo.tag((await repo.image()).digest, `pr-${at}`, 60);
  await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });
  return repo;
}

/** The events of a kind about the repository: how many there are, and about how many tags and images. */
async function eventsOf({ sql, uid }: AgedRepo, kind: string): Promise<unknown[]> {
  const [row] = await sql<{ all: number; subjects: number }>(
    `select count(*) as "all", count(distinct subject) as subjects from events
      where repo_uid = ? and type like '%.' || ? || '.v1'`,
    ...[uid, kind],
  );
  return [row?.all, row?.subjects];
}

const lengthOf = async ({ sql, uid }: AgedRepo, table: string): Promise<number> => {
  const rows = await sql<{ length: number }>(
    `select count(*) as length from ${table} where parent = ?`,
    uid,
  );
  return rows[0]?.length ?? 0;
};

/** Makes a call several times at once. Returns the statuses, which must be those of a success or of a refusal. */
async function cross(repo: AgedRepo, plan: string, methods: string[]): Promise<number[]> {
  const answers = await Promise.all(methods.map((method) => repo.call(`${plan}:${method}`, {})));
  const statuses = answers.map(({ status }) => status);
  for (const status of statuses) expect([200, 400, 409]).toContain(status);
  return statuses;
}

/** Repeats a call until the plan is in the state. */
async function finish(repo: AgedRepo, plan: string, method: string, state: string) {
  const { body } = await repo.call(plan);
  if (body.state !== state) await repo.call(`${plan}:${method}`, {});
  return (await repo.call(plan)).body;
}

test("three runs at once delete each tag and image once, and as many calls to undo it restore each once", async () => {
  const repo = await newRepo();
  const { uid } = await repo.plan();
  await cross(repo, uid, ["carryOut", "carryOut", "carryOut"]);
  const done = await finish(repo, uid, "carryOut", "EXPIRY_PLAN_STATE_DONE");
  expect(done).toMatchObject({ state: "EXPIRY_PLAN_STATE_DONE", deletedCount: 2 * count });
  expect(await eventsOf(repo, "tag.deleted")).toEqual([count, count]);
  expect(await eventsOf(repo, "manifest.deleted")).toEqual([count, count]);
  expect(await eventsOf(repo, "expiry_plan.carried_out")).toEqual([1, 1]);
  expect([await lengthOf(repo, "tags"), await lengthOf(repo, "manifests")]).toEqual([0, 0]);
  const before = await eventsOf(repo, "tag.created");
  await cross(repo, uid, ["undo", "undo", "undo"]);
  const undone = await finish(repo, uid, "undo", "EXPIRY_PLAN_STATE_UNDONE");
  expect(undone).toMatchObject({ state: "EXPIRY_PLAN_STATE_UNDONE", restoredCount: 2 * count });
  const [created] = await eventsOf(repo, "tag.created");
  expect(Number(created) - Number(before[0])).toBe(count);
  expect(await eventsOf(repo, "expiry_plan.undone")).toEqual([1, 1]);
  expect([await lengthOf(repo, "tags"), await lengthOf(repo, "manifests")]).toEqual([count, count]);
});

test("a cancel that crosses a run stops it, and an undo restores what was deleted", async () => {
  for (let round = 0; round < 6; round += 1) {
    const repo = await newRepo();
    const { uid } = await repo.plan();
    const canceling = (async () => {
      await new Promise((done) => setTimeout(done, 12 * round));
      return repo.call(`${uid}:cancel`, {});
    })();
    const [run, cancel] = await Promise.all([repo.call(`${uid}:carryOut`, {}), canceling]);
    expect([200, 400, 409]).toContain(run.status);
    expect([200, 400, 409]).toContain(cancel.status);
    const plan = (await repo.call(uid)).body;
    if (plan.state === "EXPIRY_PLAN_STATE_RUNNING") await repo.call(`${uid}:cancel`, {});
    const ended = (await repo.call(uid)).body;
    expect(ended.state).toMatch(/_(DONE|CANCELED)$/);
    const gone = 2 * count - (await lengthOf(repo, "tags")) - (await lengthOf(repo, "manifests"));
    expect(gone).toBe(ended.deletedCount ?? 0);
    if (gone > 0) {
      const undone = await repo.undo(uid);
      expect(undone).toMatchObject({ state: "EXPIRY_PLAN_STATE_UNDONE", restoredCount: gone });
    }
    expect([await lengthOf(repo, "tags"), await lengthOf(repo, "manifests")]).toEqual([
      count,
      count,
    ]);
  }
});

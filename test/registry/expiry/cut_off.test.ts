/** A plan that is cut off after each of its batches, continued or canceled, and undone. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { expectLog } from "../../world/logs.ts";
import { randomName } from "../../world/personas.ts";
import { AgedRepo } from "./aged_repo.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;

beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());

const rows = async (repo: AgedRepo) => ({
  tags: (await repo.sql("select * from tags where parent = ? order by name", repo.uid)).map(
    ({ update_time: _, ...tag }) => tag,
  ),
  manifests: await repo.sql("select * from manifests where parent = ? order by digest", repo.uid),
  links: await repo.sql(
    `select kind, blob_id from blob_links where (kind = 1 or blob_id not in (select manifest_id from manifest_references))
      and repo_id = (select id from repo_storage where uid = ?) order by kind, blob_id`,
    repo.uid,
  ),
  referrers: await repo.sql(
    "select hex(subject), annotations from referrers where repo_id = (select id from repo_storage where uid = ?) order by 2",
    repo.uid,
  ),
  bytes: await repo.sql("select bytes from repo_storage where uid = ?", repo.uid),
});

/** The batches: tags, images, tags of signatures, signatures. Each condition is true for one. */
const batches = [
  "new.tag like 'pr-%'",
  "new.tag = '' and new.number < (select max(number) from expiry_items where plan_uid = new.plan_uid and tag <> '')",
  "new.tag like 'sha256-%'",
  "new.tag = '' and new.number > (select max(number) from expiry_items where plan_uid = new.plan_uid and tag <> '')",
];

const cases = batches.flatMap((_, at) =>
  (["call", "cancel", "undo"] as const).map((how) => [at, how] as const),
);

test.each(cases)(
  "in batch %i, and then by %s: everything goes, and comes back as it was",
  async (at, how) => {
    const repo = await AgedRepo.createIn(registry);
    const [a, b, signature] = [await repo.image(), await repo.image(), await repo.image()];
    const index = await repo.index([a, b]);
    await repo.referrer(a.digest);
    await repo.referrer(signature.digest);
    await repo.tag(index, ["pr-1", "pr-2"], 60);
    await repo.tag(signature.digest, `${index.replace(":", "-")}.sig`, 60);
    await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });
    const before = await rows(repo);
    const plan = await repo.plan();
    expect(plan.items).toHaveLength(9);
    const cutOff = randomName("cut-off");
    const logged = await expectLog(cutOff);
    const outcome = how === "undo" ? 4 : 2;
    if (how === "undo") await repo.carryOut(plan.uid);
    await repo.sql(
      `create trigger cut before update on expiry_items when new.outcome = ${outcome} and ${batches[at]}
      begin select raise(abort, '${cutOff}'); end`,
    );
    const verb = how === "undo" ? "undo" : "carryOut";
    expect((await repo.call(`${plan.uid}:${verb}`, {})).status).not.toBe(200);
    await logged();
    await repo.sql("drop trigger cut");
    if (how === "undo") {
      await repo.sql(
        "update expiry_plans set update_time = update_time - 3600000 where uid = ?",
        plan.uid,
      );
      await registry.runSchedule();
    }
    if (how === "call") await repo.carryOut(plan.uid);
    if (how === "cancel") expect((await repo.call(`${plan.uid}:cancel`, {})).status).toBe(200);
    const { body } = await repo.call(plan.uid);
    if (how === "call")
      expect([body.state, body.deletedCount]).toEqual(["EXPIRY_PLAN_STATE_DONE", 9]);
    if (how === "undo") expect(body.state).toBe("EXPIRY_PLAN_STATE_UNDONE");
    else if (body.deletedCount) await repo.undo(plan.uid);
    const after = await rows(repo);
    const short = ({ tags, manifests, ...others }: typeof before) => ({
      tags: tags.map(({ name }) => name),
      manifests: manifests.map(({ digest }) => digest),
      ...others,
    });
    expect(short(after)).toEqual(short(before));
    expect(after).toEqual(before);
  },
);

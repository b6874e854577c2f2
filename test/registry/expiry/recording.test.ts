/** The record of pulls that a plan needs. */
import { expect, test } from "vitest";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { AgedRepo } from "./aged_repo.ts";

test("a plan is not carried out while the platform does not record all pulls", async () => {
  const registry = await startOwnRegistry({ bindings: { PULL_EVENTS: "0.5" } });
  try {
    const repo = await AgedRepo.createIn(registry);
    const { digest } = await repo.image();
    await repo.tag(digest, "pr-1", 60);
    const rule = await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["pr-*"] });
    const uid = `${repo.uid}/00000000000000aa`;
    await repo.sql(
      `insert into expiry_plans (uid, state, rules, tag_count, create_time, update_time) values (?, 3, ?, 1, ?3, ?3)`,
      uid,
      JSON.stringify([{ uid: rule, name: "rule", updateTime: 1 }]),
      Date.now(),
    );
    await repo.sql(
      `insert into expiry_items (plan_uid, number, tag, digest, rule, reason, bytes, outcome) values (?, 0, 'pr-1', ?, 0, '', 0, 1)`,
      uid,
      digest,
    );
    expect((await repo.call(`${uid}:carryOut`, {})).status).toBe(400);
    expect(await repo.pull("pr-1")).toBe(200);
  } finally {
    await registry.stop();
  }
});

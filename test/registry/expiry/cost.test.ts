/** A rule of the kind expire does nothing until a plan is made, so no other call may pay for it. */
import { expect, test } from "vitest";
import { callRest, costOf } from "../../world/platform.ts";
import { AgedRepo } from "./aged_repo.ts";

test("a deletion of a repository looks at no tag because of such a rule", async () => {
  const repo = await AgedRepo.create();
  const { digest } = await repo.image();
  await repo.tag(
    digest,
    Array.from({ length: 100 }, (_, n) => `pr-${n}`),
  );
  const path = `/registry/v2/repos/${repo.uid}?validate_only=true`;
  const cost = async () => {
    const answer = await callRest(path, { method: "DELETE", token: repo.token });
    expect(answer.status).toBe(200);
    const { rowsRead, roundTrips } = costOf(answer);
    return { rowsRead, roundTrips };
  };
  const before = await cost();
  await repo.rule({ expire: { unmovedDays: 30 } });
  const after = await cost();
  expect(after.roundTrips).toBe(before.roundTrips);
  expect(after.rowsRead - before.rowsRead).toBeLessThan(20);
});

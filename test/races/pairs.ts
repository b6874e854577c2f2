/** The tests of one half of all pairs of writes. Two files share the work, and each has its own world. */
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Race, type RacingWrite, racersOf } from "./races.ts";
import { failureText, type ReportLine, raceReport } from "./report.ts";
import { haveCommonRows } from "./table_use.ts";
import { type RaceWorld, startWorld } from "./world.ts";
import { writes } from "./writes/all.ts";

/** The number of simultaneous runs of each pair, each in its own order. */
const rounds = Number(process.env.RACES_ROUNDS ?? 1);
const seeds = Array.from({ length: rounds }, (_, at) => at + 1);

/** Whether to run pairs that are otherwise skipped. All pairs take four times as long. */
const doAllMeet = process.env.RACES_ALL === "true";

/** More failures of a test add nothing. */
const mostShown = 5;

/** From identities and role bindings it reads only the access of its caller. */
const ofPlainCaller = "ReposService/DeleteRepo with images";

/** Every second pair of a write with itself and the writes after it. */
const partnersOf = (racers: RacingWrite[], at: number, half: number) =>
  racers.filter((_, other) => other >= at && (at + other) % 2 === half);

/**
 * Whether the order of the two can matter, and no other pair shows it. A write with a twin meets only itself
 * and the twin, because every other write meets the twin.
 */
const shouldMeet = (one: RacingWrite, other: RacingWrite) =>
  haveCommonRows(one.needs[0], other.needs[1]) &&
  (one === other ||
    [one, other].every(({ twin }) => !twin || twin === one.write || twin === other.write));

/** Tests one half of the pairs: 0 or 1. */
export function testPairs(half: 0 | 1): void {
  let world: RaceWorld;
  let racers: RacingWrite[];
  const lines: ReportLine[] = [];

  beforeAll(async () => {
    world = await startWorld();
    racers = await racersOf(world, writes);
  });
  afterAll(async () => {
    const report = process.env.RACES_REPORT;
    if (report) appendFileSync(report, raceReport(half, lines));
    await world?.stage.stop();
  });

  describe("two writes at once have the result of one after the other, and a rejected one changes nothing", () => {
    test.each(writes.map(({ name }, at): [string, number] => [name, at]))(
      "%s",
      { timeout: 60_000 + rounds * 60_000 },
      async (name, at) => {
        const own = racers[at] as RacingWrite;
        const partners = partnersOf(racers, at, half);
        const met = partners.filter((other) => doAllMeet || shouldMeet(own, other));
        const race = new Race(world);
        for (const other of met) await race.play(own, other, seeds);
        const { verdicts: counts, failures } = race;
        const apart = partners.length - met.length;
        lines.push({ name, met: met.length, apart, counts, failures });
        expect(failures.slice(0, mostShown).map(failureText).join("\n\n")).toBe("");
      },
    );
  });

  test("a write with our own token reads only the grants that name its caller", () => {
    const { needs } = racers.find(({ write }) => write.name === ofPlainCaller) as RacingWrite;
    for (const { reads } of needs) {
      expect(reads.get("role_bindings")).toBeInstanceOf(Set);
      expect(reads.get("identities")).toBeInstanceOf(Set);
    }
  });

  test("writes of version 1 send the same statements as the version 2 writes that replace them in the races", () => {
    const twins = racers.filter(({ twin }) => twin).map(({ write }) => write.name);
    expect(twins.length).toBeGreaterThan(20);
    expect(twins).toContain("iam.Roles/Delete that nothing needs");
    expect(twins).not.toContain("vulnerabilities.v1.Advisories/Delete by hand");
  });

  test("a run restores every row", async () => {
    expect(await world.stage.isWhole()).toBe(true);
  });
}

/** The tests of one part of all pairs of writes. Three files share the work, and each has its own world. */
import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rpcOf } from "../contract/rpcs.ts";
import { tiers } from "../world/tiers.ts";
import { Race, type RacingWrite, racersOf } from "./races.ts";
import { failureText, type ReportLine, raceReport } from "./report.ts";
import { haveCommonRows } from "./table_use.ts";
import { type RaceWorld, startWorld } from "./world.ts";
import { writes } from "./writes/all.ts";

/** One of eight pairs, or one half of all others. The quick tier runs the sample. */
type Part = "sample" | 0 | 1;

/** The number of simultaneous runs of each pair, each in its own order. */
const rounds = Number(process.env.RACES_ROUNDS ?? 1);
const seeds = Array.from({ length: rounds }, (_, at) => at + 1);

/** Whether to run pairs that are otherwise skipped. All pairs take four times as long. */
const doAllMeet = process.env.RACES_ALL === "true";

/** More failures of a test add nothing. */
const mostShown = 5;

/** From identities and role bindings it reads only the access of its caller. */
const ofPlainCaller = "ReposService/UpdateRepo name";

/**
 * Whether the order of the two can matter, and no other pair shows it. A write with a twin meets only itself
 * and the twin, because every other write meets the twin.
 */
const shouldMeet = (one: RacingWrite, other: RacingWrite) =>
  haveCommonRows(one.needs[0], other.needs[1]) &&
  (one === other ||
    [one, other].every(({ twin }) => !twin || twin === one.write || twin === other.write));

type Pair = [RacingWrite, RacingWrite];

/** The domain and the version of an RPC. Of any other write, the first word of its name: `SCIM`. */
function kindOf({ write: { name, rpc } }: RacingWrite): string {
  const found = rpc === undefined ? undefined : rpcOf(rpc);
  if (!found) return name.split(" ")[0] ?? "";
  return `${found.method.parent.typeName.split(".")[1]}${found.isV1 ? " 1" : ""}`;
}

/** Of the pairs of the same two kinds, one of eight, and at least one. */
function sampleOf(pairs: Pair[]): Set<Pair> {
  const classes = Map.groupBy(pairs, (pair) => pair.map(kindOf).sort().join(" and "));
  const places = new Map(
    [...classes].flatMap(([name, some]) =>
      some.map((pair, at): [Pair, string] => [pair, `${name} ${Math.floor(at / 8)}`]),
    ),
  );
  const [[sample]] = tiers(pairs, (pair) => places.get(pair) ?? "") as [[Pair[], unknown], unknown];
  return new Set(sample);
}

/** The pairs of a part by their first write: those that run, and the number of those that are spared. */
function partnersOf(racers: RacingWrite[], part: Part) {
  const all = racers.flatMap((one, at) =>
    racers.slice(at).map((other, apart) => ({ pair: [one, other] as Pair, half: apart % 2 })),
  );
  const meeting = all.filter(({ pair: [one, other] }) => doAllMeet || shouldMeet(one, other));
  const sample = sampleOf(meeting.map(({ pair }) => pair));
  const own = ({ pair, half }: (typeof all)[number]) =>
    part === "sample" ? sample.has(pair) : half === part && !sample.has(pair);
  const met = Map.groupBy(meeting.filter(own), ({ pair: [one] }) => one);
  const every = Map.groupBy(all.filter(own), ({ pair: [one] }) => one);
  return (one: RacingWrite) => {
    const partners = (met.get(one) ?? []).map(({ pair: [, other] }) => other);
    return { partners, apart: (every.get(one) ?? []).length - partners.length };
  };
}

/** Tests one part of the pairs. */
export function testPairs(part: Part): void {
  let world: RaceWorld;
  let racers: RacingWrite[];
  let pairsOf: ReturnType<typeof partnersOf>;
  const lines: ReportLine[] = [];

  beforeAll(async () => {
    world = await startWorld();
    racers = await racersOf(world, writes);
    pairsOf = partnersOf(racers, part);
  });
  afterAll(async () => {
    const report = process.env.RACES_REPORT;
    if (report) appendFileSync(report, raceReport(String(part), lines));
    await world?.stage.stop();
  });

  describe("two writes at once have the result of one after the other, and a rejected one changes nothing", () => {
    test.each(writes.map(({ name }, at): [string, number] => [name, at]))(
      "%s",
      { timeout: 60_000 + rounds * 60_000 },
      async (name, at) => {
        const own = racers[at] as RacingWrite;
        const { partners, apart } = pairsOf(own);
        const race = new Race(world);
        for (const other of partners) await race.play(own, other, seeds);
        const { verdicts: counts, failures } = race;
        lines.push({ name, met: partners.length, apart, counts, failures });
        expect(failures.slice(0, mostShown).map(failureText).join("\n\n")).toBe("");
      },
    );
  });

  test("a run restores every row", async () => {
    expect(await world.stage.isWhole()).toBe(true);
  });

  if (part === "sample") testNeeds(() => racers);
}

/** Tests how a pair is spared. */
function testNeeds(racers: () => RacingWrite[]): void {
  test("a write with our own token reads only the grants that name its caller", () => {
    const { needs } = racers().find(({ write }) => write.name === ofPlainCaller) as RacingWrite;
    for (const { reads } of needs) {
      expect(reads.get("role_bindings")).toBeInstanceOf(Set);
      expect(reads.get("identities")).toBeInstanceOf(Set);
    }
  });

  test("writes of version 1 send the same statements as the version 2 writes that replace them in the races", () => {
    const twins = racers()
      .filter(({ twin }) => twin)
      .map(({ write }) => write.name);
    expect(twins.length).toBeGreaterThan(20);
    expect(twins).toContain("iam.Roles/Delete that nothing needs");
    expect(twins).not.toContain("vulnerabilities.v1.Advisories/Delete by hand");
  });
}

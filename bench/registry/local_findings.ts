/** Tables and goals of the comparison of `npm start` with CNCF Distribution. */
import { percentile } from "../percentile.ts";
import type { Cell, Goal, Table } from "../report/findings.ts";
import type { LocalOutcome, LocalResults } from "./local.ts";

const MB = 1e6;
/** The parts of Distribution's speed that `npm start` must reach. */
const leastShares = { pull: 0.5, push: 0.7 };
/** The bytes by which a process may grow while 2 GiB are pushed and pulled. */
const mostGrowth = 200 * MB;

const own = "npm start";
const bare = "bare Worker";

/** The three servers of one load. */
interface Trio {
  mine: LocalOutcome;
  peer: LocalOutcome;
  floor: LocalOutcome | undefined;
}

function triosOf({ outcomes }: LocalResults): Trio[] {
  const loads = [...new Set(outcomes.map(({ load }) => load))];
  return loads.flatMap((load) => {
    const all = outcomes.filter((outcome) => outcome.load === load);
    const mine = all.find(({ server }) => server === own);
    const floor = all.find(({ server }) => server === bare);
    const peer = all.find((outcome) => outcome !== mine && outcome !== floor);
    return mine && peer ? [{ mine, peer, floor }] : [];
  });
}

/** The median of the ratios of all rounds. */
const shareOf = (mine: LocalOutcome, peer: LocalOutcome) =>
  percentile(
    mine.rates.map((rate, round) => rate / (peer.rates[round] ?? Number.NaN)),
    0.5,
  );

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

/** Goals have a bound only for pulls and for pushes of large layers. */
function boundOf({ load, unit }: LocalOutcome): number | undefined {
  if (!load.startsWith("push")) return leastShares.pull;
  return unit === "MiB" ? leastShares.push : undefined;
}

const growthOf = ({ memory }: LocalResults) =>
  memory.flatMap(({ server, before, after }) =>
    after.map(({ id, name, memory }) => {
      const earlier = before.find((process) => process.id === id);
      return { server, name, before: earlier?.memory ?? 0, after: memory };
    }),
  );

/** Returns the goals. There is none for memory where it cannot be read. */
export function localGoals(results: LocalResults): Goal[] {
  const speed = triosOf(results).flatMap(({ mine, peer }): Goal[] => {
    const bound = boundOf(mine);
    if (bound === undefined) return [];
    const share = shareOf(mine, peer);
    return [
      {
        what: `npm start, ${mine.load}: speed compared with ${peer.server}`,
        bound: `at least ${bound} ×`,
        measured: `${share.toFixed(2)} ×`,
        kept: share >= bound,
      },
    ];
  });
  const mine = growthOf(results).filter(({ server }) => server === own);
  const growths = mine.map(({ before, after }) => after - before);
  if (growths.length === 0) return speed;
  const most = Math.max(...growths);
  const memory: Goal = {
    what: "npm start: the most memory that a process has gained after 2 GiB were pushed and pulled",
    bound: `at most ${mostGrowth / MB} MB`,
    measured: `${Math.round(most / MB)} MB`,
    kept: most <= mostGrowth,
  };
  return [...speed, memory];
}

function speedTable(trios: Trio[]): Table {
  const rateOf = (outcome: LocalOutcome | undefined) =>
    outcome ? rounded(percentile(outcome.rates, 0.5), 1) : "";
  return {
    title: "npm start and Distribution",
    text: `The figures are medians of all rounds, per second. × is the median of the ratios of all rounds. The bare Worker
reads one row for each small request, and stores and returns the layers as they are.`,
    head: [
      ...["load", "unit", "npm start", "Distribution", "bare Worker"],
      ...["npm start ×", "bare Worker ×"],
    ],
    rows: trios.map(({ mine, peer, floor }): Cell[] => [
      ...[mine.load, mine.unit, rateOf(mine), rateOf(peer), rateOf(floor)],
      ...[rounded(shareOf(mine, peer), 2), floor ? rounded(shareOf(floor, peer), 2) : ""],
    ]),
  };
}

/** The seconds of CPU for as many units as a person can imagine. */
const amounts = { requests: 1_000, images: 10, MiB: 1024 };

function workTable(trios: Trio[]): Table {
  const work = (outcome: LocalOutcome, seconds: number) =>
    rounded((seconds * amounts[outcome.unit]) / outcome.units, 2);
  return {
    title: "CPU time of npm start and Distribution, by process",
    text: "In seconds for 1000 requests, 10 images or 1 GiB. Other work on the machine does not change it much.",
    head: ["load", "server", "process", "seconds"],
    rows: trios.flatMap(({ mine, peer, floor }) =>
      [mine, peer, ...(floor ? [floor] : [])].flatMap((outcome) =>
        [...outcome.work]
          .map(([process, seconds]) => [process, work(outcome, seconds)] as const)
          .filter(([, seconds]) => seconds > 0)
          .map(([process, seconds]): Cell[] => [outcome.load, outcome.server, process, seconds]),
      ),
    ),
  };
}

function memoryTable(results: LocalResults): Table {
  const inMB = (bytes: number) => Math.round(bytes / MB);
  return {
    title: "Memory before and after 2 GiB",
    text: "In MB, just after the start, and after 2 GiB were pushed and pulled.",
    head: ["server", "process", "before", "after", "more"],
    rows: growthOf(results).map(({ server, name, before, after }) => [
      ...[server, name, inMB(before), inMB(after)],
      inMB(after - before),
    ]),
  };
}

export function localTables(results: LocalResults): Table[] {
  const trios = triosOf(results);
  const tables = [speedTable(trios), workTable(trios), memoryTable(results)];
  return tables.filter(({ rows }) => rows.length > 0);
}

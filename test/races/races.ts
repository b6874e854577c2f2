/** Runs two writes with every overlap, and finds the order that explains each outcome. */

import { rpcOf } from "../contract/rpcs.ts";
import { differences, type RunOutcome, rowOf } from "./outcomes.ts";
import type { HttpCall, Run, RunRecord } from "./protocol.ts";
import { isAborted, RunResult, raceDelayMs } from "./run_result.ts";
import { type TableUse, tableUseOf, uidsIn, uidsOf } from "./table_use.ts";
import type { RaceWorld } from "./world.ts";
import type { Write } from "./writes/write.ts";

/** A write, and its outcome alone. */
export interface RacingWrite {
  write: Write;
  /** The access and data that the first caller and the second caller need, whose rights differ. */
  needs: [TableUse, TableUse];
  /** Round trips to D1. */
  trips: number;
  /** Made by the first caller, and by the second. */
  calls: [HttpCall, HttpCall];
  /**
   * For a write of version 1: the write of version 2 that sends the same statements about the same rows, in
   * the same round trips.
   */
  twin?: Write | undefined;
}

/** The explanation of an outcome. */
export type Verdict =
  | "first before second"
  | "second before first"
  | "refused"
  | "between batches"
  | "failed";

/** A run whose outcome no order explains. */
export interface RaceFailure {
  pair: string;
  /** How the two overlapped. */
  how: string;
  /** The differences from the nearer order, and broken invariants. */
  lines: string[];
}

const fixed = ({ stage }: RaceWorld) => ({ time: stage.time + raceDelayMs, runs: false });
const running = ({ stage }: RaceWorld) => ({ time: stage.time + raceDelayMs, runs: true });

/** The uids in the changed rows, by table. */
const changedUids = (columns: RaceWorld["columns"], changes: RunRecord["changes"]) =>
  Object.fromEntries(
    Object.entries(changes).map(([table, change]) => {
      const rows = [...change.gone, ...change.new].map((text) => rowOf(columns, table, text));
      return [table, new Set(rows.flatMap(uidsOf))];
    }),
  );

/** The outcome of the writes alone. */
export async function racersOf(world: RaceWorld, writes: Write[]): Promise<RacingWrite[]> {
  const [one, two] = world.callers;
  const calls = writes.map((write): [HttpCall, HttpCall] => [
    write.call(world, one),
    write.call(world, two),
  ]);
  const runs = calls.flatMap((both) =>
    both.map((call): Run => {
      const only: Run["calls"] = call === both[0] ? [call, null] : [null, call];
      return { calls: only, order: "sequence", clock: fixed(world), records: true };
    }),
  );
  const ran = await world.stage.runs(runs);
  const held = new Map(Object.values(world.held).map(({ identity, role }) => [identity, role]));
  const needsIn = ({ statements, changes }: RunRecord) =>
    tableUseOf(statements?.flat() ?? [], changedUids(world.columns, changes), held);
  const sent = ran.filter((_, at) => at % 2 === 0).map(sentText);
  const isV1 = ({ rpc }: Write) => rpc !== undefined && rpcOf(rpc).isV1;
  const twinOf = (at: number) =>
    isV1(writes[at] as Write)
      ? writes.find((one, other) => !isV1(one) && sent[other] === sent[at])
      : undefined;
  return writes.map((write, at) => {
    const [one, two] = ran.slice(2 * at, 2 * at + 2) as [RunRecord, RunRecord];
    const needs: RacingWrite["needs"] = [needsIn(one), needsIn(two)];
    const trips = one.trips[0] ?? 0;
    return { write, needs, trips, calls: calls[at] as [HttpCall, HttpCall], twin: twinOf(at) };
  });
}

/**
 * The statements of a call by round trip, and the uids in their parameters. New uids are the same in all
 * runs.
 */
const sentText = ({ statements }: RunRecord) =>
  JSON.stringify(
    statements?.flat().map((trip) => trip.map(({ sql, params }) => [sql, [...uidsIn(params)]])),
  );

interface Pair {
  name: string;
  calls: [HttpCall, HttpCall];
  /** The two calls run within each other, and at once. */
  meetings: Run[];
}

const within = (trips: number, run: Omit<Run, "order" | "before">): Run[] =>
  Array.from({ length: Math.max(0, trips - 1) }, (_, at) => ({
    ...{ ...run, order: "within", before: at + 2 },
  }));

function pairOf(world: RaceWorld, one: RacingWrite, other: RacingWrite, seeds: number[]): Pair {
  const calls: [HttpCall, HttpCall] = [one.calls[0], other.calls[1]];
  const still = { calls, clock: fixed(world) };
  const turned = one === other ? [] : within(other.trips, { ...still, isTurned: true });
  const atOnce = seeds.map(
    (seed): Run => ({ calls, order: "together", seed, clock: running(world) }),
  );
  const name = `${one.write.name} | ${other.write.name}`;
  return { name, calls, meetings: [...within(one.trips, still), ...turned, ...atOnce] };
}

/** A refresh token that is used twice ends its login, and the error writes that. */
const writesRefused = /ExchangeRefreshToken/;

/** They write in batches, between which others come. Then no order explains all, but nothing may be damaged. */
const inBatches = /(Create|CarryOut|Undo)ExpiryPlan/;

/** They name the version that they read themselves, and are refused if it is no longer the current one. */
const namesVersion = /ScimToken|SetScimEnabled/;

/** Runs all overlaps of two writes. */
export class Race {
  readonly #world: RaceWorld;
  readonly verdicts: Record<Verdict, number> = {
    ...{ "first before second": 0, "second before first": 0, refused: 0, "between batches": 0 },
    failed: 0,
  };
  readonly failures: RaceFailure[] = [];

  constructor(world: RaceWorld) {
    this.#world = world;
  }

  /** Runs them. The seeds are for the simultaneous runs. */
  async play(one: RacingWrite, other: RacingWrite, seeds: number[]): Promise<void> {
    const { name, calls, meetings } = pairOf(this.#world, one, other, seeds);
    const clock = fixed(this.#world);
    const inTurn: Run = { calls, order: "sequence", clock };
    const [ahead, ...met] = (await this.#runs([inTurn, ...meetings])) as [
      RunResult,
      ...RunResult[],
    ];
    const [first, second] = calls;
    const further = once(() =>
      this.#runs([
        { ...inTurn, isTurned: true },
        { ...inTurn, calls: [first, null] },
        { ...inTurn, calls: [null, second] },
      ]),
    );
    const wrong = await wrongInTurn(name, ahead, further);
    if (wrong.length > 0) this.#fail(name, "one after the other", wrong);
    for (const [at, outcome] of met.entries()) {
      const run = meetings[at] as Run;
      const verdict = await this.#judge(name, run, outcome, ahead, further);
      this.verdicts[verdict] += 1;
    }
  }

  async #runs(runs: Run[]): Promise<RunResult[]> {
    return (await this.#world.stage.runs(runs)).map((run) => new RunResult(this.#world, run));
  }

  async #judge(
    pair: string,
    run: Run,
    outcome: RunResult,
    ahead: RunResult,
    further: () => Promise<RunResult[]>,
  ): Promise<Verdict> {
    const of = run.clock.runs ? "timeless" : "exact";
    const one = differences(outcome[of], ahead[of]);
    if (one.length === 0) return "first before second";
    const [behind, ...alone] = (await further()) as [RunResult, RunResult, RunResult];
    const other = differences(outcome[of], behind[of]);
    if (other.length === 0) return "second before first";
    const isSpared = alone.some((only, at) => sparesOther(outcome[of], only[of], 1 - at));
    if (isSpared && outcome.damage.length === 0) return "refused";
    const { answers } = outcome.exact;
    const isWhole = outcome.damage.length === 0 && answers.every(({ status }) => status < 500);
    if (isWhole && inBatches.test(pair)) return "between batches";
    const [order, lines] =
      one.length <= other.length ? ["first before second", one] : ["second before first", other];
    this.#fail(pair, howOf(run), [...outcome.damage, `what differs from ${order}:`, ...lines]);
    return "failed";
  }

  #fail(pair: string, how: string, lines: string[]): void {
    this.failures.push({ pair, how, lines });
  }
}

/** The problems of a call that runs after the other, without any overlap. */
async function wrongInTurn(
  pair: string,
  ahead: RunResult,
  further: () => Promise<RunResult[]>,
): Promise<string[]> {
  const { answers, rows } = ahead.exact;
  const wrong = [...ahead.damage];
  if (answers.some(isAborted) && !namesVersion.test(pair)) {
    wrong.push("ABORTED, though nothing else was under way");
  }
  const refused = answers.findIndex(({ status }) => status >= 400);
  if (refused < 0 || writesRefused.test(pair)) return wrong;
  const [, ...alone] = await further();
  const only = alone[1 - refused];
  if (!only) return wrong;
  const lines = differences({ answers: [], rows }, { answers: [], rows: only.exact.rows });
  return lines.length === 0 ? wrong : [...wrong, "what a refused call changed:", ...lines];
}

/**
 * Whether the call at that index was ABORTED, and everything else is as if only the other call had been made.
 */
function sparesOther(outcome: RunOutcome, only: RunOutcome, at: number): boolean {
  const [answer, none] = [outcome.answers[at], only.answers[at]];
  if (!answer || !none || !isAborted(answer)) return false;
  return differences({ ...outcome, answers: outcome.answers.with(at, none) }, only).length === 0;
}

/** Computes the value on first use, and returns it afterwards. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

function howOf({ order, isTurned, before, seed }: Run): string {
  if (order === "together") return `at once (seed ${seed})`;
  const [outer, inner] = isTurned ? ["second", "first"] : ["first", "second"];
  return `the ${inner} before round trip ${before} of the ${outer}`;
}

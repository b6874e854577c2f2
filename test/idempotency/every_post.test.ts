/** Every POST of version 2 that writes, with an idempotency key, in the world of the races. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractRpc, rpcOf, rpcs } from "../contract/rpcs.ts";
import type { HttpAnswer, HttpCall, Run, RunRecord } from "../races/protocol.ts";
import { raceDelayMs } from "../races/run_result.ts";
import { type RaceWorld, startWorld } from "../races/world.ts";
import { writes } from "../races/writes/all.ts";
import type { Write } from "../races/writes/write.ts";
import { tiers } from "../world/tiers.ts";

/** Their answer depends on the results of the write, so it is stored after it. */
const answeredLate = [
  "SubscriptionsService/RedeliverEvents",
  "AdvisoryPurgesService/PurgeAdvisories",
];

/** POSTs of version 2 that write. The token service ignores keys. */
const isKeyed = ({ method, isV1, verb, event }: ContractRpc) =>
  !isV1 && verb === "POST" && event !== undefined && method.parent.name !== "SecurityTokenService";

const keyed = writes.filter(({ rpc }) => rpc !== undefined && isKeyed(rpcOf(rpc)));

/** In the world of the races, these are refused. */
const isRefused = ({ name }: Write) =>
  /that is taken|that there is$|where there is one$/.test(name);

const domainOf = ({ rpc = "" }: Write) => rpcOf(rpc).method.parent.typeName.split(".")[1] ?? "";
const cases = keyed
  .filter((write) => !isRefused(write))
  .map((write) => [write.name, write] as const);
const byRpc = tiers(cases, ([, { rpc = "" }]) => rpc);
const byDomain = tiers(cases, ([, write]) => domainOf(write));

let world: RaceWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stage.stop());

const withKey = (call: HttpCall, key = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'): HttpCall => ({
  ...call,
  headers: { ...call.headers, "idempotency-key": key },
});

/** The number of rows of each table that a run has deleted and written, apart from the keys. */
const effectOf = ({ changes }: RunRecord) =>
  Object.fromEntries(
    Object.entries(changes)
      .filter(([table]) => table !== "idempotency_keys")
      .map(([table, change]) => [table, [change.gone.length, change.new.length]]),
  );

const keysIn = ({ changes }: RunRecord) => changes.idempotency_keys?.new.length ?? 0;

async function play(runs: Omit<Run, "clock">[]): Promise<RunRecord[]> {
  const clock = { time: world.stage.time + raceDelayMs, runs: false };
  return world.stage.runs(runs.map((run) => ({ ...run, clock })));
}

/** Makes a call with a key, alone. */
async function alone({ call: callOf }: Write) {
  const call = withKey(callOf(world, world.callers[0]));
  const [record] = await play([{ calls: [call, null], order: "sequence" }]);
  return { call, record: record as RunRecord, trips: record?.trips[0] ?? 0 };
}

const shown = (answer: HttpAnswer | null | undefined) => [answer?.status, answer?.body];
const isReplayed = (answer: HttpAnswer | null | undefined) =>
  answer?.headers["idempotency-replayed"] === "true";

test("the table has every POST of version 2 that writes", () => {
  const names = rpcs.filter(isKeyed).map(({ name }) => name);
  expect(new Set(cases.map(([, { rpc }]) => rpc))).toEqual(new Set(names));
});

describe.each(byRpc)("a POST with a key", (rows, tier) => {
  test.for(rows)(
    "repeated, has the same answer and no further effect: %s",
    tier,
    async ([, write]) => {
      const { call, record } = await alone(write);
      const [both] = (await play([{ calls: [call, call], order: "sequence" }])) as [RunRecord];
      const [first, second] = both.answers;
      expect([first?.status, isReplayed(first)]).toEqual([200, false]);
      expect(shown(second)).toEqual(shown(first));
      expect(isReplayed(second)).toBe(true);
      expect(effectOf(both)).toEqual(effectOf(record));
      expect(keysIn(both)).toBe(1);
    },
  );

  test.for(rows)("has the effect that it has without a key: %s", tier, async ([, write]) => {
    const { record, call } = await alone(write);
    const { "idempotency-key": _, ...headers } = call.headers;
    const [plain] = await play([{ calls: [{ ...call, headers }, null], order: "sequence" }]);
    expect(effectOf(record)).toEqual(effectOf(plain as RunRecord));
    expect(plain?.answers[0]?.status).toBe(200);
  });
});

describe.each(byDomain)("a POST with a key", (rows, tier) => {
  test.for(rows)(
    "cut off before any round trip and repeated, has one effect: %s",
    tier,
    async ([, write]) => {
      const { call, record, trips } = await alone(write);
      const cuts = Array.from({ length: trips }, (_, at) => at + 1);
      const runs = await play(
        cuts.map((before) => ({ calls: [call, call], order: "cut", before })),
      );
      for (const run of runs) {
        const [cut, repeated] = run.answers;
        expect(run.isReached).toBe(true);
        expect(cut?.status).toBe(503);
        expect(run.damage).toEqual([]);
        expect(effectOf(run)).toEqual(effectOf(record));
        const isLate = answeredLate.includes(write.rpc ?? "") && repeated?.status === 409;
        if (isLate) expect(repeated.headers["retry-after"]).toBe("1");
        else expect(repeated?.status).toBe(200);
      }
    },
  );

  test.for(rows)(
    "made twice at once, has one effect and one answer: %s",
    tier,
    async ([, write]) => {
      const { call, record, trips } = await alone(write);
      const calls: Run["calls"] = [call, call];
      const within = Array.from(
        { length: trips - 1 },
        (_, at): Omit<Run, "clock"> => ({
          calls,
          order: "within",
          before: at + 2,
        }),
      );
      const together = [1, 2, 3].map(
        (seed): Omit<Run, "clock"> => ({ calls, order: "together", seed }),
      );
      for (const run of await play([...within, ...together])) {
        const [one, other] = run.answers;
        expect(run.damage).toEqual([]);
        expect(effectOf(run)).toEqual(effectOf(record));
        if (answeredLate.includes(write.rpc ?? "")) continue;
        expect(one?.status).toBe(200);
        expect(shown(one)).toEqual(shown(other));
        expect([one, other].filter(isReplayed).length).toBe(1);
      }
    },
  );
});

test.for(keyed.filter(isRefused))("a refused call stores no key: $name", async (write) => {
  const { record } = await alone(write);
  expect(record.answers[0]?.status).toBe(409);
  expect(keysIn(record)).toBe(0);
});

test("a run restores every row", async () => {
  expect(await world.stage.isWhole()).toBe(true);
});

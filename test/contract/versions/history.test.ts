/**
 * The same random history through both versions and both transports leaves the same world after every step,
 * with equal responses: version 1 has no rules of its own.
 */
import { once } from "node:events";
import type { Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grpcBridge } from "../../../cli/grpc/bridge.ts";
import { sharedProvider } from "../../iam/identity_providers/openid_provider.ts";
import { baseUrl, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { type CallOutcome, Code, callers, overGrpc } from "../callers.ts";
import { rpcOf } from "../rpcs.ts";
import { useIssuer } from "./access_steps.ts";
import { historyArbitrary } from "./histories.ts";
import { type Read, reads } from "./reads.ts";
import type { Ref, Step, StepKind } from "./step.ts";
import { withoutVolatile } from "./words.ts";
import {
  answerOf,
  comparableOutcome,
  newWorld,
  type RoleName,
  type VersionWorld,
  withCommonNames,
  worldState,
} from "./world.ts";

/** The histories of every run. HISTORY_SEEDS and HISTORY_RUNS search for others. */
const seeds = (process.env.HISTORY_SEEDS ?? "20261121 1234567 42").split(" ").map(Number);
const runs = Number(process.env.HISTORY_RUNS ?? 1);

let bridge: Http2Server;
let grpc: ReturnType<typeof overGrpc>;
beforeAll(async () => {
  bridge = grpcBridge(new URL(baseUrl())).listen(0, "127.0.0.1");
  await once(bridge, "listening");
  grpc = overGrpc(`127.0.0.1:${(bridge.address() as AddressInfo).port}`);
});
afterAll(() => {
  grpc.close();
  bridge.close();
});

const newWorlds = () =>
  Promise.all([
    newWorld("v1 over REST", "v1", callers.REST),
    newWorld("v1 over gRPC", "v1", grpc),
    newWorld("v2 over REST", "v2", callers.REST),
    newWorld("v2 over gRPC", "v2", grpc),
  ]);

/** The symbols for the resources of a kind that steps have created, in order of creation. */
class Made {
  readonly #symbols: Record<StepKind, string[]> = {
    ...{ group: ["<organization>"], identity: ["<editor>", "<viewer>"] },
    ...{ role: ["<built-in role>"], binding: ["<binding of <viewer>>"], repo: [], tag: [] },
    ...{ invite: [], subscription: [], mapping: [], provider: ["<provider>"] },
  };
  #count = 0;

  /** The symbol for the referenced resource. */
  named(kind: StepKind, ref: Ref): string {
    if (ref === "malformed") return "malformed";
    const symbols = this.#symbols[kind];
    const symbol = typeof ref === "string" ? undefined : symbols[ref.nth % symbols.length];
    return symbol ?? "<nothing>";
  }

  /** Records the resource that a step created in each world. */
  add(kind: StepKind, worlds: VersionWorld[], outcomes: CallOutcome[]): void {
    const made = worlds.map((_, index) => uidsIn((outcomes[index]?.message ?? {}) as JsonObject));
    for (const [place] of (made[0] ?? []).entries()) {
      const own = made.map((uids) => uids[place] ?? "");
      // A tag that was moved has the uid that it had.
      if (worlds.some(({ uids }, index) => [...uids.values()].includes(own[index] ?? ""))) continue;
      const symbol = `<${kind} ${this.#count}>`;
      this.#count += 1;
      for (const [index, { uids }] of worlds.entries()) uids.set(symbol, own[index] ?? "");
      this.#symbols[kind].push(symbol);
    }
  }
}

/** The uids of the created resources in a response: one, or a batch. */
const uidsIn = ({ uid, id, roleBindings }: JsonObject): string[] =>
  roleBindings ? (roleBindings as JsonObject[]).flatMap(uidsIn) : [String(uid ?? id)];

const only = <T>(values: T[]): T => {
  for (const value of values) expect(value).toEqual(values[0]);
  return values[0] as T;
};

/** Takes the step in every world. All must respond alike, and be alike afterwards. */
async function take(
  step: Step,
  turn: number,
  worlds: VersionWorld[],
  made: Made,
  since: number,
): Promise<number> {
  const sayings = worlds.map((world) =>
    step.request((kind, ref) => world.uids.get(made.named(kind, ref)) ?? made.named(kind, ref)),
  );
  const asked = worlds.map(({ version }, index) => {
    const { rpc = "", request = {} } = sayings[index]?.[version] ?? {};
    return { rpc: rpcOf(rpc), request };
  });
  const outcomes = await Promise.all(
    worlds.map(({ ask, tokens }, index) => {
      const { rpc, request } = asked[index] as (typeof asked)[number];
      return ask(rpc, request, tokens[step.who]);
    }),
  );
  const code = only(outcomes.map((outcome) => outcome.code));
  const { makes } = sayings[0] ?? {};
  if (makes && code === 0) made.add(makes, worlds, outcomes);
  const all = worlds.map((world, index) => {
    const outcome = outcomes[index] as CallOutcome;
    const { rpc } = asked[index] as (typeof asked)[number];
    const names = sayings[index]?.names ?? {};
    return { world, outcome, comparable: comparableOutcome(world, rpc, outcome, names) };
  });
  only(all.map((one) => one.comparable));
  for (const version of ["v1", "v2"]) {
    const same = all.filter(({ world }) => world.version === version);
    only(same.map(({ world, outcome }) => answerOf(world, outcome)));
  }
  only(await Promise.all(worlds.map((world) => worldState(world, since))));
  await compareRead(worlds, made, step.about, turn);
  return code;
}

/** A List returns the same rows in all worlds, with and without filters. */
async function compareRead(
  worlds: VersionWorld[],
  made: Made,
  about: Step["about"],
  turn?: number,
): Promise<void> {
  if (about === "provider") return;
  const read = reads[about];
  const hasName = [read.v1, read.v2].every((name) => "name" in rpcOf(name).method.input.field);
  const symbols = about === "association" ? [] : [made.named(about, { nth: 0 }), "<nothing>"];
  const filters: Filter[] = [
    {},
    ...(hasName ? [{ name: "alpha" }] : []),
    ...symbols.map((symbol) => ({ symbol })),
  ];
  // Each step sees all rows and one of the filters in turn; the end of a history, all of them.
  const shown = filters.filter((_, at) => turn === undefined || at === turn % filters.length);
  for (const filter of turn === undefined ? filters : [{}, ...shown]) {
    only(await Promise.all(worlds.map((world) => rowsOf(world, read, filter, "owner"))));
  }
}

/** Every List returns the same rows in all worlds, to every caller. */
async function compareReads(worlds: VersionWorld[], made: Made): Promise<void> {
  for (const [about, read] of Object.entries(reads)) {
    await compareRead(worlds, made, about as Step["about"]);
    for (const who of ["viewer", "outsider"] as const) {
      only(await Promise.all(worlds.map((world) => rowsOf(world, read, {}, who))));
    }
  }
}

/** The filter of a List: none, a name, or the resource of a symbol. */
interface Filter {
  name?: string;
  symbol?: string;
}

async function rowsOf(
  world: VersionWorld,
  read: Read,
  filter: Filter,
  who: RoleName,
): Promise<string[]> {
  const { version, organization, uids, tokens } = world;
  const id = filter.symbol === undefined ? undefined : (uids.get(filter.symbol) ?? "");
  const below = { uidp: { descendantsOf: organization.uid } };
  const whole = read.key === "tags" ? { pageSize: 200, ...everyTag } : { pageSize: 200 };
  const rpc = rpcOf(read[version]);
  const hasId = "id" in rpc.method.input.field;
  const request = {
    ...(filter.name === undefined ? {} : { name: filter.name }),
    ...(id === undefined && !read.unscoped ? below : {}),
    ...(id === undefined ? {} : hasId ? { id } : { uidp: { ids: [id] } }),
    ...(version === "v1" ? {} : whole),
  };
  const asked = await world.ask(rpc, request, tokens[who]);
  if (asked.code !== 0) return [String(Code[asked.code])];
  const message = asked.message as Record<string, JsonObject[]>;
  const rows = message[version === "v1" ? "items" : read.key] ?? [];
  return rows.map((row) => said(world, read, row)).sort();
}

const everyTag = { includeReferrers: true, includeDates: true, includeEpochs: true };

function said(world: VersionWorld, { translate, known }: Read, row: JsonObject): string {
  const inV2 = world.version === "v1" ? translate(row) : known(row);
  return withCommonNames(world, JSON.stringify(withoutVolatile(inV2)));
}

const lastEvent = async () =>
  (await sql<{ last: number }>("select coalesce(max(rowid), 0) as last from events"))[0]?.last ?? 0;

describe("the same history through v1 and v2, REST and gRPC, leaves the same rows", () => {
  /** The outcomes of each kind of step: how often it was taken, by code. */
  const codes = new Map<string, Map<number, number>>();

  async function follow(steps: Step[]): Promise<void> {
    const worlds = await newWorlds();
    const since = await lastEvent();
    const made = new Made();
    for (const [index, step] of steps.entries()) {
      const code = await take(step, index, worlds, made, since).catch((cause) => {
        const until = steps.slice(0, index + 1).map(({ who, what }) => `${who}: ${what}`);
        throw new Error(`the worlds part at the last of\n${until.join("\n")}`, { cause });
      });
      const of = codes.get(step.does) ?? new Map<number, number>();
      codes.set(step.does, of.set(code, (of.get(code) ?? 0) + 1));
    }
    await compareReads(worlds, made);
  }

  beforeAll(async () => {
    useIssuer((await sharedProvider()).url);
  });

  test("the first steps", long, async () => {
    const [history = []] = fc.sample(historyArbitrary, { seed: seeds[0] ?? 0, numRuns: 1 });
    await follow(history.slice(0, 12));
  });

  test.each(seeds)("seed %i", long, async (seed) => {
    await fc.assert(fc.asyncProperty(historyArbitrary, follow), {
      ...{ seed, numRuns: runs, endOnFailure: process.env.HISTORY_SHRINK === undefined },
    });
  });

  test(
    "every kind of step has succeeded in these histories, and has failed for many reasons",
    long,
    () => {
      const never = [...codes].filter(([, of]) => !of.has(0)).map(([does]) => does);
      expect(never).toEqual([]);
      expect(codes.size).toBe(30);
      const seen = new Set([...codes.values()].flatMap((of) => [...of.keys()]));
      for (const code of [
        ...[Code.InvalidArgument, Code.NotFound, Code.PermissionDenied],
        ...[Code.AlreadyExists, Code.FailedPrecondition],
      ]) {
        expect(seen, Code[code]).toContain(code);
      }
    },
  );
});

test("a difference between the rows is found", async () => {
  const worlds = (await newWorlds()).slice(0, 2);
  const since = await lastEvent();
  await sql("update groups set description = 'other' where uid = ?", worlds[1]?.organization.uid);
  const [one, other] = await Promise.all(worlds.map((world) => worldState(world, since)));
  expect(one).not.toEqual(other);
});

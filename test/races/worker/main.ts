/** Runs in a Worker in front of the platform, and makes two calls overlap as a test requests. */
import type {
  D1Database,
  DurableObjectState,
  DurableObjectStorage,
  ExecutionContext,
} from "@cloudflare/workers-types";
import {
  type HttpCall,
  type Run,
  type RunRecord,
  type StageCommand,
  stagePath,
} from "../protocol.ts";
import { runCall, Trips } from "./call.ts";
import { patchChance } from "./chance.ts";
import { patchClock, setClock } from "./clock.ts";
import { damageIn } from "./damage.ts";
import { gatedDatabase } from "./database.ts";
import { patchRewriter } from "./rewriter.ts";
import { RowTracker } from "./rows.ts";
import { runShuffled, type Turn } from "./shuffle.ts";
import { patchFetch, serveUpstream } from "./upstream.ts";

interface Env {
  RACES: { idFromName(name: string): unknown; get(id: unknown): { fetch: typeof fetch } };
}
type PlatformEnv = Omit<Env, "RACES"> & { DB: D1Database };
type Platform = {
  fetch(request: Request, env: PlatformEnv, context: ExecutionContext): Promise<Response>;
};

class Undo extends Error {}

async function answerOf(response: Response) {
  const headers: Record<string, string> = {};
  for (const name of ["location", "etag", "idempotency-replayed", "retry-after"]) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: response.status, headers, body: await response.text() };
}

function requestOf({ method, path, headers, body }: HttpCall): Request {
  const init = { method, headers, redirect: "manual" as const };
  return new Request(`http://localhost:8787${path}`, {
    ...init,
    ...(body === undefined ? {} : { body }),
  });
}

/** The platform in an object with its own database. */
export function stageOf(platform: Platform) {
  patchClock();
  patchChance();
  patchFetch();
  patchRewriter();

  return class Stage {
    readonly #storage: DurableObjectStorage;
    readonly #rows: RowTracker;
    readonly #context: ExecutionContext;
    /** The same for every call, because the platform caches its configuration by it. */
    readonly #env: PlatformEnv;

    constructor(state: DurableObjectState, env: Env) {
      this.#storage = state.storage;
      this.#rows = new RowTracker(state.storage);
      this.#context = state as unknown as ExecutionContext;
      const { RACES: _, ...rest } = env;
      this.#env = { ...rest, DB: gatedDatabase(state.storage) };
    }

    async fetch(request: Request): Promise<Response> {
      if (new URL(request.url).pathname !== stagePath) {
        return platform.fetch(request, this.#env, this.#context);
      }
      try {
        return Response.json((await this.#do((await request.json()) as StageCommand)) ?? {});
      } catch (error) {
        return new Response(String((error as Error).stack ?? error), { status: 500 });
      }
    }

    async #do(asked: StageCommand) {
      if (asked.do === "runs") return this.#runs(asked.runs);
      if (asked.do === "snapshot") return this.#rows.keep();
      if (asked.do === "compare") return { isWhole: this.#rows.isWhole };
      if (asked.do === "clock") return void setClock(asked.time, false);
      if (asked.do === "upstream") return void serveUpstream(asked.pages);
      return asked.statements.map(({ query, values }) =>
        this.#storage.sql.exec(query, ...(values as string[])).toArray(),
      );
    }

    async #runs(runs: Run[]): Promise<RunRecord[]> {
      const all: RunRecord[] = [];
      for (const run of runs) all.push(await this.#undone(() => this.#play(run)));
      return all;
    }

    /** Runs it, and resets every row. */
    async #undone<T>(work: () => Promise<T>): Promise<T> {
      let outcome: { done: T } | undefined;
      try {
        await this.#storage.transaction(async () => {
          outcome = { done: await work() };
          throw new Undo();
        });
      } catch (error) {
        if (!(error instanceof Undo) || !outcome) throw error;
      }
      if (!outcome) throw new Error("nothing was done");
      return outcome.done;
    }

    async #play(run: Run): Promise<RunRecord> {
      setClock(run.clock.time, run.clock.runs);
      const trips = [new Trips(), new Trips()];
      const answers: RunRecord["answers"] = [null, null];
      const send = async (at: number, own = new Trips()) => {
        const call = run.calls[at];
        if (!call) return;
        trips[at] = own;
        answers[at] = await runCall(at, own, async () =>
          answerOf(await platform.fetch(requestOf(call), this.#env, this.#context)),
        );
      };
      const isReached = await this.#order(run, send);
      const changes = this.#rows.changes(trips.flatMap(({ all }) => all.flat()));
      const damage = await damageIn(this.#storage, Object.keys(changes));
      return {
        ...{ answers, isReached, changes, damage },
        trips: trips.map(({ all }) => all.length),
        ...(run.records ? { statements: trips.map(({ all }) => all) } : {}),
      };
    }

    async #order(
      { order, isTurned, before, seed }: Run,
      send: (at: number, trips?: Trips) => Promise<void>,
    ): Promise<boolean> {
      const [outer, inner] = isTurned ? [1, 0] : [0, 1];
      if (order === "together") {
        const calls = [outer, inner].map((at) => (turn: Turn) => send(at, new Trips(turn)));
        await runShuffled(seed ?? 0, calls);
        return true;
      }
      let isReached = false;
      const happens = async (trip: number) => {
        if (trip !== before) return;
        isReached = true;
        await send(inner);
      };
      const ends = async (trip: number) => {
        isReached ||= trip === before;
        // The platform does not log this error.
        if (isReached) throw new Error("organization is leaving");
      };
      const hook = { within: happens, cut: ends, sequence: undefined }[order];
      await send(outer, new Trips(hook));
      if (order !== "within") await send(inner);
      return order === "sequence" || isReached;
    }
  };
}

/** Passes every request to the only object. */
export const door = {
  fetch: (request: Request, { RACES }: Env) => RACES.get(RACES.idFromName("one")).fetch(request),
};

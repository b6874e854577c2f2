/** Runs in a Worker around the platform: plays histories, and returns those that break a rule. */
import type { D1Database, R2Bucket } from "@cloudflare/workers-types";
import { toHex } from "../../../src/aip/sha256.ts";
import { gatedBucket, gatedDatabase, type Through } from "./bindings.ts";
import { Checks, listAll } from "./checks.ts";
import { Clients } from "./clients.ts";
import { Connections } from "./connections.ts";
import type { DigestOf } from "./contents.ts";
import { Dice } from "./dice.ts";
import { Ledger } from "./ledger.ts";
import { type Program, writeProgram } from "./program.ts";
import { type Host, type Organization, reposPath, sendAlone } from "./requests.ts";
import { Scheduler } from "./scheduler.ts";

/** The path of this module. Every other path belongs to the platform. */
export const modelPath = "/__model";

export interface Asked {
  /** The seeds are this number and the next ones. */
  seed: number;
  histories: number;
  organizations: [Organization, Organization];
  /** Whether to return the lines of histories that break no rule too. */
  isVerbose: boolean;
}

/** A history that breaks rules, or any one if asked. */
export interface Played {
  seed: number;
  violations: string[];
  lines: string[];
}

interface Env {
  DB: D1Database;
  BLOBS: R2Bucket;
}

/** Digests as the registry writes them. */
const digestOf: DigestOf = async (bytes) => {
  const hash = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return `sha256:${toHex(new Uint8Array(hash))}`;
};

/** The scheduler of the history that is being played. */
let scheduler: Scheduler | undefined;
let checkShift = 0;

/** Lets the scheduler decide how much later it is for a run of the schedule. */
function patchClock(): void {
  const realNow = Date.now;
  Date.now = () => realNow() + (scheduler?.shift ?? checkShift);
}

/** Random ids whose beginning depends on the seed, because some rows are in their order. */
class Ids {
  #dice = new Dice(0);

  begin(seed: number): void {
    this.#dice = new Dice(seed);
  }

  patch(): void {
    const real = crypto.getRandomValues.bind(crypto);
    const fill = (view: ArrayBufferView<ArrayBuffer>) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      real(bytes);
      for (let at = 0; at < Math.min(4, bytes.length); at += 1) {
        bytes[at] = this.#dice.between(0, 255);
      }
      return view;
    };
    Object.defineProperty(crypto, "getRandomValues", { value: fill });
  }
}

const through: Through = (label, work) => (scheduler ? scheduler.call(label, work) : work());

/** The module around the platform. `scheduled` is the schedule of the registry alone. */
export function modelWorker(
  platform: Host["platform"],
  { scheduled }: Pick<Host["platform"], "scheduled">,
) {
  patchClock();
  const ids = new Ids();
  ids.patch();
  let host: Host | undefined;
  return {
    ...platform,
    async fetch(request: Request, env: Env, execution: object): Promise<Response> {
      if (new URL(request.url).pathname !== modelPath) {
        return platform.fetch(request, env, execution);
      }
      const { seed, histories, organizations, isVerbose } = (await request.json()) as Asked;
      host ??= {
        platform: { fetch: platform.fetch, scheduled },
        env: { ...env, DB: gatedDatabase(env.DB, through), BLOBS: gatedBucket(env.BLOBS, through) },
      };
      // The first call of a day records a use, which later calls do not.
      for (const by of organizations) {
        for (const path of ["/v2/", reposPath(by)]) {
          await sendAlone(host, { method: "GET", path, by });
        }
      }
      const all: Played[] = [];
      for (let at = 0; at < histories; at += 1) {
        ids.begin(seed + at);
        const played = await play(host, env.BLOBS, organizations, seed + at);
        if (isVerbose || played.violations.length > 0) all.push(played);
      }
      return Response.json(all);
    },
  };
}

async function play(
  host: Host,
  bucket: R2Bucket,
  organizations: Asked["organizations"],
  seed: number,
): Promise<Played> {
  const dice = new Dice(seed);
  const program = await writeProgram(dice, seed, digestOf);
  const others = new Set((await listAll(bucket)).map(({ key }) => key));
  await createRepositories(host, organizations, program);
  const gated = new Scheduler(dice);
  const ledger = new Ledger();
  const connections = new Connections(host, gated, ledger, organizations, program);
  const clients = new Clients(connections, ledger);
  scheduler = gated;
  const done = (async () => {
    for (const operation of program.before) await clients.run(operation);
    gated.note("from here on, the operations overlap");
    await Promise.all(program.operations.map((operation) => clients.run(operation)));
  })();
  await gated.run();
  scheduler = undefined;
  const setShift = (shift: number) => {
    checkShift = shift;
  };
  const checks = new Checks({
    ...{ host, bucket, others, organizations, program, connections, ledger, digestOf, setShift },
  });
  const stuck = gated.tasks.filter(({ state }) => state === "running");
  checks.found.push(...stuck.map(({ name }) => `${name} never ends`));
  if (stuck.length === 0) await done;
  const first = dice.pick(["at once", "after a clean-up", "after a month", "after a month"]);
  await checks.run(first, dice.pick(organizations));
  return { seed, violations: checks.found, lines: [...gated.history, `checked ${first}`] };
}

async function createRepositories(
  host: Host,
  organizations: Organization[],
  { repositories }: Program,
): Promise<void> {
  for (const { name, organization, exists } of repositories) {
    const by = organizations[organization];
    if (!exists || !by) continue;
    const path = `/registry/v2/repos/${by.uid}`;
    const chunks = [new TextEncoder().encode(JSON.stringify({ name }))];
    const headers = { "content-type": "application/json" };
    await sendAlone(host, { method: "POST", path, by, chunks, headers });
  }
}

/** Compares the platform as `npm start` runs it with CNCF Distribution, and with a bare Worker on the same simulators. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Program } from "../peers/distribution.ts";
import type { BenchSetup } from "../report/findings.ts";
import { shuffled } from "../shuffled.ts";
import { sendLoad } from "../speed/load.ts";
import { type BenchBlob, newBlob } from "./blob.ts";
import {
  authorizationOf,
  type ImageTarget,
  manifestHeaders,
  newSmallImage,
  pullBlob,
  pushBlob,
  pushSmallImage,
  putManifest,
  type SmallImage,
  urlOf,
} from "./client.ts";
import { type LocalServer, openBare, openLocal, openPeer, tag } from "./local_servers.ts";
import { type ProcessUse, usesOf, workSince } from "./processes.ts";
import { transfer } from "./transfer.ts";

const MiB = 1024 ** 2;
export const localRounds = 3;
export const localSlice = 2;
const connections = 16;
const smallBlob = 10_000;
export const imageCount = 20;
export const layerCount = 5;
export const layerSize = 1024 * MiB;
/** The rounds with a large layer: 2 GiB are pushed and pulled. */
const layerRounds = 2;

/** The speed and the work of one server in all rounds of one load. */
export interface LocalOutcome {
  load: string;
  unit: "requests" | "images" | "MiB";
  server: string;
  /** Units per second, once for each round. */
  rates: number[];
  /** The units of all rounds. */
  units: number;
  /** The seconds of CPU of each process in all rounds, by its name. */
  work: Map<string, number>;
}

/** Everything that was measured. */
export interface LocalResults {
  outcomes: LocalOutcome[];
  memory: LocalMemory[];
}

/** The processes of one server before and after 2 GiB were pushed and pulled, just after its start. */
export interface LocalMemory {
  server: string;
  before: ProcessUse[];
  after: ProcessUse[];
}

/** A load on a server. `run` returns the number of units. It is undefined if the server does not serve that. */
interface Load {
  name: string;
  unit: LocalOutcome["unit"];
  run(server: LocalServer, round: number): Promise<number> | undefined;
}

const rateOf = (url: string, method: "GET" | "HEAD", headers = {}) =>
  sendLoad({ url, method, headers }, connections, localSlice).then(({ length }) => length);

/** Runs a load on all servers, in shuffled order in each round. */
async function runByTurns(
  load: Load,
  servers: LocalServer[],
  rounds: number,
  say: BenchSetup["say"],
): Promise<LocalOutcome[]> {
  const { name, unit } = load;
  const outcomes = new Map<string, LocalOutcome>();
  for (let round = 0; round < rounds; round += 1) {
    say(`registry: npm start, ${name}, round ${round + 1} of ${rounds}`);
    for (const server of shuffled(servers)) {
      const before = usesOf(server.programs);
      const begun = performance.now();
      const running = load.run(server, round);
      if (running === undefined) continue;
      const units = await running;
      const seconds = (performance.now() - begun) / 1_000;
      // The work after the last response belongs to the load.
      await pause(300);
      const outcome = outcomes.get(server.name) ?? {
        ...{ load: name, unit, server: server.name, units: 0 },
        ...{ rates: [] as number[], work: new Map<string, number>() },
      };
      outcomes.set(server.name, outcome);
      outcome.rates.push(units / seconds);
      outcome.units += units;
      for (const [process, work] of workSince(before, server.programs))
        outcome.work.set(process, (outcome.work.get(process) ?? 0) + work);
    }
  }
  return servers.flatMap((server) => outcomes.get(server.name) ?? []);
}

/** Small requests. The bare Worker reads one row in place of each. */
function smallLoads(blob: BenchBlob): Load[] {
  const load = (
    name: string,
    method: "GET" | "HEAD",
    path: string,
    headersOf: (target: ImageTarget) => Record<string, string>,
  ): Load => ({
    name,
    unit: "requests",
    run: ({ target, rowUrl }) => {
      if (target) return rateOf(urlOf(target, path), method, headersOf(target));
      return rowUrl ? rateOf(rowUrl, "GET") : undefined;
    },
  });
  return [
    load("HEAD of a manifest", "HEAD", `manifests/${tag}`, manifestHeaders),
    load("GET of a manifest by tag", "GET", `manifests/${tag}`, manifestHeaders),
    load("GET of a blob of 10 kB", "GET", `blobs/${blob.digest}`, authorizationOf),
  ];
}

async function pushImage(target: ImageTarget, image: SmallImage, tag: string): Promise<void> {
  await Promise.all(
    image.blobs.map(async (blob) => {
      const head = { method: "HEAD", headers: authorizationOf(target) };
      const known = await transfer(urlOf(target, `blobs/${blob.digest}`), head).catch(() => null);
      if (!known) await pushBlob(target, blob);
    }),
  );
  await putManifest(target, tag, image);
}

async function pullImage(target: ImageTarget, image: SmallImage, tag: string): Promise<void> {
  await transfer(urlOf(target, `manifests/${tag}`), { headers: manifestHeaders(target) });
  await Promise.all(image.blobs.map((blob) => pullBlob(target, blob)));
}

/** Images, one after the other, and the layers of each at the same time. */
function imageLoads(): Load[] {
  const images = Array.from({ length: imageCount }, () =>
    newSmallImage(
      {},
      Array.from({ length: layerCount }, () => newBlob(MiB)),
    ),
  );
  const each = (name: string, one: typeof pushImage): Load => ({
    name,
    unit: "images",
    run: ({ target }) => {
      if (!target) return undefined;
      const all = async () => {
        for (const [index, image] of images.entries()) await one(target, image, `image-${index}`);
        return images.length;
      };
      return all();
    },
  });
  return [
    each("push of new images", pushImage),
    each("push of the same images", pushImage),
    each("pull of images", pullImage),
  ];
}

/** Large layers, a new one in each round. */
function layerLoads(size: number): Load[] {
  const layers = Array.from({ length: layerRounds }, () => newBlob(size));
  const each = (direction: "push" | "pull"): Load => ({
    name: `${direction} of a layer of 1 GiB`,
    unit: "MiB",
    run: ({ carrier }, round) => {
      const layer = layers[round];
      return layer && carrier[direction](layer).then(() => size / MiB);
    },
  });
  return [each("push"), each("pull")];
}

/** Measures `npm start`, a program of Distribution, and a bare Worker. */
export async function measureLocal(
  program: Program,
  folder: string,
  say: BenchSetup["say"],
  size = layerSize,
): Promise<LocalResults> {
  const workFolder = join(folder, "local");
  await mkdir(workFolder, { recursive: true });
  const servers: LocalServer[] = [];
  try {
    servers.push(await openLocal(workFolder));
    servers.push(await openPeer(program, workFolder));
    servers.push(await openBare(workFolder));
    const blob = newBlob(smallBlob);
    for (const { target } of servers) {
      if (target) await pushSmallImage(target, tag);
      if (target) await pushBlob(target, blob);
    }
    const outcomes: LocalOutcome[] = [];
    const runAll = async (loads: Load[], rounds: number) => {
      for (const load of loads) outcomes.push(...(await runByTurns(load, servers, rounds, say)));
    };
    const before = servers.map(({ programs }) => usesOf(programs));
    await runAll(layerLoads(size), layerRounds);
    const memory = servers.map(({ name, programs }, index) => ({
      ...{ server: name, before: before[index] ?? [], after: usesOf(programs) },
    }));
    await runAll(smallLoads(blob), localRounds);
    await runAll(imageLoads(), 1);
    return { outcomes, memory };
  } finally {
    await Promise.allSettled(servers.map((server) => server.stop()));
  }
}

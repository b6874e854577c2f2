/**
 * Compares the registry host with bare Workers and with CNCF Distribution: pushes and pulls of a large blob, and HEAD
 * and GET of manifests. It also counts what requests cost, and the bytes of a push in memory.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Program, programs } from "../peers/distribution.ts";
import type { BenchSetup, Findings } from "../report/findings.ts";
import { removeFolder } from "../stage.ts";
import {
  type BlobOutcome,
  bareCarrier,
  blobChart,
  blobGoals,
  blobRounds,
  blobTable,
  measureBlobs,
  registryCarrier,
} from "./blobs.ts";
import { countGoal, countTable } from "./counts.ts";
import { type OpenRegistry, openRegistry } from "./distribution.ts";
import { imageCount, type LocalResults, layerCount, measureLocal } from "./local.ts";
import { localGoals, localTables } from "./local_findings.ts";
import {
  type ManifestOutcome,
  manifestChart,
  manifestGoals,
  manifestRounds,
  manifestServer,
  manifestSlice,
  manifestTables,
  measureManifests,
} from "./manifests.ts";
import { memoryGoal } from "./memory.ts";
import {
  type Counted,
  type Filled,
  fillPlatform,
  openPlatform,
  type RunningPlatform,
} from "./platform.ts";

const tag = "latest";
const bare = "bare Worker";

/** Everything that was measured. */
export interface RegistryResults {
  counted: Counted;
  blobs: BlobOutcome[];
  manifests: ManifestOutcome[];
  /** The programs of Distribution, also those that are not on this machine. */
  programs: Program[];
  /** `npm start` and Distribution. Undefined if no program of Distribution is on this machine. */
  local: LocalResults | undefined;
}

/** Measures the registry host, and the programs of Distribution that are on PATH. */
export async function measureRegistry(setup: BenchSetup): Promise<Findings> {
  const workFolder = join(setup.folder, "registry");
  await mkdir(workFolder, { recursive: true });
  const known = await programs();
  const others: OpenRegistry[] = [];
  try {
    setup.say("registry: counting requests, and the bytes in memory");
    const { filled, counted } = await fillPlatform(setup.bundle, join(workFolder, "platform"), tag);
    for (const program of known) {
      if (program.version !== undefined) others.push(await openRegistry(program, workFolder, tag));
    }
    const platform = await openPlatform(setup.bundle, filled);
    let timed: Timed;
    try {
      timed = await race(platform, filled, others, setup.say);
    } finally {
      await platform.stop();
    }
    const [peer] = known.filter(({ version }) => version !== undefined);
    if (!peer) setup.say("registry: npm start is not compared, because Distribution is not here");
    const local = peer && (await measureLocal(peer, workFolder, setup.say));
    return registryFindings({ counted, ...timed, programs: known, local });
  } finally {
    await Promise.allSettled(others.map((other) => other.stop()));
    await removeFolder(workFolder);
  }
}

type Timed = Pick<RegistryResults, "blobs" | "manifests">;

async function race(
  platform: RunningPlatform,
  { digest }: Filled,
  others: OpenRegistry[],
  say: BenchSetup["say"],
): Promise<Timed> {
  const manifests = await measureManifests(
    [
      manifestServer("platform", platform.target, tag, digest),
      platform.bareManifests(bare),
      ...others.map((peer) => manifestServer(peer.name, peer.target, tag, peer.digest)),
    ],
    say,
  );
  const blobs = await measureBlobs(
    [
      registryCarrier("platform", platform.target),
      bareCarrier(bare, platform.bareStorageUrl),
      ...others.map(({ name, target }) => registryCarrier(name, target)),
    ],
    say,
  );
  return { blobs, manifests };
}

const introduction = `Clients on this machine push and pull blobs and read manifests. All servers run at the same time and take turns in
shuffled order. The platform, and the bare Workers that it is compared with, run in one workerd on one D1 and one local
R2. Each has its own socket:

- A bare Worker for blobs gives R2 the body of a PUT as one stream, as the platform does. It streams an object back for
  a GET. It checks no token, computes no digest and does not use D1.
- A bare Worker for manifests verifies the signature of the token, reads one row of D1, and checks no role.

**Blobs.** In each of ${blobRounds} rounds, every server gets the same new blob of 1 GiB, in one PUT, and returns it. The
platform verifies the digest of a push. It reads 64 MiB of an object at a time, and the bare Worker the whole object. The client computes no digest in these rounds. In the warm-up it does, and a
server that returns other bytes ends the run.

**Manifests.** A client resolves a tag with HEAD, and reads the manifest by its digest with GET. The figures contain
${manifestRounds} slices of ${manifestSlice} s each after a warm-up. The platform counts each pull, and writes the
sums every two seconds.`;

const programText = ({ command, version, source }: Program) =>
  version === undefined
    ? `**CNCF Distribution as \`${command}\` is not measured**, because it was not found on this machine. To install it: ${source}.`
    : `CNCF Distribution ${version} is the program \`${command}\` on this machine. To install it: ${source}. It stores blobs
in a folder. It verifies the ES256 signature of a JWT of a token server, which contains the permissions. The platform
verifies the same signature, and reads the permissions from D1 with every request.`;

const incomparable = `Distribution and the platform are not directly comparable. Distribution is written in Go and runs on all cores. The
platform is a Worker on one thread. Its local R2 is a simulator in the same process, which takes most of the time of
a push and of a pull. The bare Worker has the same R2, so it shows how much of the time is our own. In production, R2
is a service, and Distribution needs a disk or an object store.`;

const localText = `**npm start.** The same client uses a platform that \`npm start\` runs, with its front door, its Worker and the
simulators of D1 and R2, and a Distribution with default settings. They take turns. It pushes and pulls ${imageCount}
images, one after the other, each with ${layerCount} layers of 1 MiB at the same time. The bare Worker is a Worker on simulators of its own,
without a front door. No Worker on this machine can be faster than that with D1 and R2.`;

/** Returns the results for the reader. */
export function registryFindings(results: RegistryResults): Findings {
  const { counted, blobs, manifests, local } = results;
  const texts = [introduction, ...results.programs.map(programText), incomparable];
  return {
    title: "Registry host",
    text: [...texts, ...(local ? [localText] : [])].join("\n\n"),
    tables: [
      ...[blobTable(blobs), ...manifestTables(manifests, bare), countTable(counted.requests)],
      ...(local ? localTables(local) : []),
    ],
    goals: [
      ...[...blobGoals(blobs), ...manifestGoals(manifests, bare)],
      ...[memoryGoal(counted.mostPending), countGoal(counted.requests)],
      ...(local ? localGoals(local) : []),
    ],
    charts: [blobChart(blobs), manifestChart(manifests)],
  };
}

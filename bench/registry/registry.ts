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
import {
  type ManifestOutcome,
  manifestChart,
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
    try {
      const timed = await race(platform, filled, others, setup.say);
      return registryFindings({ counted, ...timed, programs: known });
    } finally {
      await platform.stop();
    }
  } finally {
    await Promise.allSettled(others.map((other) => other.stop()));
    await removeFolder(workFolder);
  }
}

async function race(
  platform: RunningPlatform,
  { digest }: Filled,
  others: OpenRegistry[],
  say: BenchSetup["say"],
): Promise<Pick<RegistryResults, "blobs" | "manifests">> {
  const manifests = await measureManifests(
    [
      manifestServer("platform", platform.target, tag, digest),
      manifestServer("platform without pull events", platform.targetWithoutEvents, tag, digest),
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
R2. Each has its own socket. The bare Workers check no token:

- A bare Worker for blobs gives R2 the body of a PUT as one stream, as the platform does. It streams an object back for
  a GET. It computes no digest and does not use D1.
- A bare Worker for manifests sends D1 the statements of the platform in one batch, and returns their rows with
  \`JSON.stringify\`.

**Blobs.** In each of ${blobRounds} rounds, every server gets the same new blob of 1 GiB, in one PUT, and returns it. The
platform verifies the digest of a push. It reads 64 MiB of an object at a time, and the bare Worker the whole object. The client computes no digest in these rounds. In the warm-up it does, and a
server that returns other bytes ends the run.

**Manifests.** A client resolves a tag with HEAD, and reads the manifest by its digest with GET. The figures contain
${manifestRounds} slices of ${manifestSlice} s each after a warm-up. The platform writes an event of each pull after the
response (\`PULL_EVENTS\`). It is measured with and without these events, because they use the same D1. The bare Worker
and Distribution write none.`;

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

/** Returns the results for the reader. */
export function registryFindings(results: RegistryResults): Findings {
  const { counted, blobs, manifests } = results;
  return {
    title: "Registry host",
    text: [introduction, ...results.programs.map(programText), incomparable].join("\n\n"),
    tables: [blobTable(blobs), ...manifestTables(manifests, bare), countTable(counted.requests)],
    goals: [...blobGoals(blobs), memoryGoal(counted.mostPending), countGoal(counted.requests)],
    charts: [blobChart(blobs), manifestChart(manifests)],
  };
}

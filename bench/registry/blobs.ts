/** Measures in turn how fast a large blob is pushed and pulled. */
import { percentile } from "../percentile.ts";
import type { BenchSetup, Chart, Goal, Table } from "../report/findings.ts";
import { shuffled } from "../shuffled.ts";
import { type BenchBlob, newBlob } from "./blob.ts";
import { type ImageTarget, pullBlob, pushBlob } from "./client.ts";
import { type TransferResponse, transfer } from "./transfer.ts";

const MiB = 1024 ** 2;
const blobSize = 1024 * MiB;
const warmUpSize = 64 * MiB;
export const blobRounds = 5;
/** The part of the bare Worker's throughput that the platform must reach. */
const leastShare = 0.8;

/** A server that stores blobs. */
export interface Carrier {
  name: string;
  push(blob: BenchBlob): Promise<unknown>;
  pull(blob: BenchBlob, digests?: boolean): Promise<TransferResponse>;
}

const directions = ["push", "pull"] as const;
type Direction = (typeof directions)[number];

/** The throughput of one server in MiB per second, once for each round. */
export type BlobOutcome = { name: string } & Record<Direction, number[]>;

/** A registry as a server that stores blobs. */
export const registryCarrier = (name: string, target: ImageTarget): Carrier => ({
  name,
  push: (blob) => pushBlob(target, blob),
  pull: (blob, digests) => pullBlob(target, blob, digests),
});

/** The bare Worker as a server that stores blobs. */
export function bareCarrier(name: string, origin: string): Carrier {
  const urlOf = ({ digest }: BenchBlob) => `${origin}/${digest}`;
  return {
    name,
    push: (body) => transfer(urlOf(body), { method: "PUT", body }),
    pull: (blob, digests = false) => transfer(urlOf(blob), { digests }),
  };
}

/** Throws an Error unless the server returns the bytes that it received. */
async function requireSameBytes({ name, push, pull }: Carrier): Promise<void> {
  const blob = newBlob(warmUpSize + 1);
  await push(blob);
  const { digest, size } = await pull(blob, true);
  if (digest !== blob.digest) throw new Error(`${name} returned ${size} other bytes: ${digest}`);
}

async function throughputOf({ size }: BenchBlob, run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return size / MiB / ((performance.now() - begun) / 1_000);
}

/** Pushes and pulls a new blob in each round. The servers take turns in shuffled order, after a warm-up. */
export async function measureBlobs(
  carriers: Carrier[],
  say: BenchSetup["say"],
  size = blobSize,
): Promise<BlobOutcome[]> {
  for (const carrier of carriers) await requireSameBytes(carrier);
  const outcomes = carriers.map(({ name }): BlobOutcome => ({ name, push: [], pull: [] }));
  for (let round = 1; round <= blobRounds; round += 1) {
    say(`registry: blobs of ${size / MiB} MiB, round ${round} of ${blobRounds}`);
    const blob = newBlob(size);
    for (const carrier of shuffled(carriers)) {
      const outcome = outcomes.find(({ name }) => name === carrier.name);
      outcome?.push.push(await throughputOf(blob, () => carrier.push(blob)));
      outcome?.pull.push(await throughputOf(blob, () => carrier.pull(blob)));
    }
  }
  return outcomes;
}

const medianOf = (values: number[]) => Number(percentile(values, 0.5).toFixed(1));

/**
 * Returns the throughput of the platform divided by that of the bare Worker: the median of all rounds. Both of a round
 * are measured within a minute, so that other work on the machine affects both. The platform is first in the list.
 */
export function shareOf([platform, bare]: BlobOutcome[], direction: Direction): number {
  const shares =
    platform?.[direction].map((mine, index) => mine / (bare?.[direction][index] ?? 0)) ?? [];
  return percentile(shares, 0.5);
}

export const blobGoals = (outcomes: BlobOutcome[]): Goal[] =>
  directions.map((direction) => {
    const share = shareOf(outcomes, direction);
    return {
      what: `${direction} of a blob of 1 GiB: throughput compared with a bare Worker`,
      bound: `at least ${leastShare} ×`,
      measured: `${share.toFixed(2)} ×`,
      kept: share >= leastShare,
    };
  });

export const blobTable = (outcomes: BlobOutcome[]): Table => ({
  title: "Push and pull of a blob of 1 GiB",
  text: "The figures are the median and the range of all rounds, in MiB per second. The goals are about the median of the ratios of all rounds.",
  head: ["server", "push", "push, slowest to fastest", "pull", "pull, slowest to fastest"],
  rows: outcomes.map((outcome) => [
    outcome.name,
    ...directions.flatMap((direction) => {
      const values = outcome[direction];
      const range = `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
      return [medianOf(values), range];
    }),
  ]),
});

export const blobChart = (outcomes: BlobOutcome[]): Chart => ({
  name: "registry",
  title: "Throughput with a blob of 1 GiB",
  kind: "bars",
  xTitle: "server",
  yTitle: "MiB per second",
  series: directions.map((direction) => ({
    name: direction,
    points: outcomes.map((outcome) => ({ x: outcome.name, y: medianOf(outcome[direction]) })),
  })),
});

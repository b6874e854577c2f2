/** Measures in turn how fast manifests are served. */
import { setTimeout as pause } from "node:timers/promises";
import { rateOf } from "../peers/race.ts";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Cell, Chart, Goal, Table } from "../report/findings.ts";
import { shuffled } from "../shuffled.ts";
import { type LoadTarget, sendLoad } from "../speed/load.ts";
import { type ImageTarget, manifestHeaders, urlOf } from "./client.ts";

const connectionCounts = [1, 16];
export const manifestRounds = 5;
/** In seconds. */
export const manifestSlice = 1;
const warmUp = 2;
/** In milliseconds, for the writes after the last responses of a slice. */
const rest = 200;

/** A tag is resolved with a HEAD, and its manifest is then read by its digest, as clients do. */
const manifestMethods = ["HEAD", "GET"] as const;
type ManifestMethod = (typeof manifestMethods)[number];

/** A server of manifests, and what it is asked for. */
export type ManifestServer = { name: string } & Record<ManifestMethod, LoadTarget>;

/** The latencies of one server with one number of connections, in milliseconds. */
export interface ManifestOutcome {
  server: string;
  method: ManifestMethod;
  connections: number;
  latencies: number[];
}

/** Returns the path of the manifest that a method asks for. */
const manifestPath = (method: ManifestMethod, tag: string, digest: string) =>
  `manifests/${method === "HEAD" ? tag : digest}`;

/** A registry as a server of the manifest of a tag. */
export function manifestServer(
  name: string,
  target: ImageTarget,
  tag: string,
  digest: string,
): ManifestServer {
  const headers = manifestHeaders(target);
  const load = (method: ManifestMethod) => ({
    url: urlOf(target, manifestPath(method, tag, digest)),
    method,
    headers,
  });
  return { name, HEAD: load("HEAD"), GET: load("GET") };
}

/** Sends the same requests to all servers, in short slices and in shuffled order, after a warm-up. */
export async function measureManifests(
  servers: ManifestServer[],
  say: BenchSetup["say"],
): Promise<ManifestOutcome[]> {
  const all: ManifestOutcome[] = [];
  for (const connections of connectionCounts) {
    for (const method of manifestMethods) {
      say(`registry: ${method} of a manifest, ${connections} at a time`);
      const outcomes = servers.map((server) => ({
        server: server.name,
        method,
        connections,
        latencies: [] as number[],
        target: server[method],
      }));
      for (const { target } of outcomes) await sendLoad(target, connections, warmUp);
      for (let round = 0; round < manifestRounds; round += 1) {
        for (const { target, latencies } of shuffled(outcomes)) {
          for (const latency of await sendLoad(target, connections, manifestSlice))
            latencies.push(latency);
          await pause(rest);
        }
      }
      all.push(...outcomes.map(({ target: _, ...outcome }) => outcome));
    }
  }
  return all;
}

const rounded = (latencies: number[], share: number) =>
  Number(percentile(latencies, share).toFixed(2));

/** The part of the requests of the bare Worker that the platform must reach. */
const leastShare = 0.8;

/** The goals with one connection. */
export const manifestGoals = (outcomes: ManifestOutcome[], bare: string): Goal[] =>
  manifestMethods.map((method) => {
    const rates = ["platform", bare].map((name) => {
      const outcome = outcomes.find(
        (one) => one.server === name && one.method === method && one.connections === 1,
      );
      return outcome ? rateOf(outcome) : Number.NaN;
    });
    const share = (rates[0] ?? 0) / (rates[1] ?? 0);
    return {
      what: `${method} of a manifest: requests per second compared with a bare Worker that verifies the token and reads one row`,
      bound: `at least ${leastShare} ×`,
      measured: `${share.toFixed(2)} ×`,
      kept: share >= leastShare,
    };
  });

/** Returns one table for each number of connections. `bare` is the name of the server that the others are divided by. */
export const manifestTables = (outcomes: ManifestOutcome[], bare: string): Table[] =>
  connectionCounts.map((connections) => ({
    title: `HEAD and GET of a manifest, ${connections} at a time`,
    text: `× is the number of requests per second divided by that of the ${bare}.`,
    head: ["request", "server", "requests per second", "median ms", "p99 ms", "×"],
    rows: manifestMethods.flatMap((method) => {
      const ofMethod = outcomes.filter(
        (outcome) => outcome.method === method && outcome.connections === connections,
      );
      const floor = ofMethod.find(({ server }) => server === bare);
      return ofMethod.map((outcome): Cell[] => [
        method,
        outcome.server,
        Math.round(rateOf(outcome)),
        rounded(outcome.latencies, 0.5),
        rounded(outcome.latencies, 0.99),
        Number((rateOf(outcome) / (floor ? rateOf(floor) : Number.NaN)).toFixed(2)),
      ]);
    }),
  }));

export function manifestChart(outcomes: ManifestOutcome[]): Chart {
  const connections = Math.max(...connectionCounts);
  const shown = outcomes.filter((outcome) => outcome.connections === connections);
  return {
    name: "registry-manifests",
    title: `Manifests per second, ${connections} connections`,
    kind: "bars",
    xTitle: "server",
    yTitle: "requests per second",
    series: manifestMethods.map((method) => ({
      name: method,
      points: shown
        .filter((outcome) => outcome.method === method)
        .map((outcome) => ({ x: outcome.server, y: Math.round(rateOf(outcome)) })),
    })),
  };
}

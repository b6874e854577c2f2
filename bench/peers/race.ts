/** Measures in turn what each registry returns, and how fast. */
import type { BenchSetup } from "../report/findings.ts";
import { sendLoad } from "../speed/load.ts";
import { type Peer, pageSize, tagNames } from "./listing.ts";

export const connectionCounts = [1, 16];
export const rounds = 5;
/** In seconds. */
export const sliceSeconds = 1;

export const pages = ["first", "last"] as const;
export type PagePosition = (typeof pages)[number];

/** One page of one registry with one number of connections. */
export interface RaceOutcome {
  peer: string;
  page: PagePosition;
  connections: number;
  /** In milliseconds. */
  latencies: number[];
}

/** The content of a response, regardless of its speed. */
export interface PageContent {
  peer: string;
  page: PagePosition;
  tags: number;
  bytes: number;
  /** Whether the tags are those of the page, in order. */
  isPage: boolean;
}

const targetOf = (peer: Peer, page: PagePosition) =>
  page === "first" ? peer.firstPage : peer.lastPage;

/** Returns the content of a page. Throws an Error if the response is not a list, or if the page needs no token. */
export async function readPageContent(peer: Peer, page: PagePosition): Promise<PageContent> {
  const { url, headers = {} } = targetOf(peer, page);
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${peer.name}: ${response.status} ${text}`);
  const bare = await fetch(url);
  if (bare.status !== 401) throw new Error(`${peer.name} returns ${bare.status} without a token`);
  const names = peer.namesOf(JSON.parse(text));
  const wanted = page === "first" ? tagNames.slice(0, pageSize) : tagNames.slice(-pageSize);
  return {
    peer: peer.name,
    page,
    tags: names.length,
    bytes: Buffer.byteLength(text),
    isPage: names.join() === wanted.join(),
  };
}

/** Measures in turn, in short slices. The first round is only a warm-up. */
export async function measureByTurns(
  peers: Peer[],
  print: BenchSetup["say"],
): Promise<RaceOutcome[]> {
  const outcomes = connectionCounts.flatMap((connections) =>
    pages.flatMap((page) =>
      peers.map((peer) => ({ peer, page, connections, latencies: [] as number[] })),
    ),
  );
  for (let round = 0; round <= rounds; round += 1) {
    print(`peers: ${round === 0 ? "warm-up" : `round ${round} of ${rounds}`}`);
    for (const outcome of outcomes) {
      const target = targetOf(outcome.peer, outcome.page);
      const latencies = await sendLoad(target, outcome.connections, sliceSeconds);
      if (round > 0) outcome.latencies.push(...latencies);
    }
  }
  return outcomes.map((outcome) => ({ ...outcome, peer: outcome.peer.name }));
}

/**
 * Each connection sends the next request as soon as it has a response, so the rate follows from their number and the
 * mean latency.
 */
export const rateOf = ({
  connections,
  latencies,
}: Pick<RaceOutcome, "connections" | "latencies">) =>
  (connections * 1_000 * latencies.length) / latencies.reduce((sum, latency) => sum + latency, 0);

/** Who answers what, and how fast, by turns. */
import type { BenchSetup } from "../report/findings.ts";
import { sendLoad } from "../speed/load.ts";
import { type Peer, pageSize, tagNames } from "./listing.ts";

export const connectionCounts = [1, 16];
export const rounds = 5;
/** Seconds. */
export const sliceSeconds = 1;

export const pages = ["first", "last"] as const;
export type PagePosition = (typeof pages)[number];

/** One page of one registry at one number of connections. */
export interface RaceOutcome {
  peer: string;
  page: PagePosition;
  connections: number;
  /** In milliseconds. */
  latencies: number[];
}

/** What an answer holds, however fast it came. */
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

/** What a page holds. Throws where the answer is no list, or where it needs no token. */
export async function readPageContent(peer: Peer, page: PagePosition): Promise<PageContent> {
  const { url, headers = {} } = targetOf(peer, page);
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${peer.name}: ${response.status} ${text}`);
  const bare = await fetch(url);
  if (bare.status !== 401) throw new Error(`${peer.name} answers ${bare.status} without a token`);
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

/** By turns, in short slices; the first round only warms up. */
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
      const some = await sendLoad(target, outcome.connections, sliceSeconds);
      if (round > 0) outcome.latencies.push(...some);
    }
  }
  return outcomes.map((outcome) => ({ ...outcome, peer: outcome.peer.name }));
}

/** Each connection asks again as soon as it is answered, so their number and the mean latency tell the rate. */
export const rateOf = ({ connections, latencies }: RaceOutcome) =>
  (connections * 1_000 * latencies.length) / latencies.reduce((sum, one) => sum + one, 0);

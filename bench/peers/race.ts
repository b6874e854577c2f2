/** Who answers what, and how fast, by turns. */
import type { Ground } from "../report/findings.ts";
import { fire } from "../speed/load.ts";
import { type Peer, pageSize, tagNames } from "./listing.ts";

export const connectionCounts = [1, 16];
export const rounds = 5;
/** Seconds. */
export const slice = 1;

export const pages = ["first", "last"] as const;
export type Page = (typeof pages)[number];

/** One page of one registry at one number of connections. */
export interface Outcome {
  peer: string;
  page: Page;
  connections: number;
  /** In milliseconds. */
  latencies: number[];
}

/** What an answer holds, however fast it came. */
export interface Holding {
  peer: string;
  page: Page;
  tags: number;
  bytes: number;
  /** Whether the tags are those of the page, in order. */
  isPage: boolean;
}

const targetOf = (peer: Peer, page: Page) => (page === "first" ? peer.firstPage : peer.lastPage);

/** What a page holds. Throws where the answer is no list, or where it needs no token. */
export async function hold(peer: Peer, page: Page): Promise<Holding> {
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
export async function race(peers: Peer[], say: Ground["say"]): Promise<Outcome[]> {
  const outcomes = connectionCounts.flatMap((connections) =>
    pages.flatMap((page) =>
      peers.map((peer) => ({ peer, page, connections, latencies: [] as number[] })),
    ),
  );
  for (let round = 0; round <= rounds; round += 1) {
    say(`peers: ${round === 0 ? "warm-up" : `round ${round} of ${rounds}`}`);
    for (const outcome of outcomes) {
      const target = targetOf(outcome.peer, outcome.page);
      const some = await fire(target, outcome.connections, slice);
      if (round > 0) outcome.latencies.push(...some);
    }
  }
  return outcomes.map((outcome) => ({ ...outcome, peer: outcome.peer.name }));
}

/** Each connection asks again as soon as it is answered, so their number and the mean latency tell the rate. */
export const rateOf = ({ connections, latencies }: Outcome) =>
  (connections * 1_000 * latencies.length) / latencies.reduce((sum, one) => sum + one, 0);

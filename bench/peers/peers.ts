/** The platform beside other registries: pages of a long list of tags, in the same run, by turns. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Cell, Chart, Findings, Table } from "../report/findings.ts";
import { removeFolder } from "../stage.ts";
import { makeRegistry, openDistribution, type Program, programs } from "./distribution.ts";
import { type Peer, pageSize, tagNames } from "./listing.ts";
import { openPlatform } from "./platform.ts";
import {
  connectionCounts,
  measureByTurns,
  type PageContent,
  pages,
  type RaceOutcome,
  rateOf,
  readPageContent,
  rounds,
  sliceSeconds,
} from "./race.ts";

/** Measures the platform and those peers whose programs are on PATH. */
export async function measurePeers(setup: BenchSetup): Promise<Findings> {
  const place = join(setup.folder, "peers");
  await mkdir(place, { recursive: true });
  const found = await programs();
  const peers: Peer[] = [];
  try {
    setup.say("peers: filling");
    peers.push(await openPlatform(setup.bundle, place));
    const there = found.filter(({ version }) => version !== undefined);
    if (there.length > 0) await makeRegistry(place);
    for (const program of there) peers.push(await openDistribution(program, place));
    const holdings = await Promise.all(
      peers.flatMap((peer) => pages.map((page) => readPageContent(peer, page))),
    );
    const wrong = holdings.find(({ peer, isPage }) => peer === peers[0]?.name && !isPage);
    if (wrong) throw new Error(`the ${wrong.page} page of ${wrong.peer} has other tags`);
    return toFindings(await measureByTurns(peers, setup.say), holdings, found);
  } finally {
    await Promise.allSettled(peers.map((peer) => peer.stop()));
    await removeFolder(place);
  }
}

const introduction = `One image with ${tagNames.length} tags, and what a client waits for a page of ${pageSize} of them by name: the
first, and the last. All run on this machine at the same time and are asked by turns, ${rounds} slices of
${sliceSeconds} second each after one to warm up. All demand a token and verify its ES256 signature with every call: the
platform its own access token, Distribution a JWT of a token server, as its users run it. The platform is
asked for \`GET /registry/v2/tags\` under the repo, its last page by the page token that a walk through all
pages ends with; Distribution for \`/v2/bench/image/tags/list\` with \`n\` and \`last\`. The platform's own
registry host has no such path: it gives tokens, and tells tag histories.`;

const programText = ({ command, version, source }: Program) =>
  version === undefined
    ? `**CNCF Distribution as \`${command}\`: not found**, so not measured; ${source} brings it.`
    : `CNCF Distribution ${version} is \`${command}\` as it was found on this machine; ${source} brings it.`;

const notMeasured = `**cloudflare/serverless-registry is not measured**: no package registry was found to bring it. Looked for on
2026-11-21: npm by four names, r2-registry of its package.json among them, PyPI and Debian do not have it; what
crates.io answered was inconclusive. It is deployed from a clone of its repository, which a run without a network cannot make.`;

const incomparable = `Not comparable: Distribution reads a folder for each tag from this machine's file cache, in Go, on as many cores as
there are, and knows neither grants nor a total; who may do what stands in the token, so that taking access back
waits until it expires. The platform is a Worker on one thread, asks D1 for the caller's grants, the page
and the exact total in one batch, and answers uid, digest and times of each tag beside its name. On the edge, a
round trip to D1 is added to the one, and a disk or an object store that is not in memory to the other.`;

function toFindings(outcomes: RaceOutcome[], holdings: PageContent[], found: Program[]): Findings {
  return {
    title: "Beside other registries",
    text: [introduction, ...found.map(programText), notMeasured, incomparable].join("\n\n"),
    tables: [
      ...connectionCounts.map((count) => speedTable(outcomes, count)),
      holdingTable(holdings),
    ],
    goals: [],
    charts: [rateChart(outcomes)],
  };
}

const milliseconds = (latencies: number[], share: number) =>
  Number(percentile(latencies, share).toFixed(2));

function speedTable(outcomes: RaceOutcome[], connections: number): Table {
  return {
    title: `A page of ${pageSize} of ${tagNames.length} tags, ${connections} at a time`,
    head: ["registry", "page", "median ms", "p99 ms", "requests per second"],
    rows: outcomes
      .filter((outcome) => outcome.connections === connections)
      .map((outcome): Cell[] => [
        outcome.peer,
        outcome.page,
        milliseconds(outcome.latencies, 0.5),
        milliseconds(outcome.latencies, 0.99),
        Math.round(rateOf(outcome)),
      ]),
  };
}

function holdingTable(holdings: PageContent[]): Table {
  return {
    title: "What the answers hold",
    head: ["registry", "page", "tags", "bytes", ""],
    rows: holdings.map(({ peer, page, tags, bytes, isPage }) => [
      peer,
      page,
      tags,
      bytes,
      isPage ? "the page" : tags === tagNames.length ? "all tags: no pages" : "not the page",
    ]),
  };
}

/** At the most connections, where the difference is what an operator pays for. */
function rateChart(outcomes: RaceOutcome[]): Chart {
  const connections = Math.max(...connectionCounts);
  return {
    name: "peers",
    title: `Lists of ${pageSize} of ${tagNames.length} tags per second, ${connections} connections`,
    kind: "bars",
    xTitle: "registry",
    yTitle: "requests per second",
    series: pages.map((page) => ({
      name: `${page} page`,
      points: outcomes
        .filter((outcome) => outcome.page === page && outcome.connections === connections)
        .map((outcome) => ({ x: outcome.peer, y: Math.round(rateOf(outcome)) })),
    })),
  };
}

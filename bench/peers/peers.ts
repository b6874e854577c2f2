/** Compares the platform with other registries: pages of a long list of tags, in the same run and in turn. */
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

/** Measures the platform and the other registries whose programs are on PATH. */
export async function measurePeers(setup: BenchSetup): Promise<Findings> {
  const workFolder = join(setup.folder, "peers");
  await mkdir(workFolder, { recursive: true });
  const known = await programs();
  const peers: Peer[] = [];
  try {
    setup.say("peers: filling");
    peers.push(await openPlatform(setup.bundle, workFolder));
    const there = known.filter(({ version }) => version !== undefined);
    if (there.length > 0) await makeRegistry(workFolder);
    for (const program of there) peers.push(await openDistribution(program, workFolder));
    const holdings = await Promise.all(
      peers.flatMap((peer) => pages.map((page) => readPageContent(peer, page))),
    );
    const wrong = holdings.find(({ peer, isPage }) => peer === peers[0]?.name && !isPage);
    if (wrong) throw new Error(`the ${wrong.page} page of ${wrong.peer} has the wrong tags`);
    return toFindings(await measureByTurns(peers, setup.say), holdings, known);
  } finally {
    await Promise.allSettled(peers.map((peer) => peer.stop()));
    await removeFolder(workFolder);
  }
}

const introduction = `One image has ${tagNames.length} tags. The figures show how long a client waits for a page of
${pageSize} of them by name: the first page and the last. All registries run on this machine at the same time and take
turns, with ${rounds} slices of ${sliceSeconds} second each after one to warm up. All of them require a token and
verify its ES256 signature with every call. The platform gets one of its own access tokens. Distribution gets a JWT of a
token server, which is how its users run it.

The call to the platform is \`GET /registry/v2/tags\` below the repository. The page token of its last page comes from
reading all pages. The call to Distribution is \`/v2/bench/image/tags/list\` with \`n\` and \`last\`. The registry host
of the platform serves that path too. It returns only names, and no total.`;

const programText = ({ command, version, source }: Program) =>
  version === undefined
    ? `**CNCF Distribution as \`${command}\` is not measured**, because it was not found on this machine. To install it: ${source}.`
    : `CNCF Distribution ${version} is the program \`${command}\` on this machine. To install it: ${source}.`;

const notMeasured = `**cloudflare/serverless-registry is not measured**, because no package registry was found that
contains it. On 2026-11-21, npm did not have it under any of four names. One of them was r2-registry, the name in its
package.json. PyPI and Debian did not have it either, and the response of crates.io was inconclusive. It is deployed
from a clone of its repository, which a run without a network cannot create.`;

const incomparable = `Distribution and the platform are not directly comparable:

- Distribution is written in Go and runs on all cores. It reads a folder for each tag from this machine's file cache.
  It stores no permissions, and its lists contain no total. The token contains the permissions, so revoked access remains until the token
  expires.
- The platform is a Worker on one thread. It reads the caller's grants, the page and the exact total from D1 in one
  batch. It returns the uid, the digest and the times of each tag in addition to its name.
- In production, the platform also needs a round trip to D1, and Distribution needs a disk or an object store that is
  not in memory.`;

function toFindings(outcomes: RaceOutcome[], holdings: PageContent[], known: Program[]): Findings {
  return {
    title: "Compared with other registries",
    text: [introduction, ...known.map(programText), notMeasured, incomparable].join("\n\n"),
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
    title: "Content of the responses",
    head: ["registry", "page", "tags", "bytes", ""],
    rows: holdings.map(({ peer, page, tags, bytes, isPage }) => [
      peer,
      page,
      tags,
      bytes,
      isPage ? "the page" : tags === tagNames.length ? "all tags, without pages" : "not the page",
    ]),
  };
}

/** At the highest number of connections, where the difference matters for the costs of an operator. */
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

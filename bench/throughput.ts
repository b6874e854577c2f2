/**
 * Requests per second of the platform's Worker beside a bare Worker in the same process on the same
 * D1. The ratio tells what our code costs; the numbers tell about this machine. Bounds nothing.
 */
import { join } from "node:path";
import autocannon from "autocannon";
import { fill } from "./organization.ts";
import type { Report } from "./report.ts";
import { makeDatabase, openStage, removeFolder } from "./stage.ts";

const load = { connections: 16, duration: 3 };
/** Others use this machine too: the best of some rounds tells most about us. */
const rounds = 3;

/** What is asked for, and the bare Worker's answer to hold it against. */
interface Target {
  name: string;
  url: string;
  token?: string;
  against: string;
}

async function fire({ url, token }: Target) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const { requests, latency, non2xx, errors } = await autocannon({ url, headers, ...load });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} broken`);
  return { perSecond: Math.round(requests.average), p50: latency.p50, p99: latency.p99 };
}

type Shot = Awaited<ReturnType<typeof fire>>;

/** The best round of each target; a round visits all of them, so that all see the same machine. */
async function fireAll(targets: Target[]): Promise<Map<string, Shot>> {
  const best = new Map<string, Shot>();
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) {
      const shot = await fire(target);
      const before = best.get(target.name)?.perSecond ?? 0;
      if (shot.perSecond > before) best.set(target.name, shot);
    }
  }
  return best;
}

/** Measures and prints, next to the bare Worker's answer of the same kind. */
export async function throughput(bundle: string, folder: string, report: Report): Promise<void> {
  const place = join(folder, "throughput");
  const organization = fill(await makeDatabase(place), 20_000);
  const stage = await openStage(bundle, place);
  try {
    const { url, bareUrl } = stage;
    const { root, repo, owner } = organization;
    const token = await stage.tokenFor(owner);
    const list = `${url}/registry/v2/tags?uidp.descendants_of=${root}&order_by=name&page_size=50`;
    const idle = "bare Worker, no work";
    const page = "bare Worker, one D1 page of 50";
    const targets: Target[] = [
      { name: idle, url: `${bareUrl}/ping`, against: idle },
      { name: "ping", url: `${url}/ping/v2/ping`, against: idle },
      { name: page, url: `${bareUrl}/page?root=${root}`, against: page },
      { name: "get a repo", url: `${url}/registry/v2/repos/${repo}`, token, against: page },
      { name: "list 50 tags", url: list, token, against: page },
    ];
    const best = await fireAll(targets);
    report.table(
      `Requests per second at ${load.connections} connections (for information)`,
      ["", "per second", "p50 ms", "p99 ms", "of bare"],
      targets.flatMap(({ name, against }) => {
        const [shot, bare] = [best.get(name), best.get(against)];
        if (!shot || !bare) return [];
        const share = `${Math.round((100 * shot.perSecond) / bare.perSecond)} %`;
        return [[name, shot.perSecond, shot.p50, shot.p99, share]];
      }),
    );
  } finally {
    await stage.stop();
    await removeFolder(place);
  }
}

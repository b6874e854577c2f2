/**
 * Requests per second of the platform's Worker beside a bare Worker in the same process on the same
 * D1. The ratio tells what our code costs; the numbers tell about this machine. Bounds nothing.
 */
import { join } from "node:path";
import autocannon from "autocannon";
import { fill } from "./organization.ts";
import type { Report } from "./report.ts";
import { makeDatabase, openStage, removeFolder } from "./stage.ts";

const load = { connections: 16, duration: 5 };

async function fire(url: string, token?: string) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  await autocannon({ url, headers, ...load, duration: 1 });
  const { requests, latency, non2xx, errors } = await autocannon({ url, headers, ...load });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} broken`);
  return { perSecond: Math.round(requests.average), p50: latency.p50, p99: latency.p99 };
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
    const ping = await fire(`${bareUrl}/ping`);
    const page = await fire(`${bareUrl}/page?root=${root}`);
    const list = `${url}/registry/v2/tags?uidp.descendants_of=${root}&order_by=name&page_size=50`;
    const measured = [
      { name: "bare Worker, no work", of: ping, against: ping },
      { name: "ping", of: await fire(`${url}/ping/v2/ping`), against: ping },
      { name: "bare Worker, one D1 page of 50", of: page, against: page },
      {
        name: "get a repo",
        of: await fire(`${url}/registry/v2/repos/${repo}`, token),
        against: page,
      },
      { name: "list 50 tags", of: await fire(list, token), against: page },
    ];
    report.table(
      `Requests per second at ${load.connections} connections (for information)`,
      ["", "per second", "p50 ms", "p99 ms", "of bare"],
      measured.map(({ name, of, against }) => {
        const share = `${Math.round((100 * of.perSecond) / against.perSecond)} %`;
        return [name, of.perSecond, of.p50, of.p99, share];
      }),
    );
  } finally {
    await stage.stop();
    await removeFolder(place);
  }
}

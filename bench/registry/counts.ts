/** Counts what each request to the registry host costs in D1 and R2. */
import type { Goal, Table } from "../report/findings.ts";
import {
  authorizationOf,
  beginUpload,
  endUpload,
  type ImageTarget,
  manifestHeaders,
  newSmallImage,
  putManifest,
  urlOf,
} from "./client.ts";
import { type RequestCost, requestCost } from "./server_timing.ts";
import { type TransferResponse, transfer } from "./transfer.ts";

/** One request and its cost. */
export interface CountedRequest {
  name: string;
  /** Whether the request only reads, so that one round trip should be enough. */
  isRead: boolean;
  cost: RequestCost;
}

/** Pushes a small image to a repository that exists, and reads it back. The platform must report its costs. */
export async function countRequests(target: ImageTarget): Promise<CountedRequest[]> {
  const image = newSmallImage();
  const counted: CountedRequest[] = [];
  const count = (name: string, response: TransferResponse, isRead = false) => {
    counted.push({ name, isRead, cost: requestCost(response) });
    return response;
  };
  for (const [index, blob] of image.blobs.entries()) {
    const what = index === 0 ? "layer" : "configuration";
    const begun = count(`POST an upload of a ${what}`, await beginUpload(target));
    count(`PUT the bytes of a ${what}`, await endUpload(target, begun, blob));
  }
  count("PUT a manifest with a new tag", await putManifest(target, "counted", image));
  count("PUT the same manifest again", await putManifest(target, "counted", image));
  const { digest } = image.manifest;
  const [layer] = image.blobs;
  for (const method of ["HEAD", "GET"]) {
    const read = async (name: string, path: string, headers = authorizationOf(target)) =>
      count(`${method} ${name}`, await transfer(urlOf(target, path), { method, headers }), true);
    await read("a manifest by its tag", "manifests/counted", manifestHeaders(target));
    await read("a manifest by its digest", `manifests/${digest}`, manifestHeaders(target));
    await read("a blob", `blobs/${layer?.digest}`);
    await read("tags/list", "tags/list");
  }
  return counted;
}

/** Returns the costs as a table. */
export const countTable = (counted: CountedRequest[]): Table => ({
  title: "Cost of requests",
  text: `The platform reports these figures with each response (\`server-timing\`). The event of a pull is written after
the response and is not in them: it is one more round trip. \`test/cost/counts.txt\` has the figures with the events.`,
  head: ["request", "D1 round trips", "rows read", "rows written", "R2 reads", "R2 writes"],
  rows: counted.map(({ name, cost }) => [
    name,
    cost.roundTrips,
    cost.rowsRead,
    cost.rowsWritten,
    cost.reads,
    cost.writes,
  ]),
});

/** Reads take one round trip. Returns the goal with the requests that miss it. */
export function countGoal(counted: CountedRequest[]): Goal {
  const reads = counted.filter(({ isRead }) => isRead);
  const late = reads.filter(({ cost }) => cost.roundTrips > 1);
  return {
    what: "D1 round trips of HEAD and GET of manifests, blobs and tags, before the response",
    bound: "1",
    measured:
      late.length === 0
        ? `met by all ${reads.length} requests`
        : `missed by ${late.map(({ name, cost }) => `${name} (${cost.roundTrips})`).join(", ")}`,
    kept: late.length === 0,
  };
}

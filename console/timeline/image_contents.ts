/** Reads the packages and the findings of an image, with a bounded number of calls. */
import type { Client, Page } from "../../client/index.ts";
import { type ComparedFinding, toCompared } from "./compare_findings.ts";
import type { ComparedPackage } from "./compare_packages.ts";

/** The facts that a comparison has about one image. */
export type Contents<Row> =
  | { kind: "found"; rows: Row[] }
  /** There is no SBOM, or no report. */
  | { kind: "missing" }
  /** There are more rows than the page reads. */
  | { kind: "too many" };

/** Rows on a page of the platform. */
const pageSize = 200;

/** The most pages that are read of one image. */
const maxPages = 25;

/** An image of a repository: its digests in the order in which a document about it is looked for. */
export interface ImagePlace {
  repo: string;
  digests: readonly string[];
}

/** Returns the packages in the SBOM of an image. */
export async function readPackages(
  client: Client,
  target: ImagePlace,
): Promise<Contents<ComparedPackage>> {
  const image = await firstWith(target, (filter) =>
    client.sboms.list({ ...filter, pageSize: 1 }).page(),
  );
  if (!image) return { kind: "missing" };
  const packages = await readAll(client.packages.list({ ...image, pageSize }).pages());
  return mapRows(packages, ({ name = "", namespace = "", version = "", type = "" }) => ({
    name,
    namespace,
    version,
    type,
  }));
}

/** Returns the findings in the newest report of an image. */
export async function readFindings(
  client: Client,
  target: ImagePlace,
): Promise<Contents<ComparedFinding>> {
  const image = await firstWith(target, (filter) =>
    client.vulnReports.list({ ...filter, pageSize: 1 }).page(),
  );
  if (!image) return { kind: "missing" };
  return mapRows(await readAll(client.findings.list({ ...image, pageSize }).pages()), toCompared);
}

type ImageFilter = { childrenOf: string; digest: string };

/** The first digest about which there is a document, as a filter. */
async function firstWith(
  { repo, digests }: ImagePlace,
  read: (image: ImageFilter) => Promise<Page<unknown>>,
): Promise<ImageFilter | undefined> {
  for (const digest of digests) {
    const image = { childrenOf: repo, digest };
    if ((await read(image)).rows.length > 0) return image;
  }
  return undefined;
}

async function readAll<Row>(pages: AsyncIterable<Page<Row>>): Promise<Contents<Row>> {
  const all: Row[] = [];
  let read = 0;
  for await (const { rows, nextPageToken } of pages) {
    all.push(...rows);
    read += 1;
    if (nextPageToken !== undefined && read >= maxPages) return { kind: "too many" };
  }
  return { kind: "found", rows: all };
}

const mapRows = <Row, Other>(
  contents: Contents<Row>,
  toOther: (row: Row) => Other,
): Contents<Other> =>
  contents.kind === "found" ? { kind: "found", rows: contents.rows.map(toOther) } : contents;

/** Reads the packages and the findings of an image, with a bounded number of calls. */
import type { Client, Page } from "../../client/index.ts";
import { type ComparedFinding, toCompared } from "./compare_findings.ts";
import type { ComparedPackage } from "./compare_packages.ts";

/** What a comparison knows about one image. */
export type Contents<Row> =
  | { kind: "found"; rows: Row[] }
  /** There is no SBOM, or no report. */
  | { kind: "missing" }
  /** There are more rows than the page reads. */
  | { kind: "too many" };

/** Rows on a page of the platform. */
const pageSize = 200;

/** The most pages that are read of one image. */
export const maxPages = 25;

/** Returns the packages in the SBOM of an image. */
export async function readPackages(
  client: Client,
  repo: string,
  digest: string,
): Promise<Contents<ComparedPackage>> {
  const image = { childrenOf: repo, digest };
  const { rows } = await client.sboms.list({ ...image, pageSize: 1 }).page();
  if (rows.length === 0) return { kind: "missing" };
  const found = await readAll(client.packages.list({ ...image, pageSize }).pages());
  return mapRows(found, ({ name = "", namespace = "", version = "", type = "" }) => ({
    ...{ name, namespace, version, type },
  }));
}

/** Returns the findings in the newest report of an image. */
export async function readFindings(
  client: Client,
  repo: string,
  digest: string,
): Promise<Contents<ComparedFinding>> {
  const image = { childrenOf: repo, digest };
  const { rows } = await client.vulnReports.list({ ...image, pageSize: 1 }).page();
  if (rows.length === 0) return { kind: "missing" };
  return mapRows(await readAll(client.findings.list({ ...image, pageSize }).pages()), toCompared);
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
  found: Contents<Row>,
  toOther: (row: Row) => Other,
): Contents<Other> =>
  found.kind === "found" ? { kind: "found", rows: found.rows.map(toOther) } : found;

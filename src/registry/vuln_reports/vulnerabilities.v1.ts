import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import {
  type Scanner,
  Scanner_Name,
  ScannerSchema,
  Vulnerabilities,
  type VulnReport,
  type VulnReportFilter,
  VulnReportSchema,
} from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import type { manifests } from "../../../schema/tables/registry/manifests.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { vulnReportContents, vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { authorizeAndRead, missingCapabilities, readWithGrants } from "../../auth/access.ts";
import {
  type Call,
  type CallAnywhere,
  callAt,
  callAtCaller,
  type Database,
} from "../../auth/call.ts";
import { scopesOf } from "../../auth/grants.ts";
import { service } from "../../rpc/service.ts";
import { requireUid } from "../../rpc/version1.ts";
import { decompressStored } from "../compressed.ts";
import { readStoredFindings, toVulnerabilities } from "./findings.v1.ts";
import { listCumulativeVulnCounts, listVulnCounts } from "./vuln_counts.v1.ts";
import { checkImageDigest, reportedDigestSql } from "./vuln_reports.v1.ts";

/** The most bytes of findings in one response. They must fit into the memory of a Worker. */
const maxBytes = 4 * 1024 * 1024;

/** The cost of a report in a response in addition to its findings, in bytes. */
const frameBytes = 512;

const columns = {
  uid: vulnReports.uid,
  digest: vulnReports.digest,
  scanTime: vulnReports.scanTime,
  scanner: vulnReports.scanner,
  scannerVersion: vulnReports.scannerVersion,
  dbBuildTime: vulnReports.dbBuildTime,
};

type Row = Pick<RowOf<typeof vulnReports>, keyof typeof columns>;

const scannerOf = (row: Row): Scanner =>
  create(ScannerSchema, {
    name: row.scanner,
    version: row.scannerVersion,
    ...(row.dbBuildTime === null ? {} : { dbBuildTime: timestampFromMs(row.dbBuildTime) }),
  });

/** The groups where the caller may read reports. Throws PERMISSION_DENIED if there are none. */
async function reportScopes(call: CallAnywhere): Promise<string[]> {
  const { caller } = await readWithGrants(callAtCaller(call), undefined, []);
  const scopes = scopesOf(caller, call.capabilities);
  if (scopes.length === 0) throw missingCapabilities(call.capabilities, "");
  return scopes;
}

/** The condition of a filter on the scanner. UNKNOWN and empty values have no effect. */
function isByScanner({ name, version, dbBuildTime }: Scanner): SQL | undefined {
  return and(
    name === Scanner_Name.UNKNOWN ? undefined : eq(vulnReports.scanner, name),
    version === "" ? undefined : eq(vulnReports.scannerVersion, version),
    dbBuildTime ? eq(vulnReports.dbBuildTime, timestampMs(dbBuildTime)) : undefined,
  );
}

/** For `from`, followed by the condition that selects the reports of an image in a scope. */
const eachScope = (scopes: string[]) => sql`json_each(${JSON.stringify(scopes)}) as "scope"`;
const inScope = ({ uid, parent }: typeof vulnReports | typeof manifests) =>
  sql`${uid} > "scope"."value" || '/' and ${uid} < "scope"."value" || '0' and ${isPresent(parent)}`;
const ofImage = (digest: string) =>
  and(eq(vulnReports.digest, reportedDigestSql(sql`${digest}`, inScope)), inScope(vulnReports));

/**
 * The rows of `from`, newest scan first, that fit into one response, each with the number of all rows. If
 * several repositories have the same report of an image, one row represents them.
 */
function selectReports({ db }: Pick<Call, "db">, from: SQL, filter: SQL | undefined) {
  const matching = sql`select min(${vulnReports.uid}) as "uid", ${vulnReports.scanTime} as "time",
      ${vulnReports.findingBytes} + ${frameBytes} as "bytes"
    from ${from} where ${filter ?? sql`true`} group by substr(${vulnReports.uid}, -16)`;
  const ranked = sql`(select "uid", count(*) over () as "total",
      sum("bytes") over (order by "time" desc, "uid") - "bytes" as "before"
    from (${matching})) as "matching_report"`;
  return db
    .select({
      ...columns,
      findings: vulnReports.findings,
      total: sql<number>`"matching_report"."total"`.as("total"),
    })
    .from(ranked)
    .crossJoin(vulnReports)
    .where(
      and(
        eq(vulnReports.uid, sql`"matching_report"."uid"`),
        sql`"matching_report"."before" < ${maxBytes}`,
      ),
    )
    .orderBy(desc(vulnReports.scanTime), vulnReports.uid);
}

/** The rows of a statement in each database that has some of the scopes. */
async function readParts<Row>(
  { databases }: CallAnywhere,
  scopes: string[],
  select: (db: Database, scopes: string[]) => RunnableQuery<Row[], "sqlite">,
): Promise<Row[][]> {
  const parts = await databases.split(scopes);
  const results = await Promise.all(parts.map(({ db, uids }) => db.batch([select(db, [...uids])])));
  return results.map(([rows]) => rows);
}

/** The reports of several databases. If they are too many for a response, the total says so. */
function joinReports(results: ReportRow[][]): ReportRow[] {
  const total = results.reduce((sum, rows) => sum + (rows[0]?.total ?? 0), 0);
  const bytes = results.flat().reduce((sum, { findings }) => sum + findings.length, 0);
  // The same report of an image can be in repositories of several databases.
  const own = new Map(results.flat().map((row) => [row.uid.slice(-16), row]));
  const rows = [...own.values()].sort(
    (a, b) => b.scanTime - a.scanTime || (a.uid < b.uid ? -1 : 1),
  );
  const isWhole = results.flat().length === total && bytes <= maxBytes;
  return rows.map((row) => ({ ...row, total: isWhole ? rows.length : rows.length + 1 }));
}

type ReportRow = Awaited<ReturnType<typeof selectReports>>[number];

async function readReports(request: VulnReportFilter, anywhere: CallAnywhere) {
  const { repoId, digest, tag, scanner, createdSince } = request;
  if (repoId === "" && digest === "") {
    throw invalidArgument("repo_id", "repo_id or digest is required");
  }
  const filters = [
    scanner ? isByScanner(scanner) : undefined,
    createdSince ? gt(vulnReports.scanTime, timestampMs(createdSince)) : undefined,
  ];
  if (digest !== "") {
    checkImageDigest(digest);
    const scopes = await reportScopes(anywhere);
    const results = await readParts(anywhere, scopes, (db, here) => {
      const from = sql`${eachScope(here)} cross join ${vulnReports}`;
      return selectReports({ db }, from, and(ofImage(digest), ...filters));
    });
    return results.length > 1 ? joinReports(results) : (results[0] ?? []);
  }
  requireUid("repo_id", repoId);
  const named = sql`(select ${tags.digest} from ${tags}
    where ${isInRepo(repoId)} and ${tags.name} = ${tag})`;
  const within = [
    eq(vulnReports.parent, repoId),
    isPresent(vulnReports.parent),
    tag === ""
      ? undefined
      : eq(
          vulnReports.digest,
          reportedDigestSql(named, ({ parent }) => eq(parent, repoId)),
        ),
  ];
  const call = callAt(anywhere, repoId);
  const select = selectReports(call, sql`${vulnReports}`, and(...within, ...filters));
  return (await authorizeAndRead(call, repoId, [select])).rows[0];
}

async function toReport(row: Row & { findings: string }): Promise<VulnReport> {
  return create(VulnReportSchema, {
    digest: row.digest,
    scanner: scannerOf(row),
    createdAt: timestampFromMs(row.scanTime),
    vulnerabilities: toVulnerabilities(await readStoredFindings(row.findings)),
  });
}

export const vulnerabilitiesV1 = service(Vulnerabilities, {
  /** Takes one round trip by repository, and two by digest. */
  async listVulnReports(request, call) {
    const rows = await readReports(request, call);
    if ((rows[0]?.total ?? 0) > rows.length) {
      throw resourceExhausted(
        "the reports are too large for one response; name a digest or a tag, or set created_since",
      );
    }
    const items: VulnReport[] = [];
    // One after another, so that only one is decompressed at a time.
    for (const row of rows) items.push(await toReport(row));
    return { items };
  },

  /** Takes two round trips. */
  async getRawVulnReport({ digest, scanner, createdAt }, call) {
    checkImageDigest(digest);
    const scopes = await reportScopes(call);
    const filter = and(
      ofImage(digest),
      isByScanner(create(ScannerSchema, { name: scanner })),
      createdAt ? eq(vulnReports.scanTime, timestampMs(createdAt)) : undefined,
    );
    const results = await readParts(call, scopes, (db, here) => {
      const latest = db
        .select({ uid: vulnReports.uid })
        .from(eachScope(here))
        .crossJoin(vulnReports)
        .where(filter)
        .orderBy(desc(vulnReports.scanTime), vulnReports.uid)
        .limit(1);
      return db
        .select({ ...columns, content: vulnReportContents.content })
        .from(vulnReports)
        .innerJoin(vulnReportContents, eq(vulnReportContents.uid, vulnReports.uid))
        .where(eq(vulnReports.uid, latest));
    });
    const [row] = results
      .flat()
      .sort((a, b) => b.scanTime - a.scanTime || (a.uid < b.uid ? -1 : 1));
    if (!row) return {};
    return {
      digest: row.digest,
      scanner: scannerOf(row),
      createdAt: timestampFromMs(row.scanTime),
      rawReport: new TextDecoder().decode(await decompressStored(row.content)),
    };
  },

  async listVulnCountReports(request, call) {
    return { items: await listVulnCounts(request, call, await reportScopes(call)) };
  },

  async listCumulativeVulnCountReports(request, call) {
    return { items: await listCumulativeVulnCounts(request, call, await reportScopes(call)) };
  },
});

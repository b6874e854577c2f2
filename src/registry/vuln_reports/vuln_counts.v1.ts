/** Counts the vulnerabilities in the scans of a tag's images over time. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  type RepoTagReference,
  Vulnerability_Severity as Severity,
  type VulnCountReport,
  type VulnCountReportFilter,
  VulnCountReportSchema,
} from "../../../schema/gen/platform/registry/vulnerabilities_pb.js";
import { aboveOf, ancestorKeySql } from "../../../schema/tables/list_indexes.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { isUid, uidDepth } from "../../aip/uid_path.ts";
import type { CallAnywhere, Database } from "../../auth/call.ts";
import { maxUnpagedRows } from "../../paging/page.ts";
import { reportedDigestSql } from "./vuln_reports.v1.ts";

/** The most references of a request, and the most ids in a response. They must fit into memory. */
const maxReferences = 200;
const maxIds = 500_000;

/** Every severity, the highest first. The counts in a response are in this order. */
const severities = [
  Severity.CRITICAL,
  Severity.HIGH,
  Severity.MEDIUM,
  Severity.LOW,
  Severity.NEGLIGIBLE,
  Severity.UNKNOWN,
];

/** Times in milliseconds. `from` is inclusive and `before` is exclusive. */
interface Span {
  from: number;
  before: number;
}

function spanOf({ from, to }: VulnCountReportFilter): Span {
  const span = {
    from: from ? timestampMs(from) : 0,
    before: to ? timestampMs(to) + 1 : Number.MAX_SAFE_INTEGER,
  };
  if (span.before <= span.from) throw invalidArgument("to", "to must not be before from");
  return span;
}

/** The name or the uid of a repository, a tag in it, and whether the repository is named by its uid. */
type Reference = [string, string, 0 | 1];

/** The requested images. Without a tag, all current tags of the repository. */
function referencesOf({ references, repo, tag }: VulnCountReportFilter): Reference[] {
  if (references.length > maxReferences) {
    const text = `references must have at most ${maxReferences} items; you sent ${references.length}`;
    throw invalidArgument("references", text);
  }
  references.forEach((reference, index) => {
    const field = `references[${index}].repo`;
    if (reference.repo === "") throw invalidArgument(field, `${field} is required`);
  });
  if (references.length === 0 && repo === "") {
    throw invalidArgument("repo", "repo or references is required");
  }
  const asked: Pick<RepoTagReference, "repo" | "tag">[] =
    references.length > 0 ? references : [{ repo, tag }];
  return asked.map((reference) => [reference.repo, reference.tag, isUid(reference.repo) ? 1 : 0]);
}

/** The name of a repository in a reference, and the condition that it is the one with that uid. */
const repoNameSql = sql`iif("ref"."value" ->> 2,
  (select "named_repo"."name" from ${repos} as "named_repo" where "named_repo"."uid" = "ref"."value" ->> 0), "ref"."value" ->> 0)`;
const matchesReference = sql`(not "ref"."value" ->> 2 or ${repos.uid} = "ref"."value" ->> 0)`;

/** The repositories of the references in the scopes, each with a tag. */
function selectImages(references: Reference[], scopes: string[]): SQL {
  const select = (uids: string[], isThere: SQL) => sql`
    select ${repos.uid} as "repo", ${repos.name} as "name", "ref"."value" ->> 1 as "tag"
    from json_each(${JSON.stringify(references)}) as "ref"
    cross join json_each(${JSON.stringify(uids)}) as "scope"
    cross join ${repos} on ${isThere} and ${repos.name} = ${repoNameSql} and ${matchesReference}`;
  const scope = sql`"scope"."value"`;
  // A token can be narrowed to a repository itself.
  const near = [sql`${repos.parent} = ${scope}`, sql`${repos.uid} = ${scope}`];
  const further = aboveOf(repos).flatMap((above, depth) => {
    const scopesAtDepth = scopes.filter((uid) => uidDepth(uid) === depth);
    const isBelow = sql`${above} = ${ancestorKeySql(scope)} and ${repos.uid} > ${scope} || '/' and ${repos.uid} < ${scope} || '0'`;
    return scopesAtDepth.length > 0 ? [select(scopesAtDepth, isBelow)] : [];
  });
  // D1 allows five parts in a compound select, but each can be another one.
  const selects = [
    sql`select * from (${sql.join(
      near.map((isThere) => select(scopes, isThere)),
      sql` union `,
    )})`,
    ...further,
  ];
  return sql`with "image_ref" as materialized (${sql.join(selects, sql` union `)})
    select "repo", "name", "tag" from "image_ref" where "tag" <> ''
    union select "image_ref"."repo", "image_ref"."name", ${tags.name} from "image_ref"
      cross join ${tags} on ${isInRepo(sql`"image_ref"."repo"`)} where "image_ref"."tag" = ''`;
}

/**
 * The digests that the tags of these images pointed to from `since` to `until`, within the time range and at
 * its start.
 */
function selectMoves(references: Reference[], scopes: string[], { from, before }: Span) {
  const repo = sql`"image"."repo"`;
  const ofTag = sql`${tagMoves.repoUid} = ${repo} and ${tagMoves.tag} = "image"."tag"`;
  const first = sql`(select max(${tagMoves.updateTime}) from ${tagMoves}
    where ${ofTag} and ${tagMoves.updateTime} <= ${from})`;
  const reported = reportedDigestSql(
    sql`"move"."digest"`,
    ({ parent }) => sql`${parent} = ${repo}`,
  );
  return sql`select "image".*, ${reported} as "digest", "move"."update_time" as "since",
      lead("move"."update_time", 1, ${before}) over (
        partition by "image"."repo", "image"."tag" order by "move"."update_time") as "until"
    from (${selectImages(references, scopes)}) as "image"
    cross join ${tagMoves} as "move" on "move"."repo_uid" = ${repo} and "move"."tag" = "image"."tag"
      and "move"."update_time" >= coalesce(${first}, ${from}) and "move"."update_time" < ${before}`;
}

/** The scans of the images that the tags pointed to at the time of the scan. */
const selectScans = (references: Reference[], scopes: string[], span: Span) => sql`
  select ${vulnReports.uid} as "uid", "move"."repo" as "repo", "move"."name" as "name",
    "move"."tag" as "tag", ${vulnReports.scanTime} as "time", ${vulnReports.idCount} as "ids"
  from (${selectMoves(references, scopes, span)}) as "move"
  cross join ${vulnReports} on ${vulnReports.parent} = "move"."repo"
    and ${vulnReports.digest} = "move"."digest"
    and ${vulnReports.scanTime} >= max(${span.from}, "move"."since")
    and ${vulnReports.scanTime} < "move"."until"`;

/**
 * The bytes of the image: the layers and the config of its manifest, as GetSize returns them. For an index
 * they are those of amd64. If they are not stored, the size that the scanner saw.
 */
const imageSizeSql = sql<number>`coalesce(
  nullif((select "m"."size" from ${manifests} as "m"
    where "m"."parent" = "scan"."repo" and "m"."digest" = ${vulnReports.digest}), 0),
  (select "part"."size" from ${manifests} as "m"
    cross join json_each("m"."entries") as "entry"
    cross join ${manifests} as "part" on "part"."parent" = "scan"."repo"
      and "part"."digest" = "entry"."value" ->> 'digest'
    where "m"."parent" = "scan"."repo" and "m"."digest" = ${vulnReports.digest}
      and "entry"."value" ->> 'architecture' = 'amd64' limit 1),
  ${vulnReports.imageSize})`;

/**
 * The scans in the order of their times. If there are more than a response can have, only the first are read,
 * until the sum of `weight` reaches `max`. Throws RESOURCE_EXHAUSTED in that case. `ids` lists the columns to
 * read.
 */
async function readScans(
  { databases }: CallAnywhere,
  scopes: string[],
  scansIn: (scopes: string[]) => SQL,
  columns: ScanColumns,
): Promise<ScanRow[]> {
  const parts = await databases.split(scopes);
  const results = await Promise.all(
    parts.map(async ({ db, uids }) => {
      const [rows] = await db.batch([selectRanked(db, scansIn([...uids]), columns)]);
      if ((rows[0]?.total ?? 0) > rows.length) throw tooManyReports();
      return rows;
    }),
  );
  if (results.length === 1) return results[0] ?? [];
  const all = results.flat();
  if (all.length > maxUnpagedRows) throw tooManyReports();
  const key = ({ name, tag }: ScanRow) => `${name}\0${tag}`;
  return all.sort((a, b) => a.time - b.time || (key(a) < key(b) ? -1 : 1));
}

interface ScanColumns {
  weight: SQL;
  max: number;
  ids: SQL;
}

type ScanRow = Awaited<ReturnType<typeof selectRanked>>[number];

const selectRanked = (db: Database, scans: SQL, { weight, max, ids }: ScanColumns) => {
  const ranked = sql`(select *, count(*) over () as "total",
      sum(${weight}) over (order by "time", "name", "tag", "uid") - ${weight} as "before"
    from (${scans})) as "scan"`;
  return (
    db
      .select({
        repo: sql<string>`"scan"."repo"`.as("repo"),
        name: sql<string>`"scan"."name"`.as("name"),
        tag: sql<string>`"scan"."tag"`.as("tag"),
        time: sql<number>`"scan"."time"`.as("time"),
        total: sql<number>`"scan"."total"`.as("total"),
        size: imageSizeSql.as("size"),
        counts: vulnReports.counts,
        ids: sql<string>`${ids}`.as("ids"),
      })
      .from(ranked)
      // Not an inner join, because D1 would then choose the order.
      .crossJoin(vulnReports)
      .where(and(eq(vulnReports.uid, sql`"scan"."uid"`), sql`"scan"."before" < ${max}`))
      .orderBy(sql`"scan"."time"`, sql`"scan"."name"`, sql`"scan"."tag"`, sql`"scan"."uid"`)
  );
};

const tooManyReports = () =>
  resourceExhausted(
    "the reports are too many for one response; request fewer tags or a shorter time",
  );

type Row = ScanRow;

const toReport = (row: Row, counts: Record<string, number>): VulnCountReport =>
  create(VulnCountReportSchema, {
    repo: row.name,
    tag: row.tag,
    date: timestampFromMs(row.time),
    vulnCounts: severities.map((severity) => ({ severity, count: counts[severity] ?? 0 })),
    sizeBytes: BigInt(row.size),
  });

/** One report for each scan, with its findings. */
export async function listVulnCounts(
  request: VulnCountReportFilter,
  call: CallAnywhere,
  scopes: string[],
) {
  const [references, span] = [referencesOf(request), spanOf(request)];
  const rows = await readScans(call, scopes, (here) => selectScans(references, here, span), {
    weight: sql`1`,
    max: maxUnpagedRows,
    ids: sql`'{}'`,
  });
  return rows.map((row) => toReport(row, row.counts));
}

/** One report for each scan, with all findings from the tag's first scan in the time range to this one. */
export async function listCumulativeVulnCounts(
  request: VulnCountReportFilter,
  call: CallAnywhere,
  scopes: string[],
) {
  const [references, span] = [referencesOf(request), spanOf(request)];
  const rows = await readScans(call, scopes, (here) => selectScans(references, here, span), {
    weight: sql`("ids" + 25)`,
    max: maxIds,
    ids: sql`${vulnReports.ids}`,
  });
  /** Severities by id, for each tag of each repository. */
  const seen = new Map<string, Map<string, number>>();
  let reported = 0;
  return rows.map((row) => {
    const key = `${row.repo} ${row.tag}`;
    const known = seen.get(key) ?? new Map<string, number>();
    seen.set(key, known);
    for (const [severity, ids] of Object.entries<string[]>(JSON.parse(row.ids))) {
      for (const id of ids) known.set(id, Number(severity));
    }
    reported += known.size;
    if (reported > maxIds) throw tooManyReports();
    return withIds(row, known);
  });
}

function withIds(row: Row, known: Map<string, number>): VulnCountReport {
  const ids = new Map(severities.map((severity): [number, string[]] => [severity, []]));
  for (const [id, severity] of known) ids.get(severity)?.push(id);
  const of = (severity: Severity) => (ids.get(severity) ?? []).sort();
  const counts = Object.fromEntries([...ids].map(([severity, { length }]) => [severity, length]));
  return Object.assign(toReport(row, counts), {
    cveIds: [...known.keys()].sort(),
    lowCveIds: of(Severity.LOW),
    medCveIds: of(Severity.MEDIUM),
    highCveIds: of(Severity.HIGH),
    critCveIds: of(Severity.CRITICAL),
    negligibleCveIds: of(Severity.NEGLIGIBLE),
    unknownCveIds: of(Severity.UNKNOWN),
  });
}

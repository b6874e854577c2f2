/** How many vulnerabilities the scans of a tag's images have found, over time. */
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
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagMoves } from "../../../schema/tables/registry/tag_moves.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { vulnReports } from "../../../schema/tables/registry/vuln_reports.ts";
import { invalidArgument, resourceExhausted } from "../../aip/errors.ts";
import { isUid, uidDepth } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { maxUnpagedRows } from "../../paging/page.ts";
import { reportedDigestSql } from "./vuln_reports.v1.ts";

/** Most references of a request, and most ids of an answer: they have to fit into memory. */
const maxReferences = 200;
const maxIds = 500_000;

/** Every severity, the worst first: the order of an answer's counts. */
const severities = [
  Severity.CRITICAL,
  Severity.HIGH,
  Severity.MEDIUM,
  Severity.LOW,
  Severity.NEGLIGIBLE,
  Severity.UNKNOWN,
];

/** Times in milliseconds; `from` is the first of them, `before` no more one. */
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

/** The name or the uid of a repo, a tag of it, and whether the repo is named by its uid. */
type Reference = [string, string, 0 | 1];

/** What is asked for. Without a tag it is every tag that the repo has now. */
function referencesOf({ references, repo, tag }: VulnCountReportFilter): Reference[] {
  if (references.length > maxReferences) {
    const text = `references must have at most ${maxReferences} items`;
    throw invalidArgument("references", text);
  }
  references.forEach((one, index) => {
    const field = `references[${index}].repo`;
    if (one.repo === "") throw invalidArgument(field, `${field} is required`);
  });
  if (references.length === 0 && repo === "") {
    throw invalidArgument("repo", "repo or references is needed");
  }
  const asked: Pick<RepoTagReference, "repo" | "tag">[] =
    references.length > 0 ? references : [{ repo, tag }];
  return asked.map((one) => [one.repo, one.tag, isUid(one.repo) ? 1 : 0]);
}

/** The name that a repo of a reference has, and the condition that it is the one of that uid. */
const repoNameSql = sql`iif("ref"."value" ->> 2,
  (select "one"."name" from ${repos} as "one" where "one"."uid" = "ref"."value" ->> 0), "ref"."value" ->> 0)`;
const matchesReference = sql`(not "ref"."value" ->> 2 or ${repos.uid} = "ref"."value" ->> 0)`;

/** The repos of the references in the scopes, each with a tag. */
function selectImages(references: Reference[], scopes: string[]): SQL {
  const places = [
    repos.ancestor0,
    repos.ancestor1,
    repos.ancestor2,
    repos.ancestor3,
    repos.ancestor4,
  ].map((place, depth) => ({ place, at: scopes.filter((scope) => uidDepth(scope) === depth) }));
  // A token may be narrowed to a repo itself.
  const selects = [...places, { place: repos.uid, at: scopes }]
    .filter(({ at }) => at.length > 0)
    .map(
      ({ place, at }) => sql`
        select ${repos.uid} as "repo", ${repos.name} as "name", "ref"."value" ->> 1 as "tag"
        from json_each(${JSON.stringify(references)}) as "ref"
        cross join json_each(${JSON.stringify(at)}) as "scope"
        cross join ${repos} on ${place} = "scope"."value" and ${repos.name} = ${repoNameSql} and ${matchesReference}`,
    );
  return sql`with "found" as materialized (${sql.join(selects, sql` union `)})
    select "repo", "name", "tag" from "found" where "tag" <> ''
    union select "found"."repo", "found"."name", ${tags.name} from "found"
      cross join ${tags} on ${tags.parent} = "found"."repo" where "found"."tag" = ''`;
}

/** What the tags of these images named from `since` to `until`, in the span and at its beginning. */
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

/** The scans of what the tags named when it was scanned. */
const selectScans = (references: Reference[], scopes: string[], span: Span) => sql`
  select ${vulnReports.uid} as "uid", "move"."repo" as "repo", "move"."name" as "name",
    "move"."tag" as "tag", ${vulnReports.scanTime} as "time", ${vulnReports.idCount} as "ids"
  from (${selectMoves(references, scopes, span)}) as "move"
  cross join ${vulnReports} on ${vulnReports.parent} = "move"."repo"
    and ${vulnReports.digest} = "move"."digest"
    and ${vulnReports.scanTime} >= max(${span.from}, "move"."since")
    and ${vulnReports.scanTime} < "move"."until"`;

/**
 * Bytes of the image: layers and config of its manifest, of an index those for amd64, as GetSize
 * tells them. Where these are not stored, what the scanner saw.
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
 * The scans in the order of their times. Of more than one answer holds only some are read: those
 * before the sum of `weight` comes to `max`. Throws RESOURCE_EXHAUSTED then. `ids`: what to read of
 * them.
 */
async function readScans(
  call: Call,
  scans: SQL,
  { weight, max, ids }: { weight: SQL; max: number; ids: SQL },
) {
  const ranked = sql`(select *, count(*) over () as "total",
      sum(${weight}) over (order by "time", "name", "tag", "uid") - ${weight} as "before"
    from (${scans})) as "scan"`;
  const select = call.db
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
    // Not an inner join: its order would be for D1 to choose.
    .crossJoin(vulnReports)
    .where(and(eq(vulnReports.uid, sql`"scan"."uid"`), sql`"scan"."before" < ${max}`))
    .orderBy(sql`"scan"."time"`, sql`"scan"."name"`, sql`"scan"."tag"`, sql`"scan"."uid"`);
  const [rows] = await call.db.batch([select]);
  if ((rows[0]?.total ?? 0) > rows.length) throw tooManyReports();
  return rows;
}

const tooManyReports = () =>
  resourceExhausted("the reports are too many for one answer; name fewer tags or a shorter time");

type Row = Awaited<ReturnType<typeof readScans>>[number];

const toReport = (row: Row, counts: Record<string, number>): VulnCountReport =>
  create(VulnCountReportSchema, {
    repo: row.name,
    tag: row.tag,
    date: timestampFromMs(row.time),
    vulnCounts: severities.map((severity) => ({ severity, count: counts[severity] ?? 0 })),
    sizeBytes: BigInt(row.size),
  });

/** A report for each scan: what it found. */
export async function listVulnCounts(request: VulnCountReportFilter, call: Call, scopes: string[]) {
  const scans = selectScans(referencesOf(request), scopes, spanOf(request));
  const rows = await readScans(call, scans, {
    weight: sql`1`,
    max: maxUnpagedRows,
    ids: sql`'{}'`,
  });
  return rows.map((row) => toReport(row, row.counts));
}

/** A report for each scan: what was found from the first of the tag's scans in the span to it. */
export async function listCumulativeVulnCounts(
  request: VulnCountReportFilter,
  call: Call,
  scopes: string[],
) {
  const scans = selectScans(referencesOf(request), scopes, spanOf(request));
  const rows = await readScans(call, scans, {
    weight: sql`("ids" + 25)`,
    max: maxIds,
    ids: sql`${vulnReports.ids}`,
  });
  /** Severities by id, of each tag of each repo. */
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

import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { asc, desc, eq, type SQL, sql } from "drizzle-orm";
import {
  type ImageRef,
  type ListResolvedVulnsReportsRequest,
  type ResolvedVulnsReport,
  ResolvedVulnsReportSchema,
} from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import {
  EventTypeFilter,
  ReviewState,
} from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { groups } from "../../schema/tables/iam/groups.ts";
import { aboveOf, ancestorKeySql } from "../../schema/tables/list_indexes.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { isInRepo, tags } from "../../schema/tables/registry/tags.ts";
import {
  advisories,
  advisoryEvents,
  type StoredSeverity,
} from "../../schema/tables/vulnerabilities/advisories.ts";
import { tagMoves } from "../../schema/views/tag_moves.ts";
import { invalidArgument, resourceExhausted } from "../aip/errors.ts";
import { uidDepth } from "../aip/uid_path.ts";
import { missingCapabilities, readWithGrants } from "../auth/access.ts";
import { type Call, type CallAnywhere, callAtCaller, type Database } from "../auth/call.ts";
import { scopesOf } from "../auth/grants.ts";
import { limitBytes, maxUnpagedBytes } from "../paging/byte_limit.ts";
import type { ListQuery, RowSelect, Sorting } from "../paging/listing.ts";
import { maxUnpagedRows, paginate, pagingAdvice, unpagedByDefault } from "../paging/page.ts";

/** The artifact type of advisories about images. Their artifact name is the name of the repository. */
const imageType = "image";

const msPerDay = 86_400_000;
const startOfDay = (time: number) => Math.floor(time / msPerDay) * msPerDay;

/** The vulnerabilities resolved on one day. `date` is its midnight in UTC, in milliseconds since 1970. */
interface Row {
  uid: string;
  date: number;
  vulns: { id: string; aliases: string[]; severities: StoredSeverity[] }[];
}

const sorting: Sorting<Row> = { orders: { date: "date" }, defaultOrder: "date" };

/** A range of days, without its last day. */
interface Span {
  from: number;
  to: number;
}

function spanOf({ startTime, endTime }: ListResolvedVulnsReportsRequest): Span {
  const [start, end] = [startTime, endTime].map((time) => (time ? timestampMs(time) : 0));
  if (end === undefined || start === undefined || end < start) {
    throw invalidArgument("end_time", "end_time must not be before the start of the time span");
  }
  return { from: startOfDay(start), to: startOfDay(end) + msPerDay };
}

/**
 * A repository that a reference can mean: its name and, if the reference is an image, the groups above it.
 */
interface RepoCandidate {
  name: string;
  /** The uid or verified name of an organization, followed by the names of groups below it. */
  path: string[] | null;
  /** The index of the reference. */
  index: number;
}

/** The meanings of a reference: the repository with that name, or the image with that pull reference. */
function repoCandidates({ repo }: ImageRef, index: number, host: string): RepoCandidate[] {
  const isPulled = repo.startsWith(`${host}/`);
  const steps = (isPulled ? repo.slice(host.length + 1) : repo).split("/");
  const images = steps.slice(1, GROUP_LEVELS + 2).map((_, depth) => ({
    name: steps.slice(depth + 1).join("/"),
    path: steps.slice(0, depth + 1),
    index,
  }));
  return isPulled ? images : [{ name: repo, path: null, index }, ...images];
}

/** The condition that the names of the path lead to the group of the repository. */
const isAtPath = sql`("meant"."value" ->> 'path' is null or (
  length(${repos.parent}) = 23 + 17 * json_array_length("meant"."value", '$.path')
  and not exists (select 1 from json_each("meant"."value", '$.path') as "step"
    where not exists (select 1 from ${groups}
      where ${groups.uid} = substr(${repos.parent}, 1, 40 + 17 * "step"."key")
        and (${groups.name} = "step"."value" and ("step"."key" > 0 or ${groups.verified} = 1)
          or "step"."key" = 0 and ${groups.uid} = "step"."value")))))`;

/** The repositories of the references in the scopes, each with one of the relevant tags. */
function selectImages(refs: ImageRef[], scopes: string[], host: string) {
  const repoNames = JSON.stringify(refs.flatMap((ref, index) => repoCandidates(ref, index, host)));
  const tagLists = JSON.stringify(refs.map((ref) => (ref.tags.length > 0 ? ref.tags : ["latest"])));
  const select = (uids: string[], isThere: SQL) =>
    sql`select ${repos.uid} as "repo", ${repos.parent} as "group", ${repos.name} as "name",
        "tag"."value" as "tag"
      from json_each(${repoNames}) as "meant"
      cross join json_each(${JSON.stringify(uids)}) as "scope"
      cross join ${repos} on ${isThere} and ${repos.name} = "meant"."value" ->> 'name'
      cross join json_each(${tagLists}, '$[' || ("meant"."value" ->> 'index') || ']') as "tag"
      where ${isAtPath}`;
  const scope = sql`"scope"."value"`;
  const further = aboveOf(repos).flatMap((above, depth) => {
    const scopesAtDepth = scopes.filter((uid) => uidDepth(uid) === depth);
    const isBelow = sql`${above} = ${ancestorKeySql(scope)} and ${repos.uid} > ${scope} || '/' and ${repos.uid} < ${scope} || '0'`;
    return scopesAtDepth.length > 0 ? [select(scopesAtDepth, isBelow)] : [];
  });
  return sql.join(
    [
      select(scopes, sql`${repos.parent} = ${scope}`),
      select(scopes, sql`${repos.uid} = ${scope}`),
      ...further,
    ],
    sql` union `,
  );
}

const fixedVersion = sql`${advisoryEvents.detail} ->> 'fixedVersion'`;

/** A tag is relevant for a fix without a build if it exists and points to an image. */
const isTagPresent = sql`exists (select 1 from ${tags}
  where ${isInRepo(sql`"image"."repo"`)} and ${tags.name} = "image"."tag" and ${tags.digest} <> '')`;

/** A tag is relevant for a fix in a build if it pointed there at that time or later. */
const hasPointedToBuild = sql`exists (select 1 from ${tagMoves}
  where ${tagMoves.repoUid} = "image"."repo" and ${tagMoves.tag} = "image"."tag"
    and ${tagMoves.digest} = ${fixedVersion}
    and not exists (select 1 from ${tagMoves} as "next"
      where "next"."repo_uid" = "image"."repo" and "next"."tag" = "image"."tag"
        and "next"."update_time" > ${tagMoves.updateTime}
        and "next"."update_time" <= ${advisoryEvents.createTime}))`;

/**
 * The days and advisories: the fixes of the images and when they happened. An advisory is about a repository
 * if it is in the group of the repository or in a group above it.
 */
const selectFixes = (images: SQL, { from, to }: Span) => sql`
  select distinct ${advisoryEvents.createTime} / ${sql.raw(String(msPerDay))}
    * ${sql.raw(String(msPerDay))} as "day", ${advisories.uid} as "advisory"
  from (${images}) as "image"
  cross join ${advisories} on ${advisories.artifactName} = "image"."name"
    and ${advisories.uid} > substr("image"."group", 1, 40) || '/'
    and ${advisories.uid} < substr("image"."group", 1, 40) || '0'
    and substr("image"."group" || '/', 1, length(${advisories.parent}) + 1) = ${advisories.parent} || '/'
    and ${advisories.artifactType} = ${imageType}
  cross join ${advisoryEvents} on ${advisoryEvents.advisoryUid} = ${advisories.uid}
    and ${advisoryEvents.createTime} >= ${from} and ${advisoryEvents.createTime} < ${to}
    and ${advisoryEvents.type} = ${EventTypeFilter.FIXED as number}
    and ${advisoryEvents.reviewState} = ${ReviewState.APPROVED as number}
  where iif(${fixedVersion} like 'sha256:%', ${hasPointedToBuild}, ${isTagPresent})`;

/** The fixes of the days on the page and of one more day. For the first page also the number of days. */
async function readFixes(
  call: Call,
  scopes: string[],
  fixesIn: (scopes: string[]) => SQL,
  query: ListQuery,
) {
  const parts = await call.databases.split(scopes);
  const [only, another] = parts;
  if (only && !another)
    return readFixesOf({ ...call, db: only.db }, fixesIn([...only.uids]), query);
  // The days of several databases are merged here, so the skipped ones are read too.
  const whole = { ...query, skip: 0, pageSize: query.skip + query.pageSize };
  const results = await Promise.all(
    parts.map(({ db, uids }) => readFixesOf({ ...call, db }, fixesIn([...uids]), whole)),
  );
  const days = await Promise.all(
    parts.map(({ db, uids }) => (query.cursor ? [] : selectDays(db, fixesIn([...uids])))),
  );
  const sign = query.order.descending ? -1 : 1;
  const merged = joinDays(results.flatMap(({ rows }) => rows.flat()));
  const rows = merged.sort((a, b) => sign * (a.date - b.date)).slice(query.skip);
  const total = query.cursor?.total ?? new Set(days.flat().map(({ day }) => day)).size;
  return { rows: [rows], total };
}

const selectDays = (db: Database, fixes: SQL) =>
  db.selectDistinct({ day: sql<number>`"fix"."day"`.as("day") }).from(sql`(${fixes}) as "fix"`);

/** Joins the vulnerabilities of equal days. */
const joinDays = (rows: Row[]): Row[] =>
  [...Map.groupBy(rows, ({ date }) => date).values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const all = [first, ...others].flatMap(({ vulns }) => vulns);
    const vulns = [...new Map(all.map((vuln) => [vuln.id, vuln])).values()];
    return [{ ...first, vulns: vulns.sort((a, b) => (a.id < b.id ? -1 : 1)) }];
  });

async function readFixesOf(call: Call, fixes: SQL, query: ListQuery) {
  const [after] = query.cursor?.after ?? [];
  const day = sql`"fix"."day"`;
  const direction = query.order.descending ? desc : asc;
  const sign = query.order.descending ? sql`<` : sql`>`;
  const ranked = sql`(select "day", "advisory",
      dense_rank() over (order by ${direction(sql`"day"`)}) as "rank"
    from (${fixes}) ${after === undefined ? sql`` : sql`where "day" ${sign} ${after}`}) as "fix"`;
  const rows = call.db
    .select({
      day: sql<number>`${day}`.as("day"),
      id: advisories.advisoryId,
      aliases: advisories.aliases,
      severities: advisories.severities,
    })
    .from(ranked)
    .innerJoin(advisories, eq(advisories.uid, sql`"fix"."advisory"`))
    .where(sql`"fix"."rank" > ${query.skip} and "fix"."rank" <= ${query.skip + query.pageSize + 1}`)
    .orderBy(direction(day), advisories.advisoryId, advisories.uid)
    .$dynamic();
  if (call.unpaged)
    return {
      rows: [groupByDay(await readAllFixes(call, rows.limit(maxUnpagedRows + 1)))],
      total: 0,
    };
  if (query.cursor) return { rows: [groupByDay(await rows)], total: query.cursor.total };
  const days = call.db
    .select({ total: sql<number>`count(distinct ${day})`.as("total") })
    .from(sql`(${fixes}) as "fix"`);
  const [fixRows, [counted]] = await call.db.batch([rows, days]);
  return { rows: [groupByDay(fixRows)], total: counted?.total ?? 0 };
}

type Fix = Row["vulns"][number] & { day: number };

/** The fixes of all days. Throws RESOURCE_EXHAUSTED if there are more than a response can have. */
async function readAllFixes(call: Call, fixes: RowSelect<Fix>): Promise<Fix[]> {
  const rows = await limitBytes(call.db, fixes, maxUnpagedBytes);
  if (rows.length > maxUnpagedRows || (rows.at(-1)?.bytesSoFar ?? 0) > maxUnpagedBytes) {
    throw resourceExhausted(
      `more than ${maxUnpagedRows} fixes, or more than 16 MiB of them, match; name fewer images or a shorter time, or ${pagingAdvice(call)}`,
    );
  }
  return rows;
}

/** The vulnerabilities of a day, each once. Several groups can have an advisory with the same id. */
function groupByDay(fixes: Fix[]): Row[] {
  const days = new Map<number, Row>();
  for (const { day, ...vuln } of fixes) {
    const row = days.get(day) ?? { uid: new Date(day).toISOString(), date: day, vulns: [] };
    days.set(day, row);
    if (row.vulns.at(-1)?.id !== vuln.id) row.vulns.push(vuln);
  }
  return [...days.values()];
}

const toReport = ({ date, vulns }: Row): ResolvedVulnsReport =>
  create(ResolvedVulnsReportSchema, {
    date: timestampFromMs(date),
    resolvedVulns: vulns.map(({ severities, ...vuln }) => ({
      ...vuln,
      cvssSeverities: severities,
    })),
  });

/**
 * Lists by day, in UTC, the vulnerabilities that were resolved in the images that the caller may see. An
 * event of that day records it: a fix in a build that the tag pointed to, or a fix without a build. A request
 * without paging fields gets all days. It takes two D1 round trips.
 */
export async function listResolvedVulnsReports(
  request: ListResolvedVulnsReportsRequest,
  anywhere: CallAnywhere,
) {
  const span = spanOf(request);
  const call = unpagedByDefault(callAtCaller(anywhere), request);
  const result = await paginate(call, request, sorting, {}, async (query) => {
    const { caller } = await readWithGrants(call, undefined, []);
    const scopes = scopesOf(caller, call.capabilities);
    if (scopes.length === 0) throw missingCapabilities(call.capabilities, "");
    const { host } = new URL(call.config.registryUrl);
    const fixesIn = (here: string[]) =>
      selectFixes(selectImages(request.imageRefs, here, host), span);
    return readFixes(call, scopes, fixesIn, query);
  });
  return { resolvedVulnsReports: result.rows.map(toReport), ...result.envelope };
}

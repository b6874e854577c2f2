/** The tags at the end of their life: who still pulls them, and what replaces them. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type EndOfLifeTag,
  EndOfLifeTagSchema,
  EndOfLifeTagsService,
  type ListEndOfLifeTagsRequest,
  type TagConsumer,
  TagConsumerSchema,
  TagReplacementSchema,
} from "../../../schema/gen/platform/registry/lifecycle/v2/end_of_life_tags_pb.js";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import { isDeprecated, tags } from "../../../schema/tables/registry/tags.ts";
import { matcher } from "../../aip/name_pattern.ts";
import type { CallAnywhere, Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { service } from "../../rpc/service.ts";

/** How far back pulls count, in milliseconds. */
const pullPeriod = 90 * DAY_MS;

/** The most identities of a tag in a response. One more is read. */
const maxConsumers = 10;

/** SQL: a column of the listed tag, within a subquery. */
const own = (column: SQLiteColumn) => sql`${tags}.${sql.identifier(column.name)}`;

/**
 * The latest pulls by a tag or a digest: JSON of uid, name, time, days and anonymous pulls of each identity. The bound
 * of the time makes SQLite read the index by time, so that it sorts nothing.
 */
const pullsOf = (reference: SQL): SQL<string> =>
  sql<string>`(select json_group_array(json_array("identity", "identity_name", "time", "days", "pulls")) from (
    select "pull"."identity", "pull"."identity_name", "pull"."time", "pull"."days", "pull"."pulls"
    from ${repoStorage} as "storage" cross join ${tagPulls} as "pull"
    where "storage"."uid" = ${own(tags.parent)} and "pull"."repo_id" = "storage"."id"
      and "pull"."reference" = ${reference} and "pull"."time" > 0
    order by "pull"."time" desc limit ${maxConsumers + 1}))`;

/** JSON of the newest tag of a line that has a higher version than the listed tag. */
const newestOf = (line: SQL) =>
  sql`(select json_array("newer"."uid", "newer"."name", "newer"."digest", "newer"."update_time")
    from ${tags} as "newer"
    where "newer"."parent_key" = ${own(tags.parentKey)}
      and "newer"."parent" = ${own(tags.parent)} and "newer"."line" = ${line}
      and "newer"."line_key" > ${own(tags.lineKey)} and "newer"."deprecated" = 0 and "newer"."line" <> ''
    order by "newer"."line_key" desc limit 1)`;

const ownLine = own(tags.line);

/** The line of releases with fewer numbers in their versions. */
const shorterLine = (fewer: number) =>
  sql`(substr(${ownLine}, 1, 1) - ${sql.raw(String(fewer))}) || 'r' || substr(${ownLine}, 3)`;

/** A line begins with the number of numbers, and `r` for a release or `p` (src/packages/tag_lines.ts). */
const replacementSql = sql<string | null>`iif(${ownLine} > '', coalesce(
  ${newestOf(shorterLine(0))},
  iif(substr(${ownLine}, 2, 1) = 'p', ${newestOf(ownLine)}, null),
  ${newestOf(shorterLine(1))},
  ${newestOf(shorterLine(2))},
  ${newestOf(shorterLine(3))}), null)`;

// A compound SELECT sorts by an alias of its result.
const columns = {
  uid: sql<string>`${tags.uid}`.as("uid"),
  repoUid: sql<string>`${tags.parent}`.as("repo_uid"),
  repoName: sql<string>`(select "repo"."name" from ${repos} as "repo"
    where "repo"."uid" = ${own(tags.parent)})`.as("repo_name"),
  name: sql<string>`${tags.name}`.as("tag_name"),
  digest: sql<string>`${tags.digest}`.as("tag_digest"),
  deprecatedTime: sql<number>`${tags.deprecatedTime}`.as("deprecated_time"),
  pulls: pullsOf(own(tags.name)).as("tag_pulls"),
  digestPulls: pullsOf(own(tags.digest)).as("digest_pulls"),
  replacement: replacementSql.as("replacement"),
};

const selectEndOfLifeTags = (db: Database, from = tags) => db.select(columns).from(from).$dynamic();

type Row = Awaited<ReturnType<typeof selectEndOfLifeTags>>[number];

/** Reads the indexes of deprecated tags. */
const listing = defineListing({
  table: tags,
  select: selectEndOfLifeTags,
  orders: { uid: "uid", deprecated_time: "deprecatedTime" },
  classColumn: tags.class,
  leafOf: repos,
  mayBeLeft: true,
});

type StoredPull = [identity: string, name: string, time: number, days: number, pulls: number];

/** The pulls of each identity by the tag and by its digest as one, the latest first. */
function consumersOf({ pulls, digestPulls }: Row, now: number): TagConsumer[] {
  const all = [pulls, digestPulls].flatMap((json) => JSON.parse(json) as StoredPull[]);
  const recent = all.filter(([, , time]) => time >= now - pullPeriod);
  const latest = recent.sort(([, , a], [, , b]) => b - a);
  return [...Map.groupBy(latest, ([identity]) => identity)].map(([identityUid, identityPulls]) => {
    const [, identityName, time] = identityPulls[0] as StoredPull;
    const pullDays = Math.max(...identityPulls.map(([, , , days]) => days));
    const pullCount = identityPulls.reduce((sum, [, , , , pulls]) => sum + pulls, 0);
    return create(TagConsumerSchema, {
      identityUid,
      identityName,
      lastPullTime: timestampFromMs(time),
      pullDays,
      pulls: BigInt(pullCount),
    });
  });
}

function replacementOf({ replacement }: Row) {
  if (replacement === null) return {};
  const [uid, tag, digest, time] = JSON.parse(replacement) as [string, string, string, number];
  const updateTime = timestampFromMs(time);
  return { replacement: create(TagReplacementSchema, { uid, tag, digest, updateTime }) };
}

function toEndOfLifeTag(row: Row, { now }: CallAnywhere, caller: Caller | undefined): EndOfLifeTag {
  const { uid, repoUid, repoName, name: tag, digest, deprecatedTime } = row;
  const consumers = consumersOf(row, now);
  const [latest] = consumers;
  const mayName = caller && holds(caller, [Capability.CAP_IAM_IDENTITY_LIST], repoUid);
  return create(EndOfLifeTagSchema, {
    uid,
    repoUid,
    repoName,
    tag,
    digest,
    ...(deprecatedTime === 0 ? {} : { deprecatedTime: timestampFromMs(deprecatedTime) }),
    ...(latest?.lastPullTime ? { lastPullTime: latest.lastPullTime } : {}),
    consumers: mayName ? consumers.slice(0, maxConsumers) : [],
    consumerCount: Math.min(consumers.length, maxConsumers + 1),
    ...replacementOf(row),
  });
}

function classesOf(request: ListEndOfLifeTagsRequest): number[] {
  const classes: number[] = [TagClass.plain];
  if (request.includeReferrers) classes.push(TagClass.referrer);
  if (request.includeDates) classes.push(TagClass.date);
  if (request.includeEpochs) classes.push(TagClass.epoch);
  return classes;
}

/** Whether a tag passes the filters that no index has. */
function filterOf({ repo, tag, pulledSince }: ListEndOfLifeTagsRequest) {
  const isRepo = matcher(repo);
  const isTag = matcher(tag);
  return (endOfLifeTag: EndOfLifeTag) =>
    isRepo(endOfLifeTag.repoName) &&
    isTag(endOfLifeTag.tag) &&
    (!pulledSince ||
      (endOfLifeTag.lastPullTime !== undefined &&
        timestampMs(endOfLifeTag.lastPullTime) >= timestampMs(pulledSince)));
}

export const endOfLifeTagsService = service(EndOfLifeTagsService, {
  /** The page is read before the filters of {@link filterOf} apply, so its cost does not depend on the matches. */
  async listEndOfLifeTags(request, call) {
    const page = await list<Row>(call, request, listing, {
      classes: classesOf(request),
      filters: [isDeprecated],
      total: "none",
    });
    const { nextPageToken, skipped } = page.envelope;
    const all = page.rows.map((row) => toEndOfLifeTag(row, call, page.caller));
    const endOfLifeTags = all.filter(filterOf(request));
    return { endOfLifeTags, nextPageToken, skipped };
  },
});

/**
 * The statements that read a page of ListTagMoves. The records of an organization, of a repository and of a tag have an
 * index each. Those of another group are read from the indexes of its repositories, one record of each at a time. If
 * the group has too many repositories, the index of the organization is read for a while instead.
 */
import { type SQL, sql } from "drizzle-orm";
import {
  digestText,
  hasWarnings,
  kindOf,
  tagNames,
  tagOrigins,
  tagRecords,
  tagRepos,
  warningsOf,
} from "../../../schema/tables/registry/tag_records.ts";
import { tagOverrides } from "../../../schema/tables/registry/tag_rules.ts";
import { previousDigest } from "../../../schema/views/tag_moves.ts";
import { uidDepth } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import type { ListQuery, RowSelect, Scope } from "../../paging/listing.ts";
import { maxMergedSkip } from "../../paging/merge.ts";

/** SQL: a column of the override that allowed the record. Empty without one. */
const ofOverride = (column: "rule" | "reason") => sql<string>`coalesce(
  (select ${sql.identifier(column)} from ${tagOverrides} where ${tagOverrides.repoUid} = o.repo_uid
    and ${tagOverrides.tag} = n.tag and ${tagOverrides.updateTime} = m.update_time), '')`;

/** The columns of the record `m`, and of its name `n` and its origin `o`. */
const columns = {
  /** The id of the tag in a fixed length. Records of the same time are in its order. */
  uid: sql<string>`printf('%015d', m.tag_id)`.as("id"),
  updateTime: sql<number>`m.update_time`.as("update_time"),
  kind: sql<number>`${sql.raw(kindOf("m.flags"))}`.as("kind"),
  digest: sql<string>`${sql.raw(digestText("m.digest"))}`.as("digest"),
  previousDigest: sql<string>`${sql.raw(previousDigest("m"))}`.as("previous_digest"),
  warnings: sql<number>`${sql.raw(warningsOf("m.flags"))}`.as("warnings"),
  isEnd: sql<number>`0`.as("is_end"),
  tag: sql<string>`n.tag`.as("tag"),
  repoUid: sql<string>`o.repo_uid`.as("repo_uid"),
  repo: sql<string>`o.repo`.as("repo"),
  identityUid: sql<string>`o.identity`.as("identity"),
  identityName: sql<string>`o.identity_name`.as("identity_name"),
  method: sql<number>`o.method`.as("method"),
  overriddenRule: ofOverride("rule").as("overridden_rule"),
  overrideReason: ofOverride("reason").as("override_reason"),
};

/** A record with the names that it shows. */
export type MoveRow = {
  [Name in keyof typeof columns]: (typeof columns)[Name]["_"]["type"];
};

/** The most repositories of a group whose records are merged. */
const maxRepos = 200;

/** The most records of the organization that a page examines, if the group has more repositories. */
const maxExamined = 1000;

/** The filters that indexes have. Times are in milliseconds. */
export interface MoveFilters {
  since: number | undefined;
  until: number | undefined;
  isWarned: boolean;
  /** A tag of the repository that the request names. */
  tag: string | undefined;
}

/** The input of a statement for one scope. */
interface Reading {
  filters: MoveFilters;
  query: ListQuery;
  /** The rows to skip, and those to return. */
  skip: number;
  limit: number;
}

/** The rows of a scope. It reads one row more than the page has, to find out whether more follow. */
export function selectMoves(
  db: Database,
  filters: MoveFilters,
  query: ListQuery,
  scope: Scope,
  isOnly: boolean,
): RowSelect<MoveRow> {
  const limit = query.pageSize + 1 + (isOnly ? 0 : Math.min(query.skip, maxMergedSkip));
  const reading = { filters, query, skip: isOnly ? query.skip : 0, limit };
  if (scope.at === "below" || scope.at === "atOrBelow") {
    const isOrganization = uidDepth(scope.uid) === 0;
    return isOrganization
      ? selectOfIndex(db, reading, sql`m.organization_id = ${organizationOf(scope.uid)}`)
      : selectOfGroup(db, reading, scope.uid);
  }
  // Records have no uids of their own.
  if (scope.at !== "childrenOf") return selectOfIndex(db, reading, sql`false`);
  const repo = sql`(select id from ${tagRepos} where repo_uid = ${scope.uid})`;
  const tag = sql`(select id from ${tagNames} where repo_id = ${repo} and tag = ${filters.tag})`;
  return selectOfIndex(
    db,
    reading,
    filters.tag === undefined ? sql`m.repo_id = ${repo}` : sql`m.tag_id = ${tag}`,
  );
}

/** The id of an organization: any of its repositories has it. */
const organizationOf = (uid: string): SQL => {
  const root = uid.slice(0, 40);
  return sql`(select organization_id from ${tagRepos}
    where repo_uid > ${`${root}/`} and repo_uid < ${`${root}0`} limit 1)`;
};

/** Outer joins, because SQLite keeps their order: the records are in that of the page. */
const selectFrom = (db: Database, records: SQL, more: Partial<typeof columns> = {}) =>
  db
    .select({ ...columns, ...more })
    .from(
      sql`${records} left join ${tagNames} as n on n.id = m.tag_id
        left join ${tagOrigins} as o on o.id = m.origin_id`,
    )
    .$dynamic();

function selectOfIndex(db: Database, reading: Reading, scope: SQL) {
  const { skip, limit } = reading;
  return selectFrom(db, sql`${tagRecords} as m`)
    .where(sql`${scope} ${startOf(reading, "m")} ${restOf(reading, "m")}`)
    .orderBy(orderOf(reading, "m"))
    .limit(limit)
    .offset(skip);
}

const orderOf = ({ query }: Reading, of: string): SQL => {
  const direction = query.order.descending ? "desc" : "asc";
  return sql.raw(`${of}.update_time ${direction}, ${of}.tag_id ${direction}`);
};

/** The condition that the records begin where the page does. SQLite enters an index with the first of two bounds. */
function startOf({ query, filters }: Reading, of: string): SQL {
  const { cursor, order } = query;
  const time = sql.raw(`${of}.update_time`);
  if (cursor) {
    const [lastTime, tag] = cursor.after;
    return isPast(query, of, sql`${lastTime}, ${Number(tag)}`);
  }
  if (order.descending)
    return filters.until === undefined ? sql`` : sql`and ${time} < ${filters.until}`;
  return filters.since === undefined ? sql`` : sql`and ${time} >= ${filters.since}`;
}

const isPast = ({ order }: ListQuery, of: string, position: SQL): SQL =>
  sql`and (${sql.raw(`${of}.update_time, ${of}.tag_id`)}) ${sql.raw(order.descending ? "<" : ">")} (${position})`;

/** The other conditions of the filters. */
function restOf({ query, filters }: Reading, of: string): SQL {
  const { since, until, isWarned } = filters;
  const time = sql.raw(`${of}.update_time`);
  const parts = isWarned ? [sql`and ${hasWarnings}`] : [];
  if (query.order.descending) {
    if (since !== undefined) parts.push(sql`and ${time} >= ${since}`);
  } else if (until !== undefined) parts.push(sql`and ${time} < ${until}`);
  return sql.join(parts, sql` `);
}

/** Keeps all times positive, so that texts of them sort as they do. The time comes before the id of the tag. */
const epoch = 100_000_000_000_000;
const position = sql.raw(`printf('%015d%015d', x.update_time + ${epoch}, x.tag_id)`);
const timeOf = (key: string) => sql.raw(`cast(substr(${key}, 1, 15) as integer) - ${epoch}`);
/** Without the sum, this has an affinity, and SQLite would enter an index with the time alone. */
const tagOf = (key: string) => sql.raw(`cast(substr(${key}, 16) as integer) + 0`);

/**
 * The records of a group. The queue of a recursive select merges the records of its arms. An arm is the id of a
 * repository, or the negative id of the organization if the group has too many repositories. Each step returns the
 * first record in the queue and adds the next one of its arm. The last record that a page examines can be of another
 * group.
 */
function selectOfGroup(db: Database, reading: Reading, uid: string) {
  const { query, skip, limit } = reading;
  const isInside = (of: string) =>
    sql`${sql.raw(of)}.repo_uid >= ${uid} and ${sql.raw(of)}.repo_uid < ${`${uid}0`}`;
  const next = (arm: string, start: SQL) => {
    const firstOf = (scope: SQL) => sql`(select ${position} from ${tagRecords} as x
      where ${scope} ${start} ${restOf(reading, "x")} order by ${orderOf(reading, "x")} limit 1)`;
    return sql`iif(${sql.raw(arm)} > 0, ${firstOf(sql`x.repo_id = ${sql.raw(arm)}`)},
      ${firstOf(sql`x.organization_id = -${sql.raw(arm)}`)})`;
  };
  const after = isPast(query, "x", sql`${timeOf("walk.position")}, ${tagOf("walk.position")}`);
  const isEnd = sql`walk.arm < 0 and walk.step = ${maxExamined}`;
  const walk = sql`with recursive
    many(is_many) as (select count(*) > ${maxRepos} from (
      select 1 from ${tagRepos} as g where ${isInside("g")} limit ${maxRepos + 1})),
    arms(arm) as (
      select g.id from many cross join ${tagRepos} as g where not is_many and ${isInside("g")}
      union all select -${organizationOf(uid)} from many where is_many),
    walk(arm, step, position) as (
      select arm, 1, ${next("arms.arm", startOf(reading, "x"))} from arms
      union all
      select arm, step + 1, ${next("walk.arm", after)} from walk
        where position is not null and not (${isEnd})
      order by 3 ${sql.raw(query.order.descending ? "desc" : "asc")})
    select m.*, ${isEnd} as is_end, walk.arm > 0 or ${isInside("r")} as is_inside,
      ${skip > 0 ? sql`row_number() over ()` : sql`1`} as number
    from walk left join ${tagRecords} as m on m.tag_id = ${tagOf("walk.position")} and m.update_time = ${timeOf("walk.position")}
      left join ${tagRepos} as r on r.id = iif(walk.arm < 0, m.repo_id, null)
    where walk.position is not null and (walk.arm > 0 or ${isInside("r")} or ${isEnd})`;
  const isEndOfPage = sql<number>`iif(m.is_end, iif(m.number > ${skip} and m.is_inside, 2, 1), 0)`;
  return selectFrom(db, sql`(${walk}) as m`, { isEnd: isEndOfPage.as("is_end") })
    .where(sql`m.number > ${skip} or m.is_end`)
    .limit(limit);
}

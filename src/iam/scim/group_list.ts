/** Finds groups by a filter, page by page (RFC 7644 sections 3.4.2 and 3.4.3). */
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { counts } from "../../../schema/tables/counts.ts";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import { groupKind } from "./attributes.ts";
import { type ScimCall, scimResponse, toListResponse } from "./exchange.ts";
import { parseFilter } from "./filter.ts";
import { toGroupCondition } from "./group_filter_sql.ts";
import { groupColumns, memberId, type ScimGroupRow, toGroupResource } from "./group_rows.ts";
import { scimLimits } from "./limits.ts";
import { checkToken } from "./list.ts";
import { project, shows } from "./projection.ts";
import { type Query, readSearch, readUrlQuery } from "./query.ts";

/** GET /Groups. */
export async function listGroups(call: ScimCall): Promise<Response> {
  await checkToken(call);
  return queryGroups(call, readUrlQuery(call, groupKind));
}

/** POST /Groups/.search. */
export async function searchGroups(call: ScimCall): Promise<Response> {
  await checkToken(call);
  return queryGroups(call, await readSearch(call, groupKind));
}

async function queryGroups(call: ScimCall, query: Query): Promise<Response> {
  const { projection, startIndex, count } = query;
  const filter =
    query.filter === "" ? undefined : toGroupCondition(parseFilter(query.filter, groupKind), call);
  const where = and(eq(scimGroups.parent, call.provider), filter);
  const [groupRows, [all]] = await call.db.batch([
    call.db
      .select(groupColumns)
      .from(scimGroups)
      .where(where)
      .orderBy(asc(scimGroups.createTime), asc(scimGroups.uid))
      .limit(count)
      .offset(startIndex - 1),
    selectTotal(call, filter && where),
  ]);
  const page = shows(projection, "members")
    ? await withMembers(call, groupRows)
    : groupRows.map(alone);
  const resources = page.map(({ row, members }) =>
    project(toGroupResource(call, row, members), projection),
  );
  return scimResponse(toListResponse(resources, all?.total ?? 0, startIndex));
}

const alone = (row: ScimGroupRow) => ({ row, members: [] as string[] });

/** The first groups whose members fit on a page. The first one always does. */
async function withMembers({ db }: ScimCall, rows: ScimGroupRow[]) {
  const uids = JSON.stringify(rows.map(({ uid }) => uid));
  const memberRows = await db
    .select({
      group: sql<string>`${scimGroupMembers.groupUid}`.as("group_uid"),
      id: memberId.as("id"),
    })
    .from(sql`json_each(${uids}) as "listed" cross join ${scimGroupMembers}
      on ${scimGroupMembers.groupUid} = "listed"."value"`)
    .orderBy(sql`"listed"."key"`, scimGroupMembers.userUid)
    .limit(scimLimits.pageMembers + 1);
  const members = Map.groupBy(memberRows, ({ group }) => group);
  // The rows end within a group, or before it, and the next page begins with it.
  const cut = memberRows.length > scimLimits.pageMembers ? memberRows.at(-1)?.group : undefined;
  const end = rows.findIndex(({ uid }) => uid === cut);
  const whole = end === -1 ? rows : rows.slice(0, Math.max(1, end));
  return whole.map((row) => ({ row, members: (members.get(row.uid) ?? []).map(({ id }) => id) }));
}

/** The statement that counts the groups for a condition, or all groups of the provider. */
const selectTotal = ({ db, provider }: ScimCall, condition: SQL | undefined) =>
  condition
    ? db
        .select({ total: sql<number>`count(*)`.as("total") })
        .from(scimGroups)
        .where(condition)
    : db
        .select({ total: sql<number>`coalesce(sum(${counts.children}), 0)`.as("total") })
        .from(counts)
        .where(and(eq(counts.ancestor, provider), eq(counts.kind, "scim_groups")));

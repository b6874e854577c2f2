/** Finds users by a filter, page by page (RFC 7644 sections 3.4.2 and 3.4.3). */

import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { counts } from "../../../schema/tables/counts.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { limitBytes } from "../../paging/byte_limit.ts";
import { userKind } from "./attributes.ts";
import { requireCredential, selectCredential } from "./credential.ts";
import { type ScimCall, scimResponse, toListResponse } from "./exchange.ts";
import { type Filter, parseFilter } from "./filter.ts";
import {
  checkScanCost,
  countReads,
  maxMeasuredUsers,
  requiresKey,
  sizeColumns,
  sumColumns,
} from "./filter_cost.ts";
import { toCondition } from "./filter_sql.ts";
import { scimLimits } from "./limits.ts";
import { project } from "./projection.ts";
import { type Query, readSearch, readUrlQuery } from "./query.ts";
import { toResource } from "./user_resource.ts";

/** GET /Users. */
export async function listUsers(call: ScimCall): Promise<Response> {
  await checkToken(call);
  return queryUsers(call, readUrlQuery(call, userKind));
}

/** POST /Users/.search. */
export async function searchUsers(call: ScimCall): Promise<Response> {
  await checkToken(call);
  return queryUsers(call, await readSearch(call, userKind));
}

/** A list can scan many rows, so nothing is read before the token is verified. */
export async function checkToken(call: ScimCall): Promise<void> {
  const [credential] = await selectCredential(call.db, call.provider);
  requireCredential(credential, call);
}

async function queryUsers(call: ScimCall, query: Query): Promise<Response> {
  const filter = query.filter === "" ? undefined : parseFilter(query.filter);
  const where = and(eq(scimUsers.parent, call.provider), filter && toCondition(filter, call));
  if (filter && !requiresKey(filter)) await checkCost(call, filter);
  const page = call.db
    .select()
    .from(scimUsers)
    .where(where)
    .orderBy(asc(scimUsers.createTime), asc(scimUsers.uid))
    .limit(query.count)
    .offset(query.startIndex - 1)
    .$dynamic();
  const [rows, [count]] = await call.db.batch([
    limitBytes(call.db, page, scimLimits.pageBytes),
    selectTotal(call, filter && where),
  ]);
  // A client continues where this page ends.
  const whole = rows.filter(({ bytesSoFar }) => bytesSoFar <= scimLimits.pageBytes);
  const resources = whole.map((row) => project(toResource(call, row), query.projection));
  return scimResponse(toListResponse(resources, count?.total ?? 0, query.startIndex));
}

/** Reads the sizes of the users that a filter covers. Throws 400 tooMany. */
async function checkCost({ db, provider }: ScimCall, filter: Filter): Promise<void> {
  const looks = countReads(filter);
  const looked = db
    .select(sizeColumns)
    .from(scimUsers)
    .where(eq(scimUsers.parent, provider))
    .limit(maxMeasuredUsers(looks))
    .as("looked");
  const [measure] = await db.select(sumColumns).from(looked);
  if (measure) checkScanCost(looks, measure);
}

/** The statement that counts the users for a condition, or all users of the provider. */
const selectTotal = ({ db, provider }: ScimCall, condition: SQL | undefined) =>
  condition
    ? db
        .select({ total: sql<number>`count(*)`.as("total") })
        .from(scimUsers)
        .where(condition)
    : db
        .select({ total: sql<number>`coalesce(sum(${counts.children}), 0)`.as("total") })
        .from(counts)
        .where(and(eq(counts.ancestor, provider), eq(counts.kind, "scim_users")));

/** Finds users by a filter, page by page (RFC 7644 sections 3.4.2 and 3.4.3). */

import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { counts } from "../../../schema/tables/counts.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { quoted } from "../../aip/quoted.ts";
import { limitBytes } from "../../paging/byte_limit.ts";
import { requireCredential, selectCredential } from "./credential.ts";
import { badRequest } from "./errors.ts";
import { readScimBody, type ScimCall, scimResponse, toListResponse } from "./exchange.ts";
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
import { type Projection, project, readProjection } from "./projection.ts";
import { toResource } from "./user_resource.ts";
import { isScimObject } from "./values.ts";
import { checkQuery } from "./well_formed.ts";

const defaultCount = 100;
const maxStartIndex = 2 ** 31;

interface Query {
  filter: string;
  /** Counted from 1. */
  startIndex: number;
  count: number;
  projection: Projection;
}

/** A whole number. Smaller numbers count as the minimum (RFC 7644 section 3.4.2.4). */
function readNumber(name: string, text: string | null, defaultValue: number, min: number): number {
  if (text === null || text === "") return defaultValue;
  if (!/^-?\d+$/.test(text))
    throw badRequest("invalidValue", `${name} must be a whole number; you sent ${quoted(text)}`);
  return Math.min(Math.max(Number(text), min), maxStartIndex);
}

type Get = (name: string) => string | null;

function readQuery(get: Get): Query {
  return {
    filter: get("filter") ?? "",
    startIndex: readNumber("startIndex", get("startIndex"), 1, 1),
    count: Math.min(readNumber("count", get("count"), defaultCount, 0), scimLimits.pageUsers),
    projection: readProjection(get),
  };
}

/** GET /Users. */
export async function listUsers(call: ScimCall): Promise<Response> {
  await checkToken(call);
  checkQuery(call.url);
  return queryUsers(
    call,
    readQuery((name) => call.url.searchParams.get(name)),
  );
}

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** POST /Users/.search: the same query in the body, to keep it out of the URL. */
export async function searchUsers(call: ScimCall): Promise<Response> {
  await checkToken(call);
  const body = await readScimBody(call);
  const schemas = isScimObject(body) ? body.schemas : undefined;
  if (!isScimObject(body) || !Array.isArray(schemas) || !schemas.includes(searchSchema)) {
    throw badRequest("invalidSyntax", `schemas must contain "${searchSchema}"`);
  }
  return queryUsers(
    call,
    readQuery((name) => textOf(name, body[name])),
  );
}

/** A member of a search, in the form that a query has. A list contains names of attributes. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  const isOfNames = /attributes$/i.test(name);
  if (!isList || !isOfNames) {
    const form = isOfNames ? "a string or a list of strings" : "a string or a number";
    throw badRequest("invalidValue", `${name} must be ${form}`);
  }
  return value.join();
}

/** A list can scan many rows, so nothing is read before the token is verified. */
async function checkToken({ db, provider, digest, now }: ScimCall): Promise<void> {
  const [credential] = await selectCredential(db, provider);
  requireCredential(credential, digest, now);
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
  const [rows, [found]] = await call.db.batch([
    limitBytes(call.db, page, longColumns, scimLimits.pageBytes),
    selectTotal(call, filter && where),
  ]);
  // Users beyond the bytes of a page come without attributes. A client continues where this page ends.
  const whole = rows.filter(({ attributes }) => attributes !== null);
  const resources = whole.map((row) => project(toResource(call, row), query.projection));
  return scimResponse(toListResponse(resources, found?.total ?? 0, query.startIndex));
}

/** The columns of a user that can be long. */
const longColumns = {
  attributes: scimUsers.attributes,
  userName: scimUsers.userName,
  userNameKey: scimUsers.userNameKey,
  externalId: scimUsers.externalId,
};

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

/** Users found by filter, page by page (RFC 7644 sections 3.4.2 and 3.4.3). */
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import { counts } from "../../../schema/tables/counts.ts";
import { scimUsers } from "../../../schema/tables/scim_users.ts";
import { limitBytes } from "../../paging/byte_limit.ts";
import { admit, selectCredential } from "./credential.ts";
import { bad } from "./errors.ts";
import { answer, listOf, readBody, type ScimCall } from "./exchange.ts";
import { type Filter, parseFilter } from "./filter.ts";
import {
  checkScan,
  demandsKey,
  greatestMeasured,
  looksOf,
  measures,
  sizes,
} from "./filter_cost.ts";
import { toCondition } from "./filter_sql.ts";
import { limits } from "./limits.ts";
import { project, readWanted, type Wanted } from "./projection.ts";
import { toResource } from "./user_resource.ts";
import { isObject } from "./values.ts";
import { checkQuery } from "./well_formed.ts";

const countDefault = 100;
const greatestIndex = 2 ** 31;

interface Query {
  filter: string;
  /** From 1. */
  startIndex: number;
  count: number;
  wanted: Wanted;
}

/** A whole number; what is less than the least counts as that (RFC 7644 section 3.4.2.4). */
function readNumber(name: string, text: string | null, byDefault: number, least: number): number {
  if (text === null || text === "") return byDefault;
  if (!/^-?\d+$/.test(text)) throw bad("invalidValue", `${name} must be a whole number`);
  return Math.min(Math.max(Number(text), least), greatestIndex);
}

type Get = (name: string) => string | null;

function readQuery(get: Get): Query {
  return {
    filter: get("filter") ?? "",
    startIndex: readNumber("startIndex", get("startIndex"), 1, 1),
    count: Math.min(readNumber("count", get("count"), countDefault, 0), limits.pageUsers),
    wanted: readWanted(get),
  };
}

/** GET /Users. */
export async function listUsers(call: ScimCall): Promise<Response> {
  await admitted(call);
  checkQuery(call.url);
  return find(
    call,
    readQuery((name) => call.url.searchParams.get(name)),
  );
}

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** POST /Users/.search: the same query in the body, for what should not stand in a URL. */
export async function searchUsers(call: ScimCall): Promise<Response> {
  await admitted(call);
  const body = await readBody(call);
  const schemas = isObject(body) ? body.schemas : undefined;
  if (!isObject(body) || !Array.isArray(schemas) || !schemas.includes(searchSchema)) {
    throw bad("invalidSyntax", `schemas must be ["${searchSchema}"]`);
  }
  return find(
    call,
    readQuery((name) => textOf(name, body[name])),
  );
}

/** A member of a search as it would stand in the query. A list has names of attributes. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  if (!isList || !/attributes$/i.test(name)) throw bad("invalidValue", `${name} cannot be read`);
  return value.join();
}

/** A list may scan, so that nothing is read before the token is known to be good. */
async function admitted({ db, provider, digest, now }: ScimCall): Promise<void> {
  const [credential] = await selectCredential(db, provider);
  admit(credential, digest, now);
}

async function find(call: ScimCall, query: Query): Promise<Response> {
  const filter = query.filter === "" ? undefined : parseFilter(query.filter);
  const where = and(eq(scimUsers.parent, call.provider), filter && toCondition(filter, call));
  if (filter && !demandsKey(filter)) await checkCost(call, filter);
  const page = call.db
    .select()
    .from(scimUsers)
    .where(where)
    .orderBy(asc(scimUsers.createTime), asc(scimUsers.uid))
    .limit(query.count)
    .offset(query.startIndex - 1)
    .$dynamic();
  const [rows, [found]] = await call.db.batch([
    limitBytes(call.db, page, longColumns, limits.pageBytes),
    selectTotal(call, filter && where),
  ]);
  // V1Options the bytes of a page attributes are left out; a client goes on from where this page ends.
  const whole = rows.filter(({ attributes }) => attributes !== null);
  const resources = whole.map((row) => project(toResource(call, row), query.wanted));
  return answer(listOf(resources, found?.total ?? 0, query.startIndex));
}

/** What of a user can be long. */
const longColumns = {
  attributes: scimUsers.attributes,
  userName: scimUsers.userName,
  userNameKey: scimUsers.userNameKey,
  externalId: scimUsers.externalId,
};

/** Reads how large the users are that a filter looks at. Throws 400 tooMany. */
async function checkCost({ db, provider }: ScimCall, filter: Filter): Promise<void> {
  const looks = looksOf(filter);
  const looked = db
    .select(sizes)
    .from(scimUsers)
    .where(eq(scimUsers.parent, provider))
    .limit(greatestMeasured(looks))
    .as("looked");
  const [measure] = await db.select(measures).from(looked);
  if (measure) checkScan(looks, measure);
}

/** The statement that counts the users of a condition, or all of the provider without one. */
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

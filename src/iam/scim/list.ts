/** Users found by filter, page by page (RFC 7644 sections 3.4.2 and 3.4.3). */
import { and, asc, eq, sql } from "drizzle-orm";
import { counts } from "../../../schema/tables/counts.ts";
import { scimUsers } from "../../../schema/tables/scim_users.ts";
import { admit, selectCredential } from "./credential.ts";
import { bad } from "./errors.ts";
import { answer, listOf, readBody, type ScimCall } from "./exchange.ts";
import { parseFilter } from "./filter.ts";
import { toCondition } from "./filter_sql.ts";
import { project, readWanted, type Wanted } from "./projection.ts";
import { toResource } from "./user_resource.ts";
import { isObject } from "./values.ts";

/** Most users on one page. */
export const countLimit = 200;
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

function readQuery(get: (name: string) => string | null): Query {
  return {
    filter: get("filter") ?? "",
    startIndex: readNumber("startIndex", get("startIndex"), 1, 1),
    count: Math.min(readNumber("count", get("count"), countDefault, 0), countLimit),
    wanted: readWanted(get("attributes"), get("excludedAttributes")),
  };
}

/** GET /Users. */
export async function listUsers(call: ScimCall): Promise<Response> {
  await admitted(call);
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
  const query = readQuery((name) => {
    const value = body[name];
    return value === undefined || value === null ? null : String(value);
  });
  return find(call, query);
}

/** A list may scan, so that nothing is read before the token is known to be good. */
async function admitted({ db, provider, digest, now }: ScimCall): Promise<void> {
  const [credential] = await selectCredential(db, provider);
  admit(credential, digest, now);
}

async function find(call: ScimCall, query: Query): Promise<Response> {
  const condition = query.filter === "" ? undefined : toCondition(parseFilter(query.filter), call);
  const where = and(eq(scimUsers.parent, call.provider), condition);
  const total = condition
    ? call.db
        .select({ total: sql<number>`count(*)`.as("total") })
        .from(scimUsers)
        .where(where)
    : call.db
        .select({ total: sql<number>`coalesce(sum(${counts.children}), 0)`.as("total") })
        .from(counts)
        .where(and(eq(counts.ancestor, call.provider), eq(counts.kind, "scim_users")));
  const [rows, [found]] = await call.db.batch([
    call.db
      .select()
      .from(scimUsers)
      .where(where)
      .orderBy(asc(scimUsers.createTime), asc(scimUsers.uid))
      .limit(query.count)
      .offset(query.startIndex - 1),
    total,
  ]);
  const resources = rows.map((row) => project(toResource(call, row), query.wanted));
  return answer(listOf(resources, found?.total ?? 0, query.startIndex));
}

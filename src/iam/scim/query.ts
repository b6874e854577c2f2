/** Reads the parameters of a list, from the query or from the body of a search (RFC 7644 sections 3.4.2 and 3.4.3). */
import { quoted } from "../../aip/quoted.ts";
import type { ResourceKind } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { readScimBody, type ScimCall } from "./exchange.ts";
import { scimLimits } from "./limits.ts";
import { type Projection, readProjection } from "./projection.ts";
import { isScimObject } from "./values.ts";
import { checkQuery } from "./well_formed.ts";

const defaultCount = 100;
const maxStartIndex = 2 ** 31;

/** The parameters of a list. An empty filter matches everything. */
export interface Query {
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

const readQuery = (get: (name: string) => string | null, kind: ResourceKind): Query => ({
  filter: get("filter") ?? "",
  startIndex: readNumber("startIndex", get("startIndex"), 1, 1),
  count: Math.min(readNumber("count", get("count"), defaultCount, 0), scimLimits.pageUsers),
  projection: readProjection(get, kind),
});

/** The parameters in the URL. Throws 400 invalidValue. */
export function readUrlQuery({ url }: ScimCall, kind: ResourceKind): Query {
  checkQuery(url);
  return readQuery((name) => url.searchParams.get(name), kind);
}

const searchSchema = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** The parameters in the body, which keeps them out of the URL. Throws 400, and the errors of the body. */
export async function readSearch(call: ScimCall, kind: ResourceKind): Promise<Query> {
  const body = await readScimBody(call);
  const schemas = isScimObject(body) ? body.schemas : undefined;
  if (!isScimObject(body) || !Array.isArray(schemas) || !schemas.includes(searchSchema)) {
    throw badRequest("invalidSyntax", `schemas must contain "${searchSchema}"`);
  }
  return readQuery((name) => textOf(name, body[name]), kind);
}

/** A member of a search, in the form that a query has. A list contains names of attributes. */
function textOf(name: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  const isOfNames = /attributes$/i.test(name);
  if (!isList || !isOfNames) {
    const form = isOfNames ? "a string or a list of strings" : "a string or a number";
    throw badRequest("invalidValue", `${name} must be ${form}`);
  }
  return value.join();
}

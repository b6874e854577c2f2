/** A request of an operation as HTTP: path, query and body. */
import type { ClientRequest } from "./connection.ts";
import type { JsonObject, Operation } from "./operation.ts";

/** Members of the filter by place, which the client takes beside the others. */
const scopeFilters = ["descendantsOf", "childrenOf", "ancestorsOf", "inRoot", "ids"];

/** The form of a uid, which stands in paths with its slashes. */
export const uidPattern = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

/**
 * Where and how the request is sent. Throws a TypeError for a member that the operation does not
 * take, and for a variable of the path that is missing.
 */
export function toHttp(operation: Operation, asked: JsonObject, base: string): ClientRequest {
  const request = withScopeFilter(operation, asked);
  const name = operation.rpc.replace(/^.*\//, "");
  refuseUnknownMembers(name, operation.fields, request);
  const path = pathOf(operation, request);
  const { verb, body } = operation;
  const bodyWithoutPath = body === "*" ? omitPathMembers(operation, request) : undefined;
  const content =
    bodyWithoutPath ??
    (body === "" ? undefined : (omitPathMembers(operation, request)[body] ?? {}));
  const isRead = verb === "GET" || path === `/${operation.rpc}`;
  return {
    method: verb,
    url: `${base}${path}${body === "*" ? "" : queryOf(operation, request)}`,
    ...(content === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(content) }),
    isSafe: isRead,
    isConditional: "etag" in request,
    mayBeEmpty: operation.empty ?? false,
  };
}

/**
 * The request with the filter by place in its member `uidp`, and its mask as one text. Throws a
 * TypeError for another place, and for a mask that names nothing.
 */
function withScopeFilter({ fields }: Operation, { ...request }: JsonObject): JsonObject {
  if (fields.includes("uidp")) {
    const uidp: JsonObject = { ...(request.uidp as JsonObject | undefined) };
    for (const name of scopeFilters) {
      if (request[name] !== undefined && !fields.includes(name)) uidp[name] = request[name];
      if (!fields.includes(name)) delete request[name];
    }
    refuseUnknownMembers("uidp", scopeFilters, uidp);
    request.uidp = uidp;
  }
  if (Array.isArray(request.updateMask)) {
    // The platform takes an empty mask for none.
    if (request.updateMask.length === 0) throw new TypeError("updateMask names no field");
    request.updateMask = request.updateMask.join(",");
  }
  return request;
}

/** The platform overlooks members that it does not know: a typo would go unnoticed. */
function refuseUnknownMembers(owner: string, fields: readonly string[], given: JsonObject): void {
  const unknownMember = Object.keys(given).find((name) => !fields.includes(name));
  if (unknownMember === undefined) return;
  const known = fields.flatMap((name) => (name === "uidp" ? scopeFilters : name)).join(", ");
  throw new TypeError(`${owner} takes no ${unknownMember}; it takes ${known || "nothing"}`);
}

const variable = /\{([^}]+)\}/g;

function pathOf({ path, verb }: Operation, request: JsonObject): string {
  return path.replace(variable, (match, name: string) => {
    const value = valueAt(request, name.split("."));
    // Without a parent a Create makes an organization.
    if (verb === "POST" && path.endsWith(match) && (value ?? "") === "") return "";
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`${name} must be a string, and not empty`);
    }
    return uidPattern.test(value) ? value : encodeURIComponent(value);
  });
}

function valueAt(json: unknown, [first, ...rest]: string[]): unknown {
  if (first === undefined) return json;
  return typeof json === "object" && json !== null
    ? valueAt((json as JsonObject)[first], rest)
    : undefined;
}

/** The request without what its path says. */
function omitPathMembers({ path }: Operation, request: JsonObject): JsonObject {
  const names = [...path.matchAll(variable)].map(([, name = ""]) => name.split("."));
  return names.reduce(omitMember, request);
}

function omitMember(json: JsonObject, [first = "", ...rest]: string[]): JsonObject {
  const { [first]: value, ...others } = json;
  if (rest.length === 0) return others;
  return { ...others, [first]: omitMember((value ?? {}) as JsonObject, rest) };
}

function queryOf(operation: Operation, request: JsonObject): string {
  const { [operation.body]: _, ...others } = omitPathMembers(operation, request);
  const query = String(new URLSearchParams(pairsOf(others, "")));
  return query === "" ? "" : `?${query}`;
}

/**
 * Nested members with dots, lists as repeated keys. Throws a TypeError for an empty list or place:
 * the platform would take it for no filter, and answer all.
 */
function pairsOf(json: JsonObject, prefix: string): [string, string][] {
  return Object.entries(json).flatMap(([name, value]): [string, string][] => {
    const key = `${prefix}${name}`;
    if (value === undefined || value === null) return [];
    if (value instanceof Date) return [[key, value.toISOString()]];
    const isEmpty = Array.isArray(value) ? value.length === 0 : value === "" && prefix === "uidp.";
    if (isEmpty) throw new TypeError(`${key} is empty: leave it out to list without it`);
    if (Array.isArray(value)) return value.map((one) => [key, String(one)]);
    if (typeof value === "object") return pairsOf(value as JsonObject, `${key}.`);
    return [[key, String(value)]];
  });
}

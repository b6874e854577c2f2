/** Turns the request of an operation into HTTP: path, query and body. */
import type { JsonObject, Operation } from "./operation.ts";

/** A request that is ready to be sent. */
export interface ClientRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Whether it is safe to send the request twice. */
  isSafe: boolean;
  /** Whether the platform carries out the request once if it is sent again with the same key. */
  takesKey?: boolean;
  /** Whether the request names the state that it applies to, with an entity tag. */
  isConditional?: boolean;
  /** Whether the response may have no body. */
  mayBeEmpty?: boolean;
}

/** The members of the filter by place. The client takes them next to the other members. */
const scopeFilters = ["descendantsOf", "childrenOf", "ancestorsOf", "inRoot", "ids"];

/** The form of a uid. Paths contain uids with their slashes. */
export const uidPattern = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

/**
 * Returns the HTTP request of an operation. Throws a TypeError for a member that the operation does not have, and for a
 * missing path variable.
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
    takesKey: verb === "POST" && !isRead,
    isConditional: [request, content].some((part) => Object.hasOwn(Object(part), "etag")),
    mayBeEmpty: operation.empty ?? operation.mayBeEmpty ?? false,
  };
}

/**
 * Returns the request with the filter by place in its member `uidp`, and with its mask as one text. Throws a TypeError
 * for an unknown place, and for a mask without fields.
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
    // The platform ignores an empty mask.
    if (request.updateMask.length === 0)
      throw new TypeError("updateMask must name at least one field");
    request.updateMask = request.updateMask.join(",");
  }
  return request;
}

/** The platform ignores unknown members, so a typo would not be noticed. */
function refuseUnknownMembers(owner: string, fields: readonly string[], request: JsonObject): void {
  const unknownMember = Object.keys(request).find((name) => !fields.includes(name));
  if (unknownMember === undefined) return;
  const known = fields.flatMap((name) => (name === "uidp" ? scopeFilters : name)).join(", ");
  throw new TypeError(
    `${owner} has no member ${unknownMember}; its members are: ${known || "none"}`,
  );
}

const variable = /\{([^}]+)\}/g;

function pathOf({ path, verb }: Operation, request: JsonObject): string {
  return path.replace(variable, (match, name: string) => {
    const value = valueAt(request, name.split("."));
    // Without a parent, a Create creates an organization.
    if (verb === "POST" && path.endsWith(match) && (value ?? "") === "") return "";
    if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`${name} must be a string and must not be empty`);
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

/** Returns the request without the members that its path contains. */
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
 * Returns nested members with dots, and lists as repeated keys. Throws a TypeError for an empty list or place, because
 * the platform would ignore the filter and return everything.
 */
function pairsOf(json: JsonObject, prefix: string): [string, string][] {
  return Object.entries(json).flatMap(([name, value]): [string, string][] => {
    const key = `${prefix}${name}`;
    if (value === undefined || value === null) return [];
    if (value instanceof Date) return [[key, value.toISOString()]];
    const isEmpty = Array.isArray(value) ? value.length === 0 : value === "" && prefix === "uidp.";
    if (isEmpty) throw new TypeError(`${key} is empty; to list without this filter, leave it out`);
    if (Array.isArray(value)) return value.map((item) => [key, String(item)]);
    if (typeof value === "object") return pairsOf(value as JsonObject, `${key}.`);
    return [[key, String(value)]];
  });
}

/** PATCH (RFC 7644 section 3.5.2), with what provisioning clients are known to send. */
import { type Attribute, resolve } from "./attributes.ts";
import { bad } from "./errors.ts";
import { type Filter, type PatchPath, parsePath } from "./filter.ts";
import { matches } from "./match.ts";
import { coerce, coerceOne, isObject, isPrimary, type UserValues, type Values } from "./values.ts";

export const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

type Op = "add" | "replace" | "remove";

/** One change: where, and what to. */
interface Operation {
  op: Op;
  to: PatchPath;
  value: unknown;
}

/** Most operations in one request. */
const operationLimit = 200;

/** The user after the operations of a PATCH body; none counts where one is refused. Throws 400. */
export function patched(user: UserValues, body: unknown): UserValues {
  const next = structuredClone(user);
  for (const operation of readOperations(body)) apply(next, operation);
  return next;
}

function readOperations(body: unknown): Operation[] {
  const members = isObject(body) ? lowered(body) : {};
  const { schemas, operations } = members;
  if (!Array.isArray(schemas) || !schemas.includes(patchSchema)) {
    throw bad("invalidSyntax", `schemas must be ["${patchSchema}"]`);
  }
  if (!Array.isArray(operations) || operations.length === 0) {
    throw bad("invalidSyntax", "Operations must list at least one operation");
  }
  if (operations.length > operationLimit) {
    throw bad("invalidSyntax", `Operations must list at most ${operationLimit}`);
  }
  return operations.flatMap(readOperation);
}

const lowered = (value: Values): Values =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]));

function readOperation(given: unknown): Operation[] {
  const { op, path, value } = isObject(given) ? lowered(given) : {};
  const name = typeof op === "string" ? op.toLowerCase() : "";
  if (name !== "add" && name !== "replace" && name !== "remove") {
    throw bad("invalidSyntax", "op must be add, replace or remove");
  }
  if (path !== undefined && path !== null && typeof path !== "string") {
    throw bad("invalidPath", "path must be a string");
  }
  if (name !== "remove" && value === undefined) throw bad("invalidValue", `${name} needs a value`);
  if (path) {
    const to = parsePath(path);
    refuseReadOnly(to);
    return [{ op: name, to, value }];
  }
  if (name === "remove") throw bad("noTarget", "remove needs a path");
  if (!isObject(value)) throw bad("invalidValue", "without a path the value must be an object");
  // Keys are attribute names, or paths as Microsoft Entra writes them. Unknown ones say nothing.
  return Object.entries(value).flatMap(([key, one]) => {
    const found = resolve(key);
    if (!found || isReadOnly(found)) return [];
    return [{ op: name, to: { path: found }, value: one }];
  });
}

const isReadOnly = (path: Attribute[]) => path.some(({ mutability }) => mutability === "readOnly");

function refuseReadOnly({ path, inner }: PatchPath): void {
  if (!isReadOnly(inner ? [...path, inner] : path)) return;
  throw bad("mutability", `${path.map(({ name }) => name).join(".")} is read only`);
}

function apply(user: UserValues, { op, to, value }: Operation): void {
  const { path, filter, inner } = to;
  const [first, ...rest] = path;
  if (!first) return;
  if (filter) {
    user[first.name] = kept(filtered(first, user[first.name], op, filter, inner, value));
  } else if (first.multiValued && rest[0]) {
    user[first.name] = kept(everyValue(first, user[first.name], op, rest[0], value));
  } else {
    change(user, path, op, value);
  }
  if (user[first.name] === undefined) delete user[first.name];
}

const kept = (items: unknown[]) => {
  const filled = items.filter((one) => !isObject(one) || Object.keys(one).length > 0);
  return filled.length > 0 ? filled : undefined;
};

/** A change of single-valued attributes down to the last, which may have several values. */
function change(at: Values, [attribute, ...rest]: Attribute[], op: Op, value: unknown): void {
  if (!attribute) return;
  const { name } = attribute;
  if (rest.length > 0) {
    const inner = isObject(at[name]) ? at[name] : {};
    change(inner, rest, op, value);
    if (Object.keys(inner).length > 0) at[name] = inner;
    else delete at[name];
    return;
  }
  const next = attribute.multiValued
    ? listAfter(attribute, at[name], op, value)
    : op === "remove"
      ? undefined
      : merged(at[name], coerceOne(attribute, value));
  if (next === undefined) delete at[name];
  else at[name] = next;
}

/** Members of a complex value that are not told stay as they were (RFC 7644 section 3.5.2.3). */
const merged = (before: unknown, given: unknown) =>
  isObject(before) && isObject(given) ? { ...before, ...given } : given;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isSame = (one: unknown, other: unknown) => canonical(one) === canonical(other);
const canonical = (value: unknown) =>
  JSON.stringify(isObject(value) ? Object.entries(value).sort() : value);

function listAfter(attribute: Attribute, before: unknown, op: Op, value: unknown) {
  const there = listOf(before);
  if (op === "remove") {
    if (value === undefined || value === null) return undefined;
    const gone = listOf(coerce(attribute, value));
    return kept(there.filter((item) => !gone.some((one) => covers(one, item))));
  }
  const given = listOf(coerce(attribute, value));
  if (op === "replace") return kept(given);
  const added = given.filter((one) => !there.some((item) => isSame(one, item)));
  return kept(onePrimary(there, [...there, ...added]));
}

/** Whether all that one value says is so of the other. */
const covers = (one: unknown, other: unknown) =>
  isObject(one) && isObject(other)
    ? Object.entries(one).every(([name, value]) => isSame(other[name], value))
    : isSame(one, other);

/** A value that becomes the primary one takes that from the others (RFC 7644 section 3.5.2). */
function onePrimary(before: unknown[], after: unknown[]): unknown[] {
  const primaries = after.filter(isPrimary);
  if (primaries.length < 2) return after;
  const was = before.find(isPrimary);
  const fresh = primaries.filter((one) => !isSame(one, was));
  if (fresh.length > 1) throw bad("invalidValue", "only one value can be primary");
  return after.map((one) =>
    isPrimary(one) && one !== fresh[0] ? { ...(one as Values), primary: false } : one,
  );
}

function set(item: Values, attribute: Attribute, op: Op, value: unknown): Values {
  const next = { ...item };
  const given = op === "remove" ? undefined : coerceOne(attribute, value);
  if (given === undefined) delete next[attribute.name];
  else next[attribute.name] = given;
  return next;
}

/** `emails.value`: the change of every value, or of a first one. */
function everyValue(list: Attribute, before: unknown, op: Op, inner: Attribute, value: unknown) {
  const items = listOf(before) as Values[];
  if (items.length === 0) return op === "remove" ? [] : [set({}, inner, op, value)];
  const after = items.map((item) => set(item, inner, op, value));
  if (after.filter(isPrimary).length > 1) {
    throw bad("invalidValue", `only one of ${list.name} can be primary`);
  }
  return after;
}

function filtered(
  list: Attribute,
  before: unknown,
  op: Op,
  filter: Filter,
  inner: Attribute | undefined,
  value: unknown,
): unknown[] {
  const items = listOf(before) as Values[];
  const isMeant = (item: Values) => matches(filter, item);
  if (op === "remove" && !inner) return items.filter((item) => !isMeant(item));
  const update = (item: Values): Values => {
    if (inner) return set(item, inner, op, value);
    const given = coerceOne(list, value);
    return isObject(given) ? { ...item, ...given } : item;
  };
  if (items.some(isMeant)) {
    return onePrimary(
      items,
      items.map((item) => (isMeant(item) ? update(item) : item)),
    );
  }
  if (op === "remove") return items;
  const fresh = op === "add" ? described(filter) : undefined;
  if (!fresh) throw bad("noTarget", `no value of ${list.name} is as the filter says`);
  return onePrimary(items, [...items, update(fresh)]);
}

/**
 * The value that a filter of nothing but `eq` describes. Clients add to `emails[type eq "work"]`
 * what has no such value yet, and mean that it be made.
 */
function described(filter: Filter): Values | undefined {
  if (filter.is === "and") {
    const parts = filter.terms.map(described);
    return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;
  }
  const [attribute] = filter.is === "compared" ? filter.path : [];
  if (filter.is !== "compared" || filter.operator !== "eq" || !attribute) return undefined;
  return { [attribute.name]: coerceOne(attribute, filter.value) };
}

/** PATCH (RFC 7644 section 3.5.2), including the variants that provisioning clients send. */
import { type Attribute, attributeNamed, userKind } from "./attributes.ts";
import { badRequest, ScimError } from "./errors.ts";
import { jsonBytes } from "./json_bytes.ts";
import { scimLimits } from "./limits.ts";
import {
  type PatchOp,
  type PatchOperation,
  readMember,
  readOperations,
} from "./patch_operations.ts";
import { applyToEveryValue, applyToList, applyToSelection, assignedValues } from "./value_lists.ts";
import { coerceValue, isScimObject, type UserValues, type Values } from "./values.ts";
import { WorkBudget } from "./work.ts";

/**
 * The user after the operations of a PATCH body. If one operation is refused, none is applied. `work` counts
 * their cost. Throws 413 for too many operations or too much work, and 400.
 */
export function applyPatch(user: UserValues, body: unknown, work = new WorkBudget()): UserValues {
  const operations = readOperations(body);
  const next = structuredClone(user);
  const room = new SizeBudget(next);
  for (const operation of operations) {
    applyOperation(next, operation, work);
    room.check(next, operation.to.path[0]?.name ?? "", work);
  }
  return next;
}

/**
 * A user with the members of the body of a POST or PUT that are paths, such as `name.familyName`. Some clients write
 * them, and {@link toResourceValues} reads only names.
 */
export function withPaths(user: UserValues, body: unknown): UserValues {
  const paths = Object.entries(isScimObject(body) ? body : {}).filter(
    ([key]) => !attributeNamed(userKind.attributes, key),
  );
  if (paths.length === 0) return user;
  if (paths.length > scimLimits.operations) {
    throw new ScimError(413, `a user can have at most ${scimLimits.operations} other names`);
  }
  const next = structuredClone(user);
  const work = new WorkBudget();
  for (const [key, value] of paths)
    for (const operation of readMember("replace", key, value))
      applyOperation(next, operation, work);
  return next;
}

/**
 * The most bytes that a user can have between two operations: the bytes that it had, plus those of the
 * largest body. A text in the body can be copied into every value of a list. Without this limit, a user could
 * become hundreds of times as large as the body before the final check.
 */
class SizeBudget {
  readonly #bytes: Map<string, number>;
  readonly #most: number;
  #total = 0;

  constructor(user: UserValues) {
    this.#bytes = new Map(Object.entries(user).map(([name, value]) => [name, jsonBytes(value)]));
    for (const bytes of this.#bytes.values()) this.#total += bytes;
    this.#most = this.#total + scimLimits.bodyBytes;
  }

  /** Counts the attribute that changed. Throws 400 invalidValue if the user is too large. */
  check(user: UserValues, name: string, work: WorkBudget): void {
    const bytes = user[name] === undefined ? 0 : jsonBytes(user[name], this.#most);
    work.spend(0, bytes);
    this.#total += bytes - (this.#bytes.get(name) ?? 0);
    this.#bytes.set(name, bytes);
    if (this.#total > this.#most) {
      throw badRequest(
        "invalidValue",
        `${name} makes the user larger than the body of a request can be`,
      );
    }
  }
}

function applyOperation(
  user: UserValues,
  { op, to, value, creates }: PatchOperation,
  work: WorkBudget,
): void {
  const { path, filter, inner } = to;
  const [first, ...rest] = path;
  if (!first) return;
  if (filter) {
    const selection = { filter, inner, creates };
    user[first.name] = assignedValues(
      applyToSelection(first, user[first.name], op, selection, value, work),
    );
  } else if (first.multiValued && rest[0]) {
    user[first.name] = assignedValues(
      applyToEveryValue(first, user[first.name], op, rest[0], value, work),
    );
  } else {
    changeValue(user, path, op, value, work);
  }
  if (user[first.name] === undefined) delete user[first.name];
}

/** Changes single-valued attributes along a path. The last attribute can have several values. */
function changeValue(
  object: Values,
  [attribute, ...rest]: Attribute[],
  op: PatchOp,
  value: unknown,
  work: WorkBudget,
): void {
  if (!attribute) return;
  const { name } = attribute;
  if (rest.length > 0) {
    const inner = isScimObject(object[name]) ? object[name] : {};
    changeValue(inner, rest, op, value, work);
    if (Object.keys(inner).length > 0) object[name] = inner;
    else delete object[name];
    return;
  }
  const next = attribute.multiValued
    ? applyToList(attribute, object[name], op, value, work)
    : op === "remove"
      ? undefined
      : mergeMembers(object[name], coerceValue(attribute, value));
  if (next === undefined) delete object[name];
  else object[name] = next;
}

/** Members of a complex value that are not given keep their values (RFC 7644 section 3.5.2.3). */
const mergeMembers = (before: unknown, sent: unknown) =>
  isScimObject(before) && isScimObject(sent) ? { ...before, ...sent } : sent;

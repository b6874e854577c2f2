/** The operations of a PATCH body (RFC 7644 section 3.5.2), read and checked before any is done. */
import { type Attribute, resolve } from "./attributes.ts";
import { bad, ScimError } from "./errors.ts";
import { type PatchPath, parsePath } from "./filter.ts";
import { limits } from "./limits.ts";
import { isObject, type Values } from "./values.ts";

const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export type Op = "add" | "replace" | "remove";

/** One change: where, and what to. */
export interface Operation {
  op: Op;
  to: PatchPath;
  value: unknown;
}

/** The operations in order, each with one path. Throws 413 where there are too many, and 400. */
export function readOperations(body: unknown): Operation[] {
  const members = isObject(body) ? lowered(body) : {};
  const { schemas, operations } = members;
  if (!Array.isArray(schemas) || !schemas.includes(patchSchema)) {
    throw bad("invalidSyntax", `schemas must be ["${patchSchema}"]`);
  }
  if (!Array.isArray(operations) || operations.length === 0) {
    throw bad("invalidSyntax", "Operations must list at least one operation");
  }
  checkNumber(operations);
  return operations.flatMap(readOperation);
}

/** Without a path an operation is as many as its value has members. */
function checkNumber(operations: unknown[]): void {
  let count = operations.length;
  for (const one of operations) {
    if (count > limits.operations) break;
    const { path, value } = isObject(one) ? lowered(one) : {};
    if (!path && isObject(value)) count += Math.max(0, Object.keys(value).length - 1);
  }
  if (count > limits.operations) {
    throw new ScimError(413, `a PATCH has at most ${limits.operations} operations`);
  }
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

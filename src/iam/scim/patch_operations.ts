/** Reads and checks all operations of a PATCH body (RFC 7644 section 3.5.2) before any of them is applied. */
import { type Attribute, resolvePath } from "./attributes.ts";
import { badRequest, ScimError } from "./errors.ts";
import { type PatchPath, parsePath } from "./filter.ts";
import { scimLimits } from "./limits.ts";
import { isScimObject, type Values } from "./values.ts";

const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export type PatchOp = "add" | "replace" | "remove";

/** One change: its target and its value. */
export interface PatchOperation {
  op: PatchOp;
  to: PatchPath;
  value: unknown;
}

/** The operations in order, each with one path. Throws 413 if there are too many, and 400. */
export function readOperations(body: unknown): PatchOperation[] {
  const members = isScimObject(body) ? withLowerCaseNames(body) : {};
  const { schemas, operations } = members;
  if (!Array.isArray(schemas) || !schemas.includes(patchSchema)) {
    throw badRequest("invalidSyntax", `schemas must contain "${patchSchema}"`);
  }
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest("invalidSyntax", "Operations must contain at least one operation");
  }
  checkOperationCount(operations);
  return operations.flatMap(readOperation);
}

/** Without a path, an operation counts as many times as its value has members. */
function checkOperationCount(operations: unknown[]): void {
  let count = operations.length;
  for (const one of operations) {
    if (count > scimLimits.operations) break;
    const { path, value } = isScimObject(one) ? withLowerCaseNames(one) : {};
    if (!path && isScimObject(value)) count += Math.max(0, Object.keys(value).length - 1);
  }
  if (count > scimLimits.operations) {
    throw new ScimError(
      413,
      `a PATCH can have at most ${scimLimits.operations} operations; send fewer at a time`,
    );
  }
}

const withLowerCaseNames = (value: Values): Values =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toLowerCase(), one]));

function readOperation(given: unknown): PatchOperation[] {
  const { op, path, value } = isScimObject(given) ? withLowerCaseNames(given) : {};
  const name = typeof op === "string" ? op.toLowerCase() : "";
  if (name !== "add" && name !== "replace" && name !== "remove") {
    throw badRequest("invalidSyntax", "op must be add, replace or remove");
  }
  if (path !== undefined && path !== null && typeof path !== "string") {
    throw badRequest("invalidPath", "path must be a string");
  }
  if (name !== "remove" && value === undefined)
    throw badRequest("invalidValue", `${name} needs a value`);
  if (path) {
    const to = parsePath(path);
    refuseReadOnly(to);
    return [{ op: name, to, value }];
  }
  if (name === "remove") throw badRequest("noTarget", "remove needs a path");
  if (!isScimObject(value))
    throw badRequest("invalidValue", "value must be an object if there is no path");
  // Keys are attribute names, or paths as Microsoft Entra writes them. Unknown keys are ignored.
  return Object.entries(value).flatMap(([key, one]) => {
    const found = resolvePath(key);
    if (!found || isReadOnly(found)) return [];
    return [{ op: name, to: { path: found }, value: one }];
  });
}

const isReadOnly = (path: Attribute[]) => path.some(({ mutability }) => mutability === "readOnly");

function refuseReadOnly({ path, inner }: PatchPath): void {
  if (!isReadOnly(inner ? [...path, inner] : path)) return;
  throw badRequest("mutability", `${path.map(({ name }) => name).join(".")} is read-only`);
}

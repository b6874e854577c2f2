/** Reads and checks all operations of a PATCH body (RFC 7644 section 3.5.2) before any of them is applied. */
import { type Attribute, type ResourceKind, resolvePath, userKind } from "./attributes.ts";
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
  /** Whether a value that the path selects is made if there is none. */
  creates: boolean;
}

/** The operations in order, each with one path. Throws 413 if there are too many, and 400. */
export function readOperations(body: unknown, kind: ResourceKind = userKind): PatchOperation[] {
  const members = isScimObject(body) ? withLowerCaseNames(body) : {};
  const { schemas, operations } = members;
  if (!Array.isArray(schemas) || !schemas.includes(patchSchema)) {
    throw badRequest("invalidSyntax", `schemas must contain "${patchSchema}"`);
  }
  if (!Array.isArray(operations) || operations.length === 0) {
    throw badRequest("invalidSyntax", "Operations must contain at least one operation");
  }
  checkOperationCount(operations, kind);
  return operations.flatMap((operation) => readOperation(operation, kind));
}

/** Without a path, an operation counts as many times as its value has members. */
function checkOperationCount(operations: unknown[], { name }: ResourceKind): void {
  const most = name === "Group" ? scimLimits.groupOperations : scimLimits.operations;
  let count = operations.length;
  for (const operation of operations) {
    if (count > most) break;
    const { path, value } = isScimObject(operation) ? withLowerCaseNames(operation) : {};
    if (!path && isScimObject(value)) count += Math.max(0, Object.keys(value).length - 1);
  }
  if (count > most) {
    throw new ScimError(413, `a PATCH can have at most ${most} operations; send fewer at a time`);
  }
}

const withLowerCaseNames = (value: Values): Values =>
  Object.fromEntries(
    Object.entries(value).map(([key, memberValue]) => [key.toLowerCase(), memberValue]),
  );

function readOperation(operation: unknown, kind: ResourceKind): PatchOperation[] {
  const { op, path, value } = isScimObject(operation) ? withLowerCaseNames(operation) : {};
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
    if (!isKnown(path, kind)) return [];
    const to = parsePath(path, kind);
    refuseReadOnly(to);
    return [{ op: name, to, value, creates: name === "add" }];
  }
  if (name === "remove") throw badRequest("noTarget", "remove needs a path");
  if (!isScimObject(value))
    throw badRequest("invalidValue", "value must be an object if there is no path");
  return Object.entries(value).flatMap(([key, memberValue]) =>
    readMember(name, key, memberValue, kind),
  );
}

/**
 * Whether a path names an attribute that the platform has. Another one is accepted and ignored, as an attribute of
 * another schema is (RFC 7643 section 3.3). A text that does not have the form of a path is an error.
 */
const isKnown = (path: string, kind: ResourceKind) =>
  !isPathForm(path) || resolvePath(path.trim().replace(/\[[^\]]*\]/, ""), kind) !== undefined;

/** Whether a text has the form of a path: names, and one filter in brackets. */
const isPathForm = (path: string) => /^[\w$:./-]+(?:\[[^\]]*\](?:\.[\w$-]+)?)?$/.test(path.trim());

/**
 * A member of a value without a path. Its key is the name of an attribute, or a path, as Microsoft Entra writes it:
 * `name.familyName`, `emails[type eq "work"].value`. A value that such a path selects is made if there is none.
 */
export function readMember(
  op: PatchOp,
  key: string,
  value: unknown,
  kind: ResourceKind = userKind,
): PatchOperation[] {
  if (!isKnown(key, kind)) return [];
  const to = parsePath(key, kind);
  if (isReadOnly(to.inner ? [...to.path, to.inner] : to.path)) return [];
  return [{ op, to, value, creates: true }];
}

const isReadOnly = (path: Attribute[]) => path.some(({ mutability }) => mutability === "readOnly");

function refuseReadOnly({ path, inner }: PatchPath): void {
  if (!isReadOnly(inner ? [...path, inner] : path)) return;
  throw badRequest("mutability", `${path.map(({ name }) => name).join(".")} is read-only`);
}

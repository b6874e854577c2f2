/** PATCH of a group (RFC 7644 section 3.5.2). The result is a change, so that it does not depend on other members. */
import { type Attribute, groupKind } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import {
  MemberChange,
  memberIds,
  membersAttribute,
  newMemberIds,
  selectedIds,
} from "./group_members.ts";
import type { ScimGroupRow } from "./group_rows.ts";
import {
  type PatchOp,
  type PatchOperation,
  readMember,
  readOperations,
} from "./patch_operations.ts";
import { coerceValue, isScimObject, toResourceValues, type Values } from "./values.ts";

/** The values of a group after a request, and what the request does to its members. */
export interface GroupChange {
  values: Values;
  members: MemberChange;
}

/** The change of a PATCH body. Throws 413 for too many operations, and 400. */
export function readGroupPatch(row: ScimGroupRow, body: unknown): GroupChange {
  const { displayName, externalId } = row;
  const change = { values: { displayName, externalId }, members: new MemberChange() };
  for (const operation of readOperations(body, groupKind)) applyOperation(change, operation);
  return change;
}

/** The group in the body of a POST or PUT. Its members are all members. Throws 400. */
export function readGroup(body: unknown): GroupChange {
  const { members: _, ...values } = toResourceValues(body, groupKind);
  const change = { values, members: new MemberChange() };
  change.members.replace([]);
  // Some clients write the URN of the schema before the name of an attribute.
  const urn = `${groupKind.schema.toLowerCase()}:`;
  for (const [key, value] of Object.entries(isScimObject(body) ? body : {})) {
    const name = key.toLowerCase();
    if (name !== membersAttribute.name && !name.startsWith(urn)) continue;
    for (const operation of readMember("replace", key, value, groupKind))
      applyOperation(change, operation);
  }
  return change;
}

function applyOperation(change: GroupChange, operation: PatchOperation): void {
  const { op, to, value } = operation;
  const [first] = to.path;
  if (!first) return;
  if (first.name === "members") changeMembers(change.members, operation);
  else if (op === "remove") delete change.values[first.name];
  else change.values[first.name] = coerceValue(first, value);
}

function changeMembers(members: MemberChange, { op, to, value }: PatchOperation): void {
  const inner = to.inner ?? to.path[1];
  if (inner) requireValue(inner);
  if (to.filter) {
    changeSelected(members, op, selectedIds(to.filter));
    return;
  }
  if (op === "remove" && (value === undefined || value === null)) members.replace([]);
  else if (op === "remove") members.remove(memberIds(value));
  else if (op === "replace") members.replace(newMemberIds(value));
  else members.add(newMemberIds(value));
}

/** `members[value eq "…"]`. An `add` makes the member that the filter describes. */
function changeSelected(members: MemberChange, op: PatchOp, selected: Set<string> | undefined) {
  if (op === "remove" && !selected) members.replace([]);
  else if (op === "remove") members.remove(selected ?? []);
  else if (op === "add" && selected) members.add(selected);
  else throw badRequest("mutability", "a member cannot be changed; remove it, and add another one");
}

/** The parts of a member are immutable. Only its `value` stands for the member. */
function requireValue({ name }: Attribute): void {
  if (name !== "value") throw badRequest("mutability", `members.${name} cannot be changed`);
}

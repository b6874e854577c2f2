/** The members that a request adds to a group and removes from it, as ids of users. */
import { type Attribute, attributeNamed, groupKind } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { coerceAttribute, isScimObject, isUnassigned, toList, type Values } from "./values.ts";

const memberAttribute = attributeNamed(groupKind.attributes, "members");
if (!memberAttribute) throw new Error("the schema of a group has no members");

/** The attribute of a group. */
export const membersAttribute: Attribute = memberAttribute;

/** The net change of all operations of a request. Its size is that of the request, and not that of the group. */
export class MemberChange {
  /** Whether members that are not in `added` are removed. */
  isWhole = false;
  readonly added = new Set<string>();
  readonly removed = new Set<string>();

  add(ids: Iterable<string>): void {
    for (const id of ids) {
      this.removed.delete(id);
      this.added.add(id);
    }
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) {
      this.added.delete(id);
      this.removed.add(id);
    }
  }

  replace(ids: Iterable<string>): void {
    this.isWhole = true;
    this.added.clear();
    this.removed.clear();
    this.add(ids);
  }

  get isEmpty(): boolean {
    return !this.isWhole && this.added.size === 0 && this.removed.size === 0;
  }
}

/** The ids in the value of `members`: objects with a `value`, or texts. Throws 400 invalidValue. */
export const memberIds = (value: unknown): string[] => membersIn(value).map(idOfMember);

/** Like {@link memberIds}, for members to add. A group is refused. */
export function newMemberIds(value: unknown): string[] {
  for (const { type } of membersIn(value)) {
    if (typeof type === "string" && type.toLowerCase() === "group")
      throw badRequest("invalidValue", "members can only be users; a group cannot contain a group");
  }
  return memberIds(value);
}

const withoutValue = () => badRequest("invalidValue", "each of the members needs a value");

/** The members, each with a value or a reference. A member with only a name could be anyone, so it is refused. */
function membersIn(value: unknown): Values[] {
  const members = toList(coerceAttribute(membersAttribute, value)).filter(isScimObject);
  const values = Array.isArray(value) ? value : [value];
  if (members.length < values.filter((item) => !isUnassigned(item)).length) throw withoutValue();
  return members;
}

function idOfMember({ value, $ref }: Values): string {
  const id = typeof value === "string" ? value : lastStep($ref);
  if (id === "") throw withoutValue();
  return id.toLowerCase();
}

const lastStep = (reference: unknown) =>
  typeof reference === "string" ? (reference.split("/").at(-1) ?? "") : "";

const unsupported = () =>
  badRequest("invalidFilter", "members can only be selected by value eq, joined with and, or");

/**
 * The ids that `members[…]` selects, whether or not they are members. Undefined means every member. Throws 400
 * invalidFilter for a filter that does not name them.
 */
export function selectedIds(filter: Filter): Set<string> | undefined {
  switch (filter.is) {
    case "or": {
      const parts = filter.terms.map(selectedIds);
      if (parts.includes(undefined)) return undefined;
      return new Set(parts.flatMap((part) => [...(part ?? [])]));
    }
    case "and": {
      const parts = filter.terms.map(selectedIds).filter((part) => part !== undefined);
      const [first, ...others] = parts;
      return first && new Set([...first].filter((id) => others.every((ids) => ids.has(id))));
    }
    case "compared": {
      const name = filter.path[0]?.name;
      if (filter.operator !== "eq" || typeof filter.value !== "string") throw unsupported();
      if (name === "value") return new Set([filter.value.toLowerCase()]);
      if (name === "type") return filter.value.toLowerCase() === "user" ? undefined : new Set();
      throw unsupported();
    }
    default:
      throw unsupported();
  }
}

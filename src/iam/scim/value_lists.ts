/** Changes lists of values at a cost that grows with the list, and not with its square. */
import type { Attribute } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { newMatcher } from "./match.ts";
import type { PatchOp } from "./patch_operations.ts";
import {
  checkValueCount,
  coerceAttribute,
  coerceValue,
  isPrimary,
  isScimObject,
  toList,
  type Values,
} from "./values.ts";
import type { WorkBudget } from "./work.ts";

/** The values that are not empty. Undefined if all are empty. */
export function assignedValues(items: unknown[]): unknown[] | undefined {
  const filled = items.filter((one) => !isScimObject(one) || Object.keys(one).length > 0);
  return filled.length > 0 ? filled : undefined;
}

/** A value as text. Equal values have equal texts. */
function canonicalText(value: unknown, work: WorkBudget): string {
  const members = isScimObject(value) ? Object.entries(value) : undefined;
  const text = JSON.stringify(members?.sort(([one], [other]) => (one < other ? -1 : 1)) ?? value);
  work.spend(1, text.length);
  return text;
}

/** Throws 400 invalidValue if the list would have too many values. */
function checkAddedCount(attribute: Attribute, there: unknown[], added: unknown[]): void {
  if (added.length > 0) checkValueCount(attribute, there.length + added.length);
}

/** The list after an operation on all of it. Throws 400 invalidValue. */
export function applyToList(
  attribute: Attribute,
  before: unknown,
  op: PatchOp,
  value: unknown,
  work: WorkBudget,
): unknown[] | undefined {
  const there = toList(before);
  if (op === "remove") {
    if (value === undefined || value === null) return undefined;
    const isGone = newCoverageTest(toList(coerceAttribute(attribute, value)), work);
    return assignedValues(there.filter((item) => !isGone(item)));
  }
  const given = toList(coerceAttribute(attribute, value));
  if (op === "replace") return assignedValues(given);
  const known = new Set(there.map((item) => canonicalText(item, work)));
  const added = given.filter((one) => !known.has(canonicalText(one, work)));
  checkAddedCount(attribute, there, added);
  return assignedValues(keepOnePrimary(there, [...there, ...added], work));
}

/**
 * A function that tests whether an item has all members of one of the values, with equal contents. Values
 * with the same member names are looked up together, so the cost of an item is the number of such sets of
 * names.
 */
function newCoverageTest(values: unknown[], work: WorkBudget): (item: unknown) => boolean {
  const shapes = new Map<string, { names: string[]; known: Set<string> }>();
  for (const value of values) {
    const names = Object.keys(value as Values).sort();
    const shape = shapes.get(names.join()) ?? { names, known: new Set() };
    shape.known.add(canonicalText(value, work));
    shapes.set(names.join(), shape);
  }
  const all = [...shapes.values()];
  return (item) =>
    all.some(({ names, known }) => {
      work.spend(1);
      if (!isScimObject(item) || !names.every((name) => name in item)) return false;
      return known.has(
        canonicalText(Object.fromEntries(names.map((one) => [one, item[one]])), work),
      );
    });
}

/** If a value becomes the primary one, the others lose that flag (RFC 7644 section 3.5.2). */
function keepOnePrimary(before: unknown[], after: unknown[], work: WorkBudget): unknown[] {
  const primaries = after.filter(isPrimary);
  if (primaries.length < 2) return after;
  const was = canonicalText(before.find(isPrimary) ?? null, work);
  const fresh = primaries.filter((one) => canonicalText(one, work) !== was);
  if (fresh.length > 1) throw badRequest("invalidValue", "only one value can be primary");
  return after.map((one) =>
    isPrimary(one) && one !== fresh[0] ? { ...(one as Values), primary: false } : one,
  );
}

/** Changes one member of an item. Throws 400 invalidValue. */
function newSetter(attribute: Attribute, op: PatchOp, value: unknown): (item: Values) => Values {
  const given = op === "remove" ? undefined : coerceValue(attribute, value);
  return (item) => {
    const next = { ...item };
    if (given === undefined) delete next[attribute.name];
    else next[attribute.name] = given;
    return next;
  };
}

/** `emails.value`: changes every value, or creates a first one. Throws 400 invalidValue. */
export function applyToEveryValue(
  list: Attribute,
  before: unknown,
  op: PatchOp,
  inner: Attribute,
  value: unknown,
  work: WorkBudget,
): unknown[] {
  const items = toList(before) as Values[];
  const set = newSetter(inner, op, value);
  if (items.length === 0) return op === "remove" ? [] : [set({})];
  work.spend(items.length);
  const after = items.map(set);
  if (after.filter(isPrimary).length > 1) {
    throw badRequest("invalidValue", `only one value of ${list.name} can be primary`);
  }
  return after;
}

/** The target of `emails[…]` and `emails[…].value`: the values that match a filter, or a member of them. */
export interface ValueSelection {
  filter: Filter;
  inner: Attribute | undefined;
}

/** `emails[type eq "work"]`: the list after an operation on some of its values. Throws 400. */
export function applyToSelection(
  list: Attribute,
  before: unknown,
  op: PatchOp,
  { filter, inner }: ValueSelection,
  value: unknown,
  work: WorkBudget,
): unknown[] {
  const items = toList(before) as Values[];
  work.spend(items.length);
  const test = newMatcher(filter, work);
  const meant = new Set(items.filter(test));
  if (op === "remove" && !inner) return items.filter((item) => !meant.has(item));
  if (op === "remove" && meant.size === 0) return items;
  const update = inner ? newSetter(inner, op, value) : newMerger(coerceValue(list, value));
  if (meant.size > 0) {
    const after = items.map((item) => (meant.has(item) ? update(item) : item));
    return keepOnePrimary(items, after, work);
  }
  const fresh = op === "add" ? describedValue(filter) : undefined;
  if (!fresh) throw badRequest("noTarget", `no value of ${list.name} matches the filter`);
  const added = [update(fresh)];
  checkAddedCount(list, items, added);
  return keepOnePrimary(items, [...items, ...added], work);
}

const newMerger =
  (given: unknown) =>
  (item: Values): Values =>
    isScimObject(given) ? { ...item, ...given } : item;

/**
 * The value that a filter of only `eq` describes. If no value matches `emails[type eq "work"]`, clients that
 * add to it expect the value to be created.
 */
function describedValue(filter: Filter): Values | undefined {
  if (filter.is === "and") {
    const parts = filter.terms.map(describedValue);
    return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;
  }
  const [attribute] = filter.is === "compared" ? filter.path : [];
  if (filter.is !== "compared" || filter.operator !== "eq" || !attribute) return undefined;
  return { [attribute.name]: coerceValue(attribute, filter.value) };
}

/** Changes lists of values at a cost that grows with the list, and not with its square. */
import { type Attribute, attributeNamed } from "./attributes.ts";
import { foldCase } from "./compare.ts";
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
  const filled = items.filter((item) => !isScimObject(item) || Object.keys(item).length > 0);
  return filled.length > 0 ? filled : undefined;
}

/** A value as text. Equal values have equal texts. */
function canonicalText(value: unknown, work: WorkBudget): string {
  const members = isScimObject(value) ? Object.entries(value) : undefined;
  const text = JSON.stringify(members?.sort(([name], [other]) => (name < other ? -1 : 1)) ?? value);
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
  const sent = toList(coerceAttribute(attribute, value));
  if (op === "replace") return assignedValues(sent);
  const after = addValues(attribute, there, sent, work);
  checkAddedCount(attribute, there, after.slice(there.length));
  return assignedValues(keepOnePrimary(there, after, work));
}

/**
 * The list with further values. A value that is there changes nothing, and one that says more about it adds that (RFC
 * 7644 section 3.5.2.1). Two are the same if they have the same `value`, and no two types (RFC 7643 section 2.4).
 */
function addValues(attribute: Attribute, there: unknown[], sent: unknown[], work: WorkBudget) {
  const after = [...there];
  const positions = new Map<string, number[]>();
  const note = (item: unknown, position: number) => {
    const key = keyText(attribute, item, work);
    positions.set(key, [...(positions.get(key) ?? []), position]);
  };
  for (const [position, item] of there.entries()) note(item, position);
  for (const item of sent) {
    const same = (positions.get(keyText(attribute, item, work)) ?? []).find((position) => {
      work.spend(1);
      return isOfType(after[position], item);
    });
    if (same === undefined) {
      note(item, after.length);
      after.push(item);
    } else if (isScimObject(after[same]) && isScimObject(item)) {
      after[same] = { ...after[same], ...item };
    }
  }
  return after;
}

/** The text that stands for a value: its `value`, or all of it. Equal values have equal texts. */
function keyText({ subAttributes = [] }: Attribute, item: unknown, work: WorkBudget): string {
  const value = isScimObject(item) ? item.value : undefined;
  if (typeof value !== "string") return canonicalText(item, work);
  work.spend(1, value.length);
  const isExact = attributeNamed(subAttributes, "value")?.caseExact;
  return `value ${isExact ? value : foldCase(value)}`;
}

/** Whether two values have no different types. */
function isOfType(value: unknown, other: unknown): boolean {
  const [first, second] = [value, other].map((item) =>
    isScimObject(item) ? item.type : undefined,
  );
  if (typeof first !== "string" || typeof second !== "string") return true;
  return foldCase(first) === foldCase(second);
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
        canonicalText(Object.fromEntries(names.map((name) => [name, item[name]])), work),
      );
    });
}

/**
 * If a value becomes the primary one, the others lose that flag (RFC 7644 section 3.5.2). The values before are the
 * first ones after, in the same order.
 */
function keepOnePrimary(before: unknown[], after: unknown[], work: WorkBudget): unknown[] {
  if (after.filter(isPrimary).length < 2) return after;
  work.spend(after.length);
  const fresh = after.filter((item, position) => isPrimary(item) && !isPrimary(before[position]));
  if (fresh.length > 1) throw badRequest("invalidValue", "only one value can be primary");
  return after.map((item) =>
    isPrimary(item) && item !== fresh[0] ? { ...(item as Values), primary: false } : item,
  );
}

/** Changes one member of an item. Throws 400 invalidValue. */
function newSetter(attribute: Attribute, op: PatchOp, value: unknown): (item: Values) => Values {
  const sent = op === "remove" ? undefined : coerceValue(attribute, value);
  return (item) => {
    const next = { ...item };
    if (sent === undefined) delete next[attribute.name];
    else next[attribute.name] = sent;
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
  /** Whether a value that matches is made if there is none. */
  creates: boolean;
}

/** `emails[type eq "work"]`: the list after an operation on some of its values. Throws 400. */
export function applyToSelection(
  list: Attribute,
  before: unknown,
  op: PatchOp,
  { filter, inner, creates }: ValueSelection,
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
  const fresh = creates ? describedValue(filter) : undefined;
  if (!fresh) throw badRequest("noTarget", `no value of ${list.name} matches the filter`);
  const added = [update(fresh)];
  checkAddedCount(list, items, added);
  return keepOnePrimary(items, [...items, ...added], work);
}

const newMerger =
  (sent: unknown) =>
  (item: Values): Values =>
    isScimObject(sent) ? { ...item, ...sent } : item;

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

/** Tests filters on values in memory: the filters in the brackets of a PATCH path. */
import type { Attribute } from "./attributes.ts";
import { foldCase, toOperand } from "./compare.ts";
import { badRequest } from "./errors.ts";
import type { Filter, FilterLiteral, FilterOperator } from "./filter.ts";
import { isScimObject, isUnassigned } from "./values.ts";
import type { WorkBudget } from "./work.ts";

type Test = (value: unknown) => boolean;

/**
 * A function that tests whether one value of a list matches a filter. It counts each comparison as work.
 * Throws 400 invalidFilter.
 */
export function newMatcher(filter: Filter, work: WorkBudget): Test {
  switch (filter.is) {
    case "and": {
      const tests = filter.terms.map((term) => newMatcher(term, work));
      return (value) => tests.every((test) => test(value));
    }
    case "or": {
      const tests = filter.terms.map((term) => newMatcher(term, work));
      return (value) => tests.some((test) => test(value));
    }
    case "not": {
      const test = newMatcher(filter.term, work);
      return (value) => !test(value);
    }
    case "some":
      throw badRequest("invalidFilter", "a filter cannot contain another filter");
    case "present":
      return (value) => {
        work.spend(1);
        const memberValue = member(filter.path, value);
        return !isUnassigned(memberValue) && memberValue !== "";
      };
    case "compared": {
      const test = comparison(filter.path.at(-1), filter.operator, filter.value);
      return (value) => {
        const memberValue = member(filter.path, value);
        work.spend(1, typeof memberValue === "string" ? memberValue.length : 0);
        return test(memberValue);
      };
    }
  }
}

const member = (path: Attribute[], value: unknown): unknown =>
  path.reduce<unknown>(
    (parent, { name }) => (isScimObject(parent) ? parent[name] : undefined),
    value,
  );

function comparison(
  attribute: Attribute | undefined,
  operator: FilterOperator,
  literal: FilterLiteral,
): Test {
  if (!attribute) throw badRequest("invalidFilter", "the filter must name an attribute");
  if (operator === "ne") {
    const isEqual = comparison(attribute, "eq", literal);
    return (value) => !isEqual(value);
  }
  const wanted = toOperand(attribute, operator, literal);
  if (wanted === null) return isUnassigned;
  return (value) => {
    if (typeof value === "boolean") return value === wanted;
    if (typeof value !== "string" || typeof wanted !== "string") return false;
    return holds(operator, attribute.caseExact ? value : foldCase(value), wanted);
  };
}

function holds(operator: Exclude<FilterOperator, "ne">, text: string, wanted: string): boolean {
  switch (operator) {
    case "eq":
      return text === wanted;
    case "co":
      return text.includes(wanted);
    case "sw":
      return text.startsWith(wanted);
    case "ew":
      return text.endsWith(wanted);
    case "gt":
      return text > wanted;
    case "ge":
      return text >= wanted;
    case "lt":
      return text < wanted;
    case "le":
      return text <= wanted;
  }
}

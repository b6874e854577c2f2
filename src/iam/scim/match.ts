/** Filters on values at hand: those between the brackets of a PATCH path. */
import type { Attribute } from "./attributes.ts";
import { foldCase, operand } from "./compare.ts";
import { bad } from "./errors.ts";
import type { Filter, Literal, Operator } from "./filter.ts";
import { isObject, isUnassigned } from "./values.ts";

/** Whether one value of a list fulfils a filter. Throws 400 invalidFilter. */
export function matches(filter: Filter, value: unknown): boolean {
  switch (filter.is) {
    case "and":
      return filter.terms.every((one) => matches(one, value));
    case "or":
      return filter.terms.some((one) => matches(one, value));
    case "not":
      return !matches(filter.term, value);
    case "some":
      throw bad("invalidFilter", "a filter within a filter");
    case "present": {
      const found = member(filter.path, value);
      return !isUnassigned(found) && found !== "";
    }
    case "compared": {
      const attribute = filter.path.at(-1);
      return (
        attribute !== undefined &&
        holds(attribute, filter.operator, filter.value, member(filter.path, value))
      );
    }
  }
}

const member = (path: Attribute[], value: unknown): unknown =>
  path.reduce<unknown>((at, { name }) => (isObject(at) ? at[name] : undefined), value);

function holds(attribute: Attribute, operator: Operator, given: Literal, found: unknown): boolean {
  const wanted = operand(attribute, operator, given);
  if (operator === "ne") return !holds(attribute, "eq", given, found);
  if (wanted === null) return isUnassigned(found);
  if (typeof found === "boolean") return found === wanted;
  if (typeof found !== "string" || typeof wanted !== "string") return false;
  const text = attribute.caseExact ? found : foldCase(found);
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

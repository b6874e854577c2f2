/** Compares values for an operator of a filter. The result is the same in SQL and in memory. */
import type { Attribute } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import type { FilterLiteral, FilterOperator } from "./filter.ts";
import { scimLimits } from "./limits.ts";

const equalityOperators: readonly FilterOperator[] = ["eq", "ne"];
const orderingOperators: readonly FilterOperator[] = ["gt", "ge", "lt", "le"];
const substringOperators: readonly FilterOperator[] = ["co", "sw", "ew"];

const tooLong = `the value must have at most ${scimLimits.searchLength} characters`;

/** The value in the type of the attribute. Null means no value. Throws 400 invalidFilter. */
export function toOperand(
  attribute: Attribute,
  operator: FilterOperator,
  value: FilterLiteral,
): FilterLiteral {
  const { name, type } = attribute;
  const refuse = (text: string) => badRequest("invalidFilter", `${name} ${operator}: ${text}`);
  if (value === null) {
    if (equalityOperators.includes(operator)) return null;
    throw refuse("null can be compared only by eq and ne");
  }
  if (type === "boolean") {
    const isTrue = equalityOperators.includes(operator) ? booleanOf(value) : undefined;
    if (isTrue === undefined)
      throw refuse("a boolean can be compared only with true or false, by eq and ne");
    return isTrue;
  }
  if (typeof value !== "string") throw refuse("the value must be a string");
  if (type === "dateTime") {
    if (substringOperators.includes(operator))
      throw refuse("a time cannot be compared by co, sw or ew");
    const time = Date.parse(value);
    if (Number.isNaN(time)) throw refuse("the value must be a time");
    return time;
  }
  if (operator === "co" && value.length > scimLimits.searchLength) throw refuse(tooLong);
  if (type === "binary" && orderingOperators.includes(operator))
    throw refuse("a binary value cannot be compared by order");
  return attribute.caseExact ? value : foldCase(value);
}

/** Some clients write booleans as strings, "True" and "False". */
function booleanOf(value: FilterLiteral): boolean | undefined {
  const text = String(value).toLowerCase();
  return text === "true" || text === "false" ? text === "true" : undefined;
}

/** Folds case like D1's `lower`, which changes only ASCII letters. */
export const foldCase = (text: string) =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

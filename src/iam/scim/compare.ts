/** What an operator of a filter compares, and how: the same in SQL and in memory. */
import type { Attribute } from "./attributes.ts";
import { bad } from "./errors.ts";
import type { Literal, Operator } from "./filter.ts";
import { limits } from "./limits.ts";

const equality: readonly Operator[] = ["eq", "ne"];
const ordering: readonly Operator[] = ["gt", "ge", "lt", "le"];
const containing: readonly Operator[] = ["co", "sw", "ew"];

const tooLong = `at most ${limits.soughtLength} characters can be looked for`;

/** The value as the attribute's type has it; null stands for none. Throws 400 invalidFilter. */
export function operand(attribute: Attribute, operator: Operator, value: Literal): Literal {
  const { name, type } = attribute;
  const refuse = (text: string) => bad("invalidFilter", `${name} ${operator}: ${text}`);
  if (value === null) {
    if (equality.includes(operator)) return null;
    throw refuse("null can be compared for being equal only");
  }
  if (type === "boolean") {
    const isTrue = equality.includes(operator) ? booleanOf(value) : undefined;
    if (isTrue === undefined) throw refuse("the attribute is true or false");
    return isTrue;
  }
  if (typeof value !== "string") throw refuse("the attribute is text");
  if (type === "dateTime") {
    if (containing.includes(operator)) throw refuse("the attribute is a time");
    const time = Date.parse(value);
    if (Number.isNaN(time)) throw refuse("the value is no time");
    return time;
  }
  if (operator === "co" && value.length > limits.soughtLength) throw refuse(tooLong);
  if (type === "binary" && ordering.includes(operator)) throw refuse("the attribute is binary");
  return attribute.caseExact ? value : foldCase(value);
}

/** Some clients write booleans as strings, "True" and "False". */
function booleanOf(value: Literal): boolean | undefined {
  const text = String(value).toLowerCase();
  return text === "true" || text === "false" ? text === "true" : undefined;
}

/** Case as D1's `lower` folds it: that of ASCII. */
export const foldCase = (text: string) =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

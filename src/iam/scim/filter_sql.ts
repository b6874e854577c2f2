/** Converts filters to conditions on scim_users, so that D1 finds, counts and pages. */
import { and, not, or, type SQL, sql } from "drizzle-orm";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import type { Attribute } from "./attributes.ts";
import { toOperand } from "./compare.ts";
import { badRequest } from "./errors.ts";
import type { Filter, FilterLiteral, FilterOperator } from "./filter.ts";

/** The URL of the users of a provider, `https://…/scim/v2/<provider>/Users`, and the provider's uid. */
export interface ProviderUsers {
  provider: string;
  users: string;
}

const id = sql`substr(${scimUsers.uid}, -16)`;

/** Expressions for attributes that have their own columns. */
const columns = (provider: ProviderUsers): Record<string, SQL> => ({
  id,
  userName: sql`${scimUsers.userNameKey}`,
  externalId: sql`${scimUsers.externalId}`,
  active: sql`${scimUsers.active}`,
  "meta.resourceType": sql`'User'`,
  "meta.created": sql`${scimUsers.createTime}`,
  "meta.lastModified": sql`${scimUsers.updateTime}`,
  "meta.location": sql`${`${provider.users}/`} || ${id}`,
  "meta.version": sql`'W/"' || ${scimUsers.updateTime} || '"'`,
});

const keyOf = (path: Attribute[]) => path.map(({ name }) => name).join(".");

/** Whether an attribute has its own column, so that no JSON is read for it. */
export const hasColumn = (path: Attribute[]) => keyOf(path) in columns({ provider: "", users: "" });

/** Whether a comparison matches at most one user of a provider, by a column with an index. */
export const isKeyComparison = ({ path, operator, value }: Filter & { is: "compared" }) =>
  operator === "eq" &&
  typeof value === "string" &&
  ["id", "userName", "externalId"].includes(keyOf(path));

/** The names come from our schemas and never from the client, so they can be part of the statement. */
const jsonPath = (path: Attribute[]) =>
  sql.raw(`'$${path.map(({ name }) => `."${name}"`).join("")}'`);

/** The condition for a filter. Throws 400 invalidFilter. */
export function toCondition(filter: Filter, provider: ProviderUsers): SQL {
  switch (filter.is) {
    case "and":
      return and(...filter.terms.map((term) => toCondition(term, provider))) ?? sql`true`;
    case "or":
      return or(...filter.terms.map((term) => toCondition(term, provider))) ?? sql`false`;
    case "not":
      return negated(toCondition(filter.term, provider));
    case "some":
      return someValue(filter.path, inValue(filter.filter));
    case "present":
      return isPresent(filter.path, provider);
    case "compared":
      return isCompared(filter.path, filter.operator, filter.value, provider);
  }
}

/** An absent attribute makes a comparison null, which is not true. */
export const negated = (condition: SQL) => not(sql`coalesce(${condition}, false)`);

/** Whether a value in a list of the attributes meets a condition on `item.value`. */
const someValue = (path: Attribute[], condition: SQL) =>
  sql`exists (select 1 from json_each(${scimUsers.attributes}, ${jsonPath(path)}) as item where ${condition})`;

/** A filter within `[…]`, for the current value. */
function inValue(filter: Filter): SQL {
  switch (filter.is) {
    case "and":
      return and(...filter.terms.map(inValue)) ?? sql`true`;
    case "or":
      return or(...filter.terms.map(inValue)) ?? sql`false`;
    case "not":
      return negated(inValue(filter.term));
    case "some":
      throw badRequest("invalidFilter", "a filter cannot contain another filter");
    case "present":
      return isFilled(sql`json_extract(item.value, ${jsonPath(filter.path)})`);
    case "compared": {
      const expression = sql`json_extract(item.value, ${jsonPath(filter.path)})`;
      return compare(expression, filter.path, filter.operator, filter.value);
    }
  }
}

export const isFilled = (expression: SQL) =>
  sql`(${expression} is not null and ${expression} <> '')`;

function isPresent(path: Attribute[], provider: ProviderUsers): SQL {
  const [first, ...rest] = path;
  if (!first || first.name === "schemas" || (first.name === "meta" && rest.length === 0)) {
    return sql`true`;
  }
  const column = columns(provider)[keyOf(path)];
  if (column) return isFilled(column);
  if (first.multiValued) {
    const inner = rest.length === 0 ? sql`true` : isFilled(extract("item.value", rest));
    return someValue([first], inner);
  }
  return isFilled(extract("attributes", path));
}

const extract = (from: "item.value" | "attributes", path: Attribute[]) =>
  from === "attributes"
    ? sql`json_extract(${scimUsers.attributes}, ${jsonPath(path)})`
    : sql`json_extract(item.value, ${jsonPath(path)})`;

function isCompared(
  path: Attribute[],
  operator: FilterOperator,
  value: FilterLiteral,
  provider: ProviderUsers,
): SQL {
  const [first, ...rest] = path;
  const last = path.at(-1);
  if (!first || !last || first.name === "schemas") {
    throw badRequest("invalidFilter", "schemas cannot be compared");
  }
  if (operator === "eq" && first.name === "id" && typeof value === "string") {
    return sql`${scimUsers.uid} = ${`${provider.provider}/${value}`}`;
  }
  const column = columns(provider)[keyOf(path)];
  if (column) {
    // The column contains user names in lowercase, by Unicode rules.
    const folded = first.name === "userName" && typeof value === "string";
    return compare(column, path, operator, folded ? value.toLowerCase() : value, true);
  }
  // "Not equal" for several values means that no value is equal.
  if (first.multiValued && operator === "ne")
    return negated(isCompared(path, "eq", value, provider));
  if (first.multiValued) {
    return someValue([first], compare(extract("item.value", rest), path, operator, value));
  }
  return compare(extract("attributes", path), path, operator, value);
}

/** The comparison of an expression. If it `isFolded`, it is in lowercase already. Throws 400 invalidFilter. */
export function compare(
  expression: SQL,
  path: Attribute[],
  operator: FilterOperator,
  literal: FilterLiteral,
  isFolded = false,
): SQL {
  const attribute = path.at(-1);
  if (!attribute) throw badRequest("invalidFilter", "the filter must name an attribute");
  if (operator === "ne") return negated(compare(expression, path, "eq", literal, isFolded));
  const value = toOperand(attribute, operator, literal);
  if (value === null) return sql`${expression} is null`;
  const isText = typeof value === "string";
  const left = isText && !attribute.caseExact && !isFolded ? sql`lower(${expression})` : expression;
  const right = typeof value === "boolean" ? Number(value) : value;
  switch (operator) {
    case "eq":
      return sql`${left} = ${right}`;
    case "co":
      return sql`instr(${left}, ${right}) > 0`;
    case "sw":
      return sql`substr(${left}, 1, length(${right})) = ${right}`;
    case "ew":
      // The last zero characters of a text would be the whole text.
      return right === ""
        ? sql`${left} is not null`
        : sql`substr(${left}, -length(${right})) = ${right}`;
    case "gt":
      return sql`${left} > ${right}`;
    case "ge":
      return sql`${left} >= ${right}`;
    case "lt":
      return sql`${left} < ${right}`;
    case "le":
      return sql`${left} <= ${right}`;
  }
}

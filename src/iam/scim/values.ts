/** Values from a client, checked against the definitions of their attributes (RFC 7643 section 2). */
import { type Attribute, attributeNamed, type ResourceKind } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { scimLimits } from "./limits.ts";

/** A JSON object whose members are checked one by one. */
export type Values = Record<string, unknown>;

/** A user without the attributes that the server sets. Its attributes have their canonical names. */
export type UserValues = Values;

export const isScimObject = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Whether a value is empty: unassigned and absent are the same (RFC 7643 section 2.5). */
export const isUnassigned = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isScimObject(value) && Object.keys(value).length === 0);

const refuse = ({ name }: Attribute, text: string) => badRequest("invalidValue", `${name} ${text}`);

/** Text that D1 and the tokens accept: without control characters that end a text. */
function textOf(attribute: Attribute, value: unknown): string {
  if (typeof value !== "string") throw refuse(attribute, "must be a string");
  if (value.includes("\0")) throw refuse(attribute, "must not contain the character NUL (U+0000)");
  return value;
}

function booleanOf(attribute: Attribute, value: unknown): boolean {
  // Microsoft Entra writes "True" and "False".
  const text = typeof value === "string" ? value.toLowerCase() : value;
  if (text === true || text === "true") return true;
  if (text === false || text === "false") return false;
  throw refuse(attribute, "must be true or false");
}

/**
 * One value of an attribute. Undefined if it is empty. Some clients send a list with the value, and a text for an
 * object that has a `value`: a manager, an e-mail address. Throws 400 invalidValue.
 */
export function coerceValue(attribute: Attribute, sent: unknown): unknown {
  const value = Array.isArray(sent) && sent.length === 1 ? sent[0] : sent;
  if (isUnassigned(value)) return undefined;
  if (attribute.type === "complex") {
    const subAttributes = attribute.subAttributes ?? [];
    if (isScimObject(value)) return coerceMembers(subAttributes, value);
    if (typeof value !== "string" || !attributeNamed(subAttributes, "value"))
      throw refuse(attribute, "must be an object");
    return value === "" ? undefined : coerceMembers(subAttributes, { value });
  }
  if (attribute.type === "boolean") return booleanOf(attribute, value);
  if (attribute.type === "decimal" || attribute.type === "integer") {
    if (typeof value !== "number") throw refuse(attribute, "must be a number");
    return value;
  }
  return textOf(attribute, value);
}

/** The most values of an attribute. Only groups have the attribute `members`. */
const mostValues = ({ name }: Attribute): number =>
  name === "members" ? scimLimits.members : scimLimits.values;

/** Throws 400 invalidValue if an attribute would have too many values. */
export function checkValueCount(attribute: Attribute, count: number): void {
  const most = mostValues(attribute);
  if (count > most) throw refuse(attribute, `can have at most ${most} values`);
}

/**
 * The value of an attribute, which is a list if the attribute can have several values. Throws 400 invalidValue.
 */
export function coerceAttribute(attribute: Attribute, value: unknown): unknown {
  if (isUnassigned(value)) return undefined;
  if (!attribute.multiValued) return coerceValue(attribute, value);
  const values = Array.isArray(value) ? value : [value];
  checkValueCount(attribute, values.length);
  const items = values
    .map((item) => coerceValue(attribute, item))
    .filter((item) => !isUnassigned(item));
  if (items.filter(isPrimary).length > 1) {
    throw refuse(attribute, "must not have more than one primary value");
  }
  return items.length > 0 ? items : undefined;
}

/** Whether a value is the preferred one of its list (RFC 7643 section 2.4). */
export const isPrimary = (value: unknown) => isScimObject(value) && value.primary === true;

/** The members that are attributes a client can set. All others are left out. */
function coerceMembers(attributes: readonly Attribute[], value: Values): Values | undefined {
  const members: Values = {};
  for (const [key, sent] of Object.entries(value)) {
    const attribute = attributeNamed(attributes, key);
    if (!attribute || attribute.mutability === "readOnly") continue;
    const coerced = coerceAttribute(attribute, sent);
    if (coerced !== undefined) members[attribute.name] = coerced;
  }
  return Object.keys(members).length > 0 ? members : undefined;
}

/** The resource in the body of a POST or PUT. Throws 400. */
export function toResourceValues(body: unknown, { schema, attributes }: ResourceKind): Values {
  if (!isScimObject(body)) throw badRequest("invalidSyntax", "the body must be a JSON object");
  const schemas = Object.entries(body).find(([key]) => key.toLowerCase() === "schemas")?.[1];
  const isNamed = (item: unknown) =>
    typeof item === "string" && item.toLowerCase() === schema.toLowerCase();
  if (!Array.isArray(schemas) || !schemas.some(isNamed)) {
    throw badRequest("invalidSyntax", `schemas must contain "${schema}"`);
  }
  return coerceMembers(attributes, body) ?? {};
}

/** `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
import { type Attribute, resolve } from "./attributes.ts";
import { bad } from "./errors.ts";
import { limits } from "./limits.ts";
import { isObject, type Values } from "./values.ts";

/** Which attributes of a user are answered. */
export interface Wanted {
  attributes: Attribute[][];
  excluded: Attribute[][];
}

const always = ["schemas", "id"];

/**
 * Reads the two parameters, lists of names parted by commas; what names nothing is left out. Throws 400
 * invalidValue.
 */
export const readWanted = (get: (name: string) => string | null): Wanted => ({
  attributes: readPaths("attributes", get("attributes") ?? ""),
  excluded: readPaths("excludedAttributes", get("excludedAttributes") ?? ""),
});

/** Each attribute once, so that the work grows with the attributes of a user and not with the names in the request. */
function readPaths(parameter: string, text: string): Attribute[][] {
  const { names: mostNames, namesLength } = limits;
  if (text.length > namesLength) {
    throw bad("invalidValue", `${parameter} has at most ${namesLength} characters`);
  }
  const names = text.split(",");
  if (names.length > mostNames) {
    throw bad("invalidValue", `${parameter} has at most ${mostNames} names`);
  }
  const paths = names.flatMap((name) => {
    const path = resolve(name.trim());
    return path ? [[path.map((one) => one.name).join("."), path] as const] : [];
  });
  return [...new Map(paths).values()];
}

/** The part of a user that is wanted, with what is always returned. */
export function project(user: Values, { attributes, excluded }: Wanted): Values {
  if (attributes.length > 0) {
    const shown: Values = {};
    for (const name of always) shown[name] = user[name];
    for (const path of attributes) pick(user, shown, path);
    return shown;
  }
  const shown = structuredClone(user);
  for (const path of excluded) {
    if (!always.includes(path[0]?.name ?? "")) drop(shown, path);
  }
  return shown;
}

function pick(from: Values, to: Values, [attribute, ...rest]: Attribute[]): void {
  if (!attribute) return;
  const { name } = attribute;
  const value = from[name];
  if (value === undefined) return;
  if (rest.length === 0) to[name] = value;
  else if (Array.isArray(value)) {
    const there = Array.isArray(to[name]) ? to[name] : value.map(() => ({}));
    value.forEach((item, index) => {
      if (isObject(item)) pick(item, there[index] as Values, rest);
    });
    to[name] = there;
  } else if (isObject(value)) {
    const inner = isObject(to[name]) ? { ...to[name] } : {};
    pick(value, inner, rest);
    to[name] = inner;
  }
}

function drop(from: Values, [attribute, ...rest]: Attribute[]): void {
  if (!attribute) return;
  const value = from[attribute.name];
  if (rest.length === 0) delete from[attribute.name];
  else {
    for (const one of Array.isArray(value) ? value : [value]) if (isObject(one)) drop(one, rest);
  }
}

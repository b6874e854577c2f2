/** `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
import { type Attribute, resolve } from "./attributes.ts";
import { isObject, type Values } from "./values.ts";

/** Which attributes of a user are answered. */
export interface Wanted {
  attributes: Attribute[][];
  excluded: Attribute[][];
}

const always = ["schemas", "id"];

/** Reads lists of names, parted by commas; what names nothing is left out. */
export function readWanted(attributes: string | null, excluded: string | null): Wanted {
  const paths = (text: string | null) =>
    (text ?? "").split(",").flatMap((name) => {
      const path = resolve(name.trim());
      return path ? [path] : [];
    });
  return { attributes: paths(attributes), excluded: paths(excluded) };
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

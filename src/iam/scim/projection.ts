/** `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
import { type Attribute, type ResourceKind, resolvePath, userKind } from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { scimLimits } from "./limits.ts";
import { isScimObject, type Values } from "./values.ts";

/** Selects the attributes of a resource for a response. */
export interface Projection {
  /** Undefined if the client does not name any, known or not. */
  attributes: Attribute[][] | undefined;
  excluded: Attribute[][];
}

const alwaysReturned = ["schemas", "id"];

/**
 * Reads the two parameters, which are lists of names separated by commas. Unknown names are ignored. Throws
 * 400 invalidValue.
 */
export const readProjection = (
  get: (name: string) => string | null,
  kind: ResourceKind = userKind,
): Projection => ({
  attributes: /[^\s,]/.test(get("attributes") ?? "")
    ? readPaths("attributes", get("attributes") ?? "", kind)
    : undefined,
  excluded: readPaths("excludedAttributes", get("excludedAttributes") ?? "", kind),
});

/** Whether a response has any part of an attribute. Others need not be read. */
export const shows = ({ attributes, excluded }: Projection, name: string): boolean =>
  attributes
    ? attributes.some(([first]) => first?.name === name)
    : !excluded.some(([first, ...rest]) => first?.name === name && rest.length === 0);

/**
 * Each attribute once, so that the work grows with the attributes of a user and not with the names in the
 * request.
 */
function readPaths(parameter: string, text: string, kind: ResourceKind): Attribute[][] {
  const { names: mostNames, namesLength } = scimLimits;
  if (text.length > namesLength) {
    throw badRequest("invalidValue", `${parameter} can have at most ${namesLength} characters`);
  }
  const names = text.split(",");
  if (names.length > mostNames) {
    throw badRequest("invalidValue", `${parameter} can have at most ${mostNames} names`);
  }
  const paths = names.flatMap((name) => {
    const path = resolvePath(name.trim(), kind);
    return path ? [[path.map((attribute) => attribute.name).join("."), path] as const] : [];
  });
  return [...new Map(paths).values()];
}

/** The requested part of a resource, and the attributes that are always returned. */
export function project(resource: Values, { attributes, excluded }: Projection): Values {
  if (attributes) {
    const shown: Values = {};
    for (const name of alwaysReturned) shown[name] = resource[name];
    for (const path of attributes) copyPath(resource, shown, path);
    return shown;
  }
  const shown = structuredClone(resource);
  for (const path of excluded) {
    if (!alwaysReturned.includes(path[0]?.name ?? "")) removePath(shown, path);
  }
  return shown;
}

function copyPath(from: Values, to: Values, [attribute, ...rest]: Attribute[]): void {
  if (!attribute) return;
  const { name } = attribute;
  const value = from[name];
  if (value === undefined) return;
  if (rest.length === 0) to[name] = value;
  else if (Array.isArray(value)) {
    const there = Array.isArray(to[name]) ? to[name] : value.map(() => ({}));
    value.forEach((item, index) => {
      if (isScimObject(item)) copyPath(item, there[index] as Values, rest);
    });
    to[name] = there;
  } else if (isScimObject(value)) {
    const inner = isScimObject(to[name]) ? { ...to[name] } : {};
    copyPath(value, inner, rest);
    to[name] = inner;
  }
}

function removePath(from: Values, [attribute, ...rest]: Attribute[]): void {
  if (!attribute) return;
  const value = from[attribute.name];
  if (rest.length === 0) delete from[attribute.name];
  else {
    for (const item of Array.isArray(value) ? value : [value])
      if (isScimObject(item)) removePath(item, rest);
  }
}

/** The patterns by which rules match names. `*` stands for any characters, as in `src/aip/name_pattern.ts`. */
import { matcher } from "../../aip/name_pattern.ts";

/** D1 refuses longer patterns of GLOB, in bytes. SQL then selects too much, and the decision looks again. */
export const maxGlob = 50;

/** The names that a rule matches: those that an included pattern matches, or all, and no excluded one. */
export interface Names {
  include: readonly string[];
  exclude: readonly string[];
}

/** Whether the rule matches the name. */
export function matches({ include, exclude }: Names, name: string): boolean {
  const isOne = (patterns: readonly string[]) => patterns.some((one) => matcher(one)(name));
  return (include.length === 0 || isOne(include)) && !isOne(exclude);
}

/**
 * Whether some name could be matched by both. The answer can be yes for two rules that share no name, because excluded
 * patterns count only if they exclude a whole included one. It is never no for two that share one.
 */
export function canShareName(one: Names, other: Names): boolean {
  const isExcluded = (pattern: string) =>
    [...one.exclude, ...other.exclude].some((exclude) => covers(exclude, pattern));
  const rest = ({ include }: Names) =>
    (include.length === 0 ? ["*"] : include).filter((pattern) => !isExcluded(pattern));
  return rest(one).some((a) => rest(other).some((b) => canBothMatch(a, b)));
}

/** Whether one certainly matches every name that the other matches. Can miss some that do. */
export function coversNames(wide: Names, narrow: Names): boolean {
  const all = ({ include }: Names) => (include.length === 0 ? ["*"] : include);
  const isCovered = (pattern: string) => all(wide).some((one) => covers(one, pattern));
  const takesNone = wide.exclude.every((one) => !canShareName(include(one), narrow));
  return all(narrow).every(isCovered) && takesNone;
}

const include = (pattern: string): Names => ({ include: [pattern], exclude: [] });

/** Whether one pattern matches every name that another one matches. Can miss some that do. */
function covers(wide: string, narrow: string): boolean {
  if (!narrow.includes("*")) return matcher(wide)(narrow);
  const [before, after] = [
    narrow.slice(0, narrow.indexOf("*")),
    narrow.slice(narrow.lastIndexOf("*") + 1),
  ];
  const [first = "", ...rest] = wide.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return false;
  return rest.length === 0 && before.startsWith(first) && after.endsWith(last);
}

/**
 * Whether some text is matched by both patterns. Walks both at the same time, over the pairs of positions in them
 * (the product of two automata).
 */
function canBothMatch(one: string, other: string): boolean {
  const seen = new Set<number>();
  const open: [number, number][] = [[0, 0]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [i, j] = pair;
    const key = i * (other.length + 1) + j;
    if (seen.has(key)) continue;
    seen.add(key);
    if (i === one.length && j === other.length) return true;
    const [a, b] = [one[i], other[j]];
    if (a === "*") open.push([i + 1, j]);
    if (b === "*") open.push([i, j + 1]);
    if (a === "*" && b !== undefined && b !== "*") open.push([i, j + 1]);
    if (b === "*" && a !== undefined && a !== "*") open.push([i + 1, j]);
    if (a !== undefined && a === b && a !== "*") open.push([i + 1, j + 1]);
  }
  return false;
}

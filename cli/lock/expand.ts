/** Variables in values of Dockerfiles and compose files: `$NAME`, `${NAME:-default}`. */
import { type Origin, type Traced, textOf } from "./traced.ts";

/** The rules of a kind of file. */
type ExpandRules = {
  /** The character that makes the next one literal. In compose files it is `$`, and only before another `$`. */
  escape: "\\" | "`" | "$";
  /** Whether quotes are removed, as in a shell. */
  hasQuotes: boolean;
  /** Returns the value of a variable that the file itself defines. */
  valueOf(name: string): Traced | undefined;
};

/**
 * The value with its variables replaced by their defaults. `missing` describes the first variable that has none, or
 * whose form is not known.
 */
export type Expanded = { chars: Traced; missing?: string };

/** Variables nest only a few levels deep in practice. */
const maxDepth = 20;

/** In characters. An image reference is shorter, so the variables of a longer value stay as they are. */
const maxLength = 4096;

/** Replaces variables by the values in the file. It does not read the environment, so every machine gets the same text. */
export function expand(chars: Traced, rules: ExpandRules, depth = 0): Expanded {
  if (chars.length > maxLength) return { chars };
  const done: Expanded = { chars: [] };
  let quote = "";
  for (let index = 0; index < chars.length; ) {
    const current = chars[index];
    if (!current) break;
    const { char } = current;
    const next = chars[index + 1];
    if (rules.hasQuotes && (char === '"' || char === "'") && (quote === "" || quote === char)) {
      quote = quote === "" ? char : "";
      index += 1;
    } else if (
      char === rules.escape &&
      next &&
      quote !== "'" &&
      (char !== "$" || next.char === "$")
    ) {
      done.chars.push(next);
      index += 2;
    } else if (char === "$" && quote !== "'") {
      index = expandVariable(chars, index, rules, depth, done);
    } else {
      done.chars.push(current);
      index += 1;
    }
  }
  return done;
}

/** Adds the value of the variable that begins at a `$`. Returns the index after it. */
function expandVariable(
  chars: Traced,
  index: number,
  rules: ExpandRules,
  depth: number,
  done: Expanded,
): number {
  const rest = textOf(chars.slice(index + 1));
  const plain = /^[A-Za-z_]\w*/.exec(rest)?.[0];
  if (plain !== undefined) {
    add(done, rules.valueOf(plain), plain);
    return index + 1 + plain.length;
  }
  const end = rest.startsWith("{") ? closingBrace(rest) : -1;
  if (end < 0 || depth >= maxDepth) {
    done.missing ??= rest.slice(0, 40);
    return end < 0 ? index + 1 : index + end + 2;
  }
  const [, name = "", operator = "", word = ""] =
    /^([A-Za-z_]\w*)(:?[-+?])?([\s\S]*)$/.exec(rest.slice(1, end)) ?? [];
  if (name === "" || (operator === "" && word !== "")) {
    done.missing ??= rest.slice(0, end + 1);
    return index + end + 2;
  }
  const inner = chars.slice(index + 1 + end - word.length, index + 1 + end);
  addOperated(done, { name, operator, inner }, rules, depth);
  return index + end + 2;
}

/** Adds the value of `${NAME}`, or what an operator makes of it. */
function addOperated(
  done: Expanded,
  { name, operator, inner }: { name: string; operator: string; inner: Traced },
  rules: ExpandRules,
  depth: number,
): void {
  const value = rules.valueOf(name);
  // With a colon, an empty value counts as none.
  const isSet = value !== undefined && (!operator.startsWith(":") || value.length > 0);
  const isDefault = operator.endsWith("-") && !isSet;
  const isReplaced = operator.endsWith("+");
  if (!isDefault && !isReplaced) {
    add(done, value, name);
    return;
  }
  if (isReplaced && !isSet) return;
  const word = expand(inner, rules, depth + 1);
  const origin: Origin = { label: `the default of ${name}`, isShared: false };
  done.chars.push(...word.chars.map((char) => (char.origin ? char : { ...char, origin })));
  if (word.missing !== undefined) done.missing ??= word.missing;
}

function add(done: Expanded, value: Traced | undefined, name: string): void {
  if (value) done.chars.push(...value);
  else done.missing ??= name;
}

/** Returns the index of the brace that closes the one at the beginning, or -1. */
function closingBrace(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}") depth -= 1;
    if (depth === 0) return index;
  }
  return -1;
}

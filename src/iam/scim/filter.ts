/**
 * Filters (RFC 7644 section 3.4.2.2) and PATCH paths (section 3.5.2), read into a tree. The parser
 * is our own: that of scimmy turns a filter into a list of alternatives, so that `not (a or b)`
 * means another thing and nested groups grow without bound.
 */
import { type Attribute, resolve } from "./attributes.ts";
import { bad } from "./errors.ts";
import { limits } from "./limits.ts";
import { checkText } from "./well_formed.ts";

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type Operator = (typeof operators)[number];

export type Literal = string | number | boolean | null;

/** A filter. `path` leads from the user, or within `some` from one of the values. */
export type Filter =
  | { is: "and" | "or"; terms: Filter[] }
  | { is: "not"; term: Filter }
  | { is: "present"; path: Attribute[] }
  | { is: "compared"; path: Attribute[]; operator: Operator; value: Literal }
  | { is: "some"; path: Attribute[]; filter: Filter };

/** Where a PATCH operation goes: `emails[type eq "work"].value`. */
export interface PatchPath {
  path: Attribute[];
  filter?: Filter;
  /** The attribute below the values that the filter picks. */
  inner?: Attribute;
}

const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

/** Reads a filter. Throws 400 invalidFilter. */
export function parseFilter(text: string): Filter {
  const reader = new Reader(text);
  const filter = reader.disjunction();
  reader.expectEnd();
  return filter;
}

/**
 * Reads a PATCH path. Throws 400 invalidPath for one that names nothing or is too long, invalidFilter
 * within.
 */
export function parsePath(text: string): PatchPath {
  if (text.length > limits.pathLength) {
    throw bad("invalidPath", `a path has at most ${limits.pathLength} characters`);
  }
  const reader = new Reader(text);
  const word = reader.take();
  const path = resolve(word);
  if (!path) throw bad("invalidPath", `${text} names no attribute`);
  if (!reader.at("[")) {
    reader.expectEnd();
    return { path };
  }
  const filter = reader.selection(path);
  if (reader.isAtEnd()) return { path, filter };
  const rest = reader.take();
  const inner = rest.startsWith(".")
    ? resolve(rest.slice(1), path.at(-1)?.subAttributes)
    : undefined;
  reader.expectEnd();
  if (!inner?.[0] || inner.length > 1) throw bad("invalidPath", `${text} names no attribute`);
  return { path, filter, inner: inner[0] };
}

class Reader {
  readonly #text: string;
  readonly #tokens: string[] = [];
  #position = 0;
  #comparisons = 0;
  #depth = 0;

  constructor(text: string) {
    if (text.length > limits.filterLength) {
      throw bad("invalidFilter", `a filter has at most ${limits.filterLength} characters`);
    }
    this.#text = text;
    const trimmed = text.trimEnd();
    token.lastIndex = 0;
    while (token.lastIndex < trimmed.length) {
      const from = token.lastIndex;
      const match = token.exec(trimmed);
      if (!match) throw bad("invalidFilter", `cannot be read from here: ${trimmed.slice(from)}`);
      this.#tokens.push(match[1] ?? match[2] ?? match[3] ?? "");
    }
  }

  isAtEnd = () => this.#position >= this.#tokens.length;
  at = (text: string) => this.#tokens[this.#position]?.toLowerCase() === text;

  take(): string {
    const found = this.#tokens[this.#position];
    if (found === undefined) throw bad("invalidFilter", `${this.#text} ends too early`);
    this.#position += 1;
    return found;
  }

  expect(text: string): void {
    const found = this.take();
    if (found !== text) throw bad("invalidFilter", `${found} stands where ${text} should`);
  }

  expectEnd(): void {
    if (!this.isAtEnd()) throw bad("invalidFilter", `${this.take()} stands where nothing should`);
  }

  disjunction(within?: readonly Attribute[]): Filter {
    this.#depth += 1;
    if (this.#depth > limits.filterDepth) {
      throw bad(
        "invalidFilter",
        `a filter has at most ${limits.filterDepth} groups in one another`,
      );
    }
    const filter = this.#joined("or", () => this.#joined("and", () => this.#term(within)));
    this.#depth -= 1;
    return filter;
  }

  /** `[…]` behind an attribute with several values. */
  selection(path: Attribute[]): Filter {
    const attribute = path.at(-1);
    if (!attribute?.multiValued || !attribute.subAttributes) {
      throw bad("invalidFilter", `${attribute?.name} has no values to choose from`);
    }
    this.expect("[");
    const filter = this.disjunction(attribute.subAttributes);
    this.expect("]");
    return filter;
  }

  #joined(word: "and" | "or", next: () => Filter): Filter {
    const first = next();
    const terms = [first];
    while (this.at(word)) {
      this.take();
      terms.push(next());
    }
    return terms.length === 1 ? first : { is: word, terms };
  }

  #term(within: readonly Attribute[] | undefined): Filter {
    if (this.at("not")) {
      this.take();
      return { is: "not", term: this.#group(within) };
    }
    return this.at("(") ? this.#group(within) : this.#comparison(within);
  }

  #group(within: readonly Attribute[] | undefined): Filter {
    this.expect("(");
    const filter = this.disjunction(within);
    this.expect(")");
    return filter;
  }

  #comparison(within: readonly Attribute[] | undefined): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > limits.filterComparisons) {
      throw bad("invalidFilter", `a filter has at most ${limits.filterComparisons} comparisons`);
    }
    const word = this.take();
    const path = resolve(word, within);
    if (!path) throw bad("invalidFilter", `${word} is no attribute`);
    if (this.at("[") && !within) return { is: "some", path, filter: this.selection(path) };
    const operator = this.take().toLowerCase();
    if (operator === "pr") return { is: "present", path };
    const known = operators.find((one) => one === operator);
    if (!known) throw bad("invalidFilter", `${operator} is no operator`);
    return { is: "compared", path: toSimple(path), operator: known, value: this.#literal(word) };
  }

  #literal(attribute: string): Literal {
    const word = this.take();
    const value = parsed(/^(true|false|null)$/i.test(word) ? word.toLowerCase() : word);
    if (typeof value === "string") checkText(attribute, value);
    if (value === undefined || (value !== null && typeof value === "object")) {
      throw bad("invalidFilter", `${word} is no value`);
    }
    return value as Literal;
  }
}

/** JSON as its value; undefined where it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A complex attribute is compared by its `value` (RFC 7644 section 3.4.2.2). */
function toSimple(path: Attribute[]): Attribute[] {
  const last = path.at(-1);
  if (last?.type !== "complex") return path;
  const value = resolve("value", last.subAttributes ?? []);
  if (!value) throw bad("invalidFilter", `${last.name} has no value to compare`);
  return [...path, ...value];
}

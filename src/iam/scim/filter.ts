/**
 * Parses filters (RFC 7644 section 3.4.2.2) and PATCH paths (section 3.5.2) into a tree. The parser is our
 * own. The parser of scimmy turns a filter into a list of alternatives, which changes the meaning of `not (a
 * or b)` and makes nested groups grow without bound.
 */
import { quoted } from "../../aip/quoted.ts";
import {
  type Attribute,
  attributeNamed,
  type ResourceKind,
  resolvePath,
  userKind,
} from "./attributes.ts";
import { badRequest } from "./errors.ts";
import { scimLimits } from "./limits.ts";
import { checkText } from "./well_formed.ts";

const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const;
export type FilterOperator = (typeof operators)[number];

export type FilterLiteral = string | number | boolean | null;

/** A filter. `path` starts at the resource or, within `some`, at one of the values. */
export type Filter =
  | { is: "and" | "or"; terms: Filter[] }
  | { is: "not"; term: Filter }
  | { is: "present"; path: Attribute[] }
  | { is: "compared"; path: Attribute[]; operator: FilterOperator; value: FilterLiteral }
  | { is: "some"; path: Attribute[]; filter: Filter };

/** The target of a PATCH operation: `emails[type eq "work"].value`. */
export interface PatchPath {
  path: Attribute[];
  filter?: Filter;
  /** The attribute below the values that the filter selects. */
  inner?: Attribute;
}

const tokenPattern = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

/** Parses a filter. Throws 400 invalidFilter. */
export function parseFilter(text: string, kind: ResourceKind = userKind): Filter {
  const reader = new FilterParser(text, kind);
  const filter = reader.disjunction();
  reader.expectEnd();
  return filter;
}

/**
 * Parses a PATCH path. Throws 400 invalidPath if the path is too long or names no attribute, and 400
 * invalidFilter for the filter in it.
 */
export function parsePath(text: string, kind: ResourceKind = userKind): PatchPath {
  if (text.length > scimLimits.pathLength) {
    throw badRequest("invalidPath", `a path can have at most ${scimLimits.pathLength} characters`);
  }
  const refuse = () => badRequest("invalidPath", `${quoted(text)} is not the path of an attribute`);
  const reader = new FilterParser(text, kind);
  const path = reader.isAtEnd() ? undefined : resolvePath(reader.take(), kind);
  if (!path) throw refuse();
  if (reader.isAtEnd()) return { path };
  if (!reader.isNext("[")) throw refuse();
  const filter = reader.selection(path);
  if (reader.isAtEnd()) return { path, filter };
  const rest = reader.take();
  const inner = rest.startsWith(".")
    ? resolvePath(rest.slice(1), kind, path.at(-1)?.subAttributes)
    : undefined;
  if (!inner?.[0] || inner.length > 1 || !reader.isAtEnd()) throw refuse();
  return { path, filter, inner: inner[0] };
}

class FilterParser {
  readonly #text: string;
  readonly #kind: ResourceKind;
  readonly #tokens: string[] = [];
  #position = 0;
  #comparisons = 0;
  #depth = 0;

  constructor(text: string, kind: ResourceKind) {
    this.#kind = kind;
    if (text.length > scimLimits.filterLength) {
      throw badRequest(
        "invalidFilter",
        `a filter can have at most ${scimLimits.filterLength} characters`,
      );
    }
    this.#text = text;
    const trimmed = text.trimEnd();
    tokenPattern.lastIndex = 0;
    while (tokenPattern.lastIndex < trimmed.length) {
      const from = tokenPattern.lastIndex;
      const match = tokenPattern.exec(trimmed);
      if (!match)
        throw badRequest(
          "invalidFilter",
          `the filter cannot be read from here on: ${quoted(trimmed.slice(from))}`,
        );
      this.#tokens.push(match[1] ?? match[2] ?? match[3] ?? "");
    }
  }

  isAtEnd = () => this.#position >= this.#tokens.length;
  isNext = (text: string) => this.#tokens[this.#position]?.toLowerCase() === text;

  take(): string {
    const token = this.#tokens[this.#position];
    if (token === undefined)
      throw badRequest("invalidFilter", `${quoted(this.#text)} ends too early`);
    this.#position += 1;
    return token;
  }

  expect(text: string): void {
    const token = this.take();
    if (token !== text)
      throw badRequest("invalidFilter", `expected ${text} and found ${quoted(token)}`);
  }

  expectEnd(): void {
    if (!this.isAtEnd())
      throw badRequest("invalidFilter", `expected the end and found ${quoted(this.take())}`);
  }

  disjunction(within?: readonly Attribute[]): Filter {
    this.#depth += 1;
    if (this.#depth > scimLimits.filterDepth) {
      throw badRequest(
        "invalidFilter",
        `a filter can have at most ${scimLimits.filterDepth} nested groups`,
      );
    }
    const filter = this.#joined("or", () => this.#joined("and", () => this.#term(within)));
    this.#depth -= 1;
    return filter;
  }

  /** `[…]` after an attribute with several values. */
  selection(path: Attribute[]): Filter {
    const attribute = path.at(-1);
    if (!attribute?.multiValued || !attribute.subAttributes) {
      throw badRequest(
        "invalidFilter",
        `${attribute?.name} does not have several values to select from`,
      );
    }
    this.expect("[");
    const filter = this.disjunction(attribute.subAttributes);
    this.expect("]");
    return filter;
  }

  #joined(word: "and" | "or", next: () => Filter): Filter {
    const first = next();
    const terms = [first];
    while (this.isNext(word)) {
      this.take();
      terms.push(next());
    }
    return terms.length === 1 ? first : { is: word, terms };
  }

  #term(within: readonly Attribute[] | undefined): Filter {
    if (this.isNext("not")) {
      this.take();
      return { is: "not", term: this.#group(within) };
    }
    return this.isNext("(") ? this.#group(within) : this.#comparison(within);
  }

  #group(within: readonly Attribute[] | undefined): Filter {
    this.expect("(");
    const filter = this.disjunction(within);
    this.expect(")");
    return filter;
  }

  #comparison(within: readonly Attribute[] | undefined): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > scimLimits.filterComparisons) {
      throw badRequest(
        "invalidFilter",
        `a filter can have at most ${scimLimits.filterComparisons} comparisons`,
      );
    }
    const word = this.take();
    const path = resolvePath(word, this.#kind, within);
    if (!path) throw badRequest("invalidFilter", `${quoted(word)} is not an attribute`);
    if (this.isNext("[") && !within) return this.#some(path);
    return this.#compared(word, path);
  }

  /**
   * `emails[type eq "work"]`. Microsoft Entra continues with a member, `emails[type eq "work"].value eq "…"`: one value
   * then meets both conditions.
   */
  #some(path: Attribute[]): Filter {
    const filter = this.selection(path);
    const rest = this.#tokens[this.#position] ?? "";
    if (!rest.startsWith(".")) return { is: "some", path, filter };
    this.take();
    const inner = resolvePath(rest.slice(1), this.#kind, path.at(-1)?.subAttributes);
    if (!inner) throw badRequest("invalidFilter", `${quoted(rest)} is not an attribute`);
    const compared = this.#compared(rest.slice(1), inner);
    return { is: "some", path, filter: { is: "and", terms: [filter, compared] } };
  }

  #compared(word: string, path: Attribute[]): Filter {
    const operator = this.take().toLowerCase();
    if (operator === "pr") return { is: "present", path };
    const known = operators.find((name) => name === operator);
    if (!known)
      throw badRequest(
        "invalidFilter",
        `${quoted(operator)} is not an operator; use pr, ${operators.join(", ")}`,
      );
    return {
      is: "compared",
      path: toSimplePath(path),
      operator: known,
      value: this.#literal(word),
    };
  }

  #literal(attribute: string): FilterLiteral {
    const word = this.take();
    const value = tryParseJson(/^(true|false|null)$/i.test(word) ? word.toLowerCase() : word);
    if (typeof value === "string") checkText(attribute, value);
    if (value === undefined || (value !== null && typeof value === "object")) {
      throw badRequest(
        "invalidFilter",
        `${quoted(word)} is not a value; use a quoted string, a number, true, false or null`,
      );
    }
    return value as FilterLiteral;
  }
}

/** The value of a JSON text. Undefined if it is not JSON. */
function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A complex attribute is compared by its `value` (RFC 7644 section 3.4.2.2). */
function toSimplePath(path: Attribute[]): Attribute[] {
  const last = path.at(-1);
  if (last?.type !== "complex") return path;
  const value = attributeNamed(last.subAttributes ?? [], "value");
  if (!value)
    throw badRequest(
      "invalidFilter",
      `${last.name} cannot be compared, because it has no value of its own`,
    );
  return [...path, value];
}

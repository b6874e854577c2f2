/** Finds the rules that one value breaks. The ids of the rules are those of protovalidate. */
import { type DescEnum, toJson } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import type {
  BytesRules,
  DurationRules,
  EnumRules,
  FieldRules,
  Int32Rules,
  Int64Rules,
  MapRules,
  RepeatedRules,
  StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { patternWords } from "./patterns.ts";

/** A broken rule, and what it requires in words that follow the name of the field. */
export interface Broken {
  /** Such as `string.max_len`. */
  rule: string;
  /** Such as `must have at most 5 characters`. */
  text: string;
  /** The regular expression of the rule `string.pattern`. */
  pattern?: string;
}

type Must = (holds: boolean, rule: string, text: string, pattern?: string) => void;

/**
 * The rules that a value breaks. For a list or a map these are the rules about its size. Its items are
 * checked one by one.
 */
export function brokenRules({ type }: FieldRules, value: unknown, ofEnum?: DescEnum): Broken[] {
  const broken: Broken[] = [];
  const must: Must = (holds, rule, text, pattern) => {
    if (!holds) broken.push({ rule, text, ...(pattern === undefined ? {} : { pattern }) });
  };
  switch (type.case) {
    case "string":
      checkString(type.value, value as string, must);
      break;
    case "bytes":
      checkBytes(type.value, value as Uint8Array, must);
      break;
    case "int32":
    case "int64":
    case "duration":
      // A key of a map is a string here.
      checkRange(type.case, type.value, amountOf(value as Bound), must);
      break;
    case "enum":
      checkEnum(type.value, value as number, ofEnum, must);
      break;
    case "repeated":
      checkList(type.value, value as unknown[], must);
      break;
    case "map":
      checkMap(type.value, Object.keys(value as object).length, must);
  }
  return broken;
}

/** A bound, if the proto contains it. An absent bound is a zero on the prototype. */
const boundOf = <Rules extends object>(rules: Rules, name: keyof Rules): number | undefined =>
  Object.hasOwn(rules, name) ? Number(rules[name]) : undefined;

function checkBytes(rules: BytesRules, { length }: Uint8Array, must: Must): void {
  const min = boundOf(rules, "minLen") ?? 0;
  const max = boundOf(rules, "maxLen") ?? length;
  must(length >= min, "bytes.min_len", `must have at least ${countOf(min, "byte")}`);
  must(length <= max, "bytes.max_len", `must have at most ${countOf(max, "byte")}`);
}

function checkList(rules: RepeatedRules, items: unknown[], must: Must): void {
  const { length } = items;
  const min = boundOf(rules, "minItems") ?? 0;
  const max = boundOf(rules, "maxItems") ?? length;
  must(length >= min, "repeated.min_items", `must have at least ${countOf(min, "item")}`);
  must(length <= max, "repeated.max_items", `must have at most ${countOf(max, "item")}`);
  const isUnique = !rules.unique || new Set(items).size === length;
  must(isUnique, "repeated.unique", "must not contain an item twice");
}

function checkMap(rules: MapRules, length: number, must: Must): void {
  const min = boundOf(rules, "minPairs") ?? 0;
  const max = boundOf(rules, "maxPairs") ?? length;
  must(length >= min, "map.min_pairs", `must have at least ${countOf(min, "entry", "entries")}`);
  must(length <= max, "map.max_pairs", `must have at most ${countOf(max, "entry", "entries")}`);
}

function checkString(rules: StringRules, value: string, must: Must): void {
  const min = boundOf(rules, "minLen");
  const max = boundOf(rules, "maxLen");
  if (min !== undefined || max !== undefined) {
    const length = lengthWithin(value, max ?? value.length);
    const [least, most] = [min ?? 0, max ?? length].map((count) => countOf(count, "character"));
    must(length >= (min ?? 0), "string.min_len", `must have at least ${least}`);
    must(length <= (max ?? length), "string.max_len", `must have at most ${most}`);
  }
  const maxBytes = boundOf(rules, "maxBytes");
  if (maxBytes !== undefined) {
    const { length } = new TextEncoder().encode(value);
    must(
      length <= maxBytes,
      "string.max_bytes",
      `must have at most ${countOf(maxBytes, "byte")} in UTF-8`,
    );
  }
  const { pattern, in: all, wellKnown } = rules;
  const isMatch = pattern === "" || compiled(pattern).test(value);
  must(isMatch, "string.pattern", patternWords(pattern) ?? "must match its pattern", pattern);
  must(all.length === 0 || all.includes(value), "string.in", oneOf(all));
  const format = formats[wellKnown.case as keyof typeof formats];
  if (format && wellKnown.value === true)
    checkFormat(format, `string.${wellKnown.case}`, value, must);
}

function checkFormat({ noun, is }: Format, rule: string, value: string, must: Must): void {
  if (value === "") must(false, `${rule}_empty`, `must be ${noun}, and is empty`);
  else must(is(value), rule, `must be ${noun}`);
}

/** The number of characters in a text. They are counted only if the number of code units does not decide. */
function lengthWithin(text: string, most: number): number {
  // A character has at most two code units.
  if (text.length > 2 * most) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const countOf = (count: number, singular: string, plural = `${singular}s`) =>
  `${count} ${count === 1 ? singular : plural}`;

const oneOf = (values: readonly string[]) => `must be one of ${values.join(", ")}`;

const patterns = new Map<string, RegExp>();

/**
 * `\S` covers ASCII in RE2, and Unicode in JavaScript. No proto contains any other difference between the two
 * (test/schema/validation/validate.test.ts).
 */
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known) return known;
  const made = new RegExp(pattern.replaceAll("[\\S ]", "[^\\t\\n\\f\\r]"), "u");
  patterns.set(pattern, made);
  return made;
}

const hex = "[0-9a-fA-F]";
const uuid = new RegExp(`^${hex}{8}(?:-${hex}{4}){3}-${hex}{12}$`);

// HTML, section 4.10.5.1.5: the text that a browser accepts as an email address.
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const email = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`);

// RFC 3986, appendix A, and RFC 6874 for the zone of an address.
const plain = "\\w.~!$&'()*+,;=";
const percent = `%${hex}{2}`;
const pchar = `(?:[${plain}:@-]|${percent})`;
const rest = `(?:/${pchar}*)*`;
const zone = `(?:[\\w.~-]|${percent})+`;
const literal = `(?<address>[0-9a-fA-F:]+)(?:%25${zone})?|v${hex}+\\.[${plain}:-]+`;
const host = `(?<host>\\[(?:${literal})\\]|(?:[${plain}-]|${percent})*)`;
const authority = `(?:(?:[${plain}:-]|${percent})*@)?${host}(?::[0-9]*)?`;
const path = `//${authority}${rest}|/(?:${pchar}+${rest})?|${pchar}+${rest}|`;
const tail = `(?:${pchar}|[/?])*`;
const uri = new RegExp(`^[a-zA-Z][a-zA-Z0-9+.-]*:(?:${path})(?:\\?${tail})?(?:#${tail})?$`);

/** The URL parser checks IPv6 addresses. A percent-encoded host must be UTF-8. */
function isUri(value: string): boolean {
  const parts = uri.exec(value)?.groups;
  if (!parts) return false;
  const { address, host = "" } = parts;
  if (address && !URL.canParse(`http://[${address}]`)) return false;
  return isDecodable(host);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

interface Format {
  noun: string;
  is(value: string): boolean;
}

const formats = {
  email: { noun: "an email address", is: (value: string) => email.test(value) },
  uri: { noun: "a URI", is: isUri },
  uuid: { noun: "a UUID", is: (value: string) => uuid.test(value) },
};

const comparisons = {
  gt: { words: "more than", holds: (value: bigint, bound: bigint) => value > bound },
  gte: { words: "at least", holds: (value: bigint, bound: bigint) => value >= bound },
  lt: { words: "less than", holds: (value: bigint, bound: bigint) => value < bound },
  lte: { words: "at most", holds: (value: bigint, bound: bigint) => value <= bound },
};

/** A number, or a duration in nanoseconds, within its bounds. */
function checkRange(
  type: string,
  { greaterThan, lessThan }: Int32Rules | Int64Rules | DurationRules,
  value: bigint,
  must: Must,
): void {
  const bounds = [greaterThan, lessThan].filter((bound) => bound.case !== undefined);
  if (bounds.length === 0) return;
  const isWithin = bounds.every((bound) =>
    comparisons[bound.case].holds(value, amountOf(bound.value)),
  );
  const names = bounds.map((bound) => bound.case).join("_");
  const texts = bounds.map((bound) => `${comparisons[bound.case].words} ${textOf(bound.value)}`);
  const [low, high] = bounds.map(({ value: bound }) => textOf(bound));
  const words = names === "gte_lte" ? `between ${low} and ${high}` : texts.join(" and ");
  must(isWithin, `${type}.${names}`, `must be ${words}`);
}

type Bound = number | bigint | Duration;

const textOf = (bound: Bound) =>
  typeof bound === "object" ? toJson(DurationSchema, bound) : String(bound);

/** The exact nanoseconds of a duration. A number cannot represent those of years. */
const amountOf = (value: Bound): bigint =>
  typeof value === "object" ? value.seconds * 1_000_000_000n + BigInt(value.nanos) : BigInt(value);

function checkEnum(
  { definedOnly, in: all, notIn }: EnumRules,
  value: number,
  desc: DescEnum | undefined,
  must: Must,
): void {
  const nameOf = (number: number) => desc?.value[number]?.name ?? String(number);
  const isDefined = !definedOnly || desc?.value[value] !== undefined;
  if (!isDefined) must(false, "enum.defined_only", definedNames(desc, notIn));
  must(all.length === 0 || all.includes(value), "enum.in", oneOf(all.map(nameOf)));
  must(!notIn.includes(value), "enum.not_in", `must not be ${notIn.map(nameOf).join(", ")}`);
}

/** A longer list of names does not help the reader of an error. The reference lists all names. */
const maxListedNames = 20;

function definedNames(desc: DescEnum | undefined, notIn: readonly number[]): string {
  const values = Object.values(desc?.value ?? {}).filter(({ number }) => !notIn.includes(number));
  if (values.length > maxListedNames) return `must be a value of the enum ${desc?.name}`;
  return oneOf(values.map(({ name }) => name));
}

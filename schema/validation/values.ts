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

/** A broken rule: `string.max_len`, and the requirement: `must be at most 5 characters`. */
export interface Broken {
  rule: string;
  text: string;
}

type Must = (holds: boolean, rule: string, text: string) => void;

/**
 * The rules that a value breaks. For a list or a map these are the rules about its size. Its items are
 * checked one by one.
 */
export function brokenRules({ type }: FieldRules, value: unknown, ofEnum?: DescEnum): Broken[] {
  const found: Broken[] = [];
  const must: Must = (holds, rule, text) => {
    if (!holds) found.push({ rule, text });
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
  return found;
}

/** A bound, if the proto contains it. An absent bound is a zero on the prototype. */
const given = <Rules extends object>(rules: Rules, name: keyof Rules): number | undefined =>
  Object.hasOwn(rules, name) ? Number(rules[name]) : undefined;

function checkBytes(rules: BytesRules, { length }: Uint8Array, must: Must): void {
  const min = given(rules, "minLen") ?? 0;
  const max = given(rules, "maxLen") ?? length;
  must(length >= min, "bytes.min_len", `must be at least ${min} bytes`);
  must(length <= max, "bytes.max_len", `must be at most ${max} bytes`);
}

function checkList(rules: RepeatedRules, items: unknown[], must: Must): void {
  const { length } = items;
  const min = given(rules, "minItems") ?? 0;
  const max = given(rules, "maxItems") ?? length;
  must(length >= min, "repeated.min_items", `must contain at least ${min} item(s)`);
  must(length <= max, "repeated.max_items", `must contain no more than ${max} item(s)`);
  const isUnique = !rules.unique || new Set(items).size === length;
  must(isUnique, "repeated.unique", "repeated value must contain unique items");
}

function checkMap(rules: MapRules, length: number, must: Must): void {
  const min = given(rules, "minPairs") ?? 0;
  const max = given(rules, "maxPairs") ?? length;
  must(length >= min, "map.min_pairs", `map must be at least ${min} entries`);
  must(length <= max, "map.max_pairs", `map must be at most ${max} entries`);
}

function checkString(rules: StringRules, value: string, must: Must): void {
  const min = given(rules, "minLen");
  const max = given(rules, "maxLen");
  if (min !== undefined || max !== undefined) {
    const length = lengthWithin(value, max ?? value.length);
    must(length >= (min ?? 0), "string.min_len", `must be at least ${min} characters`);
    must(length <= (max ?? length), "string.max_len", `must be at most ${max} characters`);
  }
  const maxBytes = given(rules, "maxBytes");
  if (maxBytes !== undefined) {
    const { length } = new TextEncoder().encode(value);
    must(length <= maxBytes, "string.max_bytes", `must be at most ${maxBytes} bytes`);
  }
  const { pattern, in: all, wellKnown } = rules;
  const isMatch = pattern === "" || compiled(pattern).test(value);
  must(isMatch, "string.pattern", `does not match regex pattern \`${pattern}\``);
  must(all.length === 0 || all.includes(value), "string.in", `must be in list ${list(all)}`);
  const format = formats[wellKnown.case as keyof typeof formats];
  if (format && wellKnown.value === true)
    checkFormat(format, `string.${wellKnown.case}`, value, must);
}

function checkFormat({ noun, is }: Format, rule: string, value: string, must: Must): void {
  if (value === "") must(false, `${rule}_empty`, `value is empty, which is not a valid ${noun}`);
  else must(is(value), rule, `must be a valid ${noun}`);
}

/** The number of characters in a text. They are counted only if the number of code units does not decide. */
function lengthWithin(text: string, most: number): number {
  // A character has at most two code units.
  if (text.length > 2 * most) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const list = (values: readonly unknown[]) => `[${values.join(", ")}]`;

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
  email: { noun: "email address", is: (value: string) => email.test(value) },
  uri: { noun: "URI", is: isUri },
  uuid: { noun: "UUID", is: (value: string) => uuid.test(value) },
};

const comparisons = {
  gt: { words: "greater than", holds: (value: bigint, bound: bigint) => value > bound },
  gte: {
    words: "greater than or equal to",
    holds: (value: bigint, bound: bigint) => value >= bound,
  },
  lt: { words: "less than", holds: (value: bigint, bound: bigint) => value < bound },
  lte: { words: "less than or equal to", holds: (value: bigint, bound: bigint) => value <= bound },
};

/** A number, or a duration in nanoseconds, within its bounds. */
function checkRange(
  type: string,
  { greaterThan, lessThan }: Int32Rules | Int64Rules | DurationRules,
  value: bigint,
  must: Must,
): void {
  const bounds = [greaterThan, lessThan].filter((one) => one.case !== undefined);
  if (bounds.length === 0) return;
  const isWithin = bounds.every((one) => comparisons[one.case].holds(value, amountOf(one.value)));
  const names = bounds.map((one) => one.case).join("_");
  const texts = bounds.map((one) => `${comparisons[one.case].words} ${textOf(one.value)}`);
  must(isWithin, `${type}.${names}`, `must be ${texts.join(" and ")}`);
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
  const isDefined = !definedOnly || desc?.value[value] !== undefined;
  must(isDefined, "enum.defined_only", "value must be one of the defined enum values");
  must(all.length === 0 || all.includes(value), "enum.in", `must be in list ${list(all)}`);
  must(!notIn.includes(value), "enum.not_in", `must not be in list ${list(notIn)}`);
}

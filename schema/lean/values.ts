/** Which rules one value breaks. Texts and names of rules are those of protovalidate. */
import type { DescEnum } from "@bufbuild/protobuf";
import type { FieldRules, NumberRules, StringRules } from "./rules.ts";

/** A rule that is broken: `string.max_len`, and what a value must be instead: `must be at most 5 characters`. */
export interface Broken {
  rule: string;
  text: string;
}

/** The rules that a value breaks. Of a list or a map: those of its size; its items are asked one by one. */
export function brokenRules(rules: FieldRules, value: unknown, ofEnum?: DescEnum): Broken[] {
  const found: Broken[] = [];
  const must = (holds: boolean, rule: string, text: string) => {
    if (!holds) found.push({ rule, text });
  };
  if (rules.string) checkString(rules.string, value as string, must);
  if (rules.bytes) {
    const { length } = value as Uint8Array;
    const { minLen = 0, maxLen = length } = rules.bytes;
    must(length >= minLen, "bytes.min_len", `must be at least ${minLen} bytes`);
    must(length <= maxLen, "bytes.max_len", `must be at most ${maxLen} bytes`);
  }
  if (rules.int32) checkNumber("int32", rules.int32, Number(value), must);
  // A key of a map is a string here.
  if (rules.int64) checkNumber("int64", rules.int64, BigInt(value as bigint | string), must);
  if (rules.duration) checkDuration(rules.duration, value as Duration, must);
  if (rules.enum) checkEnum(rules.enum, value as number, ofEnum, must);
  if (rules.repeated) {
    const items = value as unknown[];
    const { minItems = 0, maxItems = items.length, unique } = rules.repeated;
    const { length } = items;
    must(length >= minItems, "repeated.min_items", `must contain at least ${minItems} item(s)`);
    must(length <= maxItems, "repeated.max_items", `must contain no more than ${maxItems} item(s)`);
    const isUnique = !unique || new Set(items).size === length;
    must(isUnique, "repeated.unique", "repeated value must contain unique items");
  }
  if (rules.map) {
    const { length } = Object.keys(value as object);
    const { minPairs = 0, maxPairs = length } = rules.map;
    must(length >= minPairs, "map.min_pairs", `map must be at least ${minPairs} entries`);
    must(length <= maxPairs, "map.max_pairs", `map must be at most ${maxPairs} entries`);
  }
  return found;
}

type Must = (holds: boolean, rule: string, text: string) => void;

function checkString(rules: StringRules, value: string, must: Must): void {
  const { minLen, maxLen, maxBytes, pattern } = rules;
  if (minLen !== undefined || maxLen !== undefined) {
    const length = lengthWithin(value, maxLen ?? value.length);
    must(length >= (minLen ?? 0), "string.min_len", `must be at least ${minLen} characters`);
    must(length <= (maxLen ?? length), "string.max_len", `must be at most ${maxLen} characters`);
  }
  if (maxBytes !== undefined) {
    const { length } = new TextEncoder().encode(value);
    must(length <= maxBytes, "string.max_bytes", `must be at most ${maxBytes} bytes`);
  }
  if (pattern !== undefined) {
    const isMatch = compiled(pattern).test(value);
    must(isMatch, "string.pattern", `does not match regex pattern \`${pattern}\``);
  }
  if (rules.in) must(rules.in.includes(value), "string.in", `must be in list ${list(rules.in)}`);
  for (const [name, { what, is }] of Object.entries(formats)) {
    if (!rules[name as keyof typeof formats]) continue;
    const text = `value is empty, which is not a valid ${what}`;
    if (value === "") must(false, `string.${name}_empty`, text);
    else must(is(value), `string.${name}`, `must be a valid ${what}`);
  }
}

/** Characters of a text, which are counted only where the code units leave it open. */
function lengthWithin(text: string, most: number): number {
  // Two code units a character at the most.
  if (text.length > 2 * most) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const list = (values: readonly unknown[]) => `[${values.join(", ")}]`;

const patterns = new Map<string, RegExp>();

/** RE2's `\S` is of ASCII, that of JavaScript is not; thin.ts refuses what else they read differently. */
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known) return known;
  const made = new RegExp(pattern.replaceAll("[\\S ]", "[^\\t\\n\\f\\r]"), "u");
  patterns.set(pattern, made);
  return made;
}

const hex = "[0-9a-fA-F]";
const uuid = new RegExp(`^${hex}{8}(?:-${hex}{4}){3}-${hex}{12}$`);

// HTML, section 4.10.5.1.5: what a browser takes for an address.
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

/** An IPv6 address is left to the URL parser, and a host in percent encoding has to be UTF-8. */
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

const formats = {
  email: { what: "email address", is: (value: string) => email.test(value) },
  uri: { what: "URI", is: isUri },
  uuid: { what: "UUID", is: (value: string) => uuid.test(value) },
};

function checkNumber(type: string, rules: NumberRules, value: number | bigint, must: Must): void {
  checkRange(type, rules, (bound) => Number(value > bound) - Number(value < bound), must);
}

/** `compare` tells where the value is of a bound: below zero where it is less, above where it is more. */
function checkRange<Bound extends number | string>(
  type: string,
  { gt, gte, lte }: { gt?: Bound; gte?: Bound; lte?: Bound },
  compare: (bound: Bound) => number,
  must: Must,
): void {
  const isAbove = (gt === undefined || compare(gt) > 0) && (gte === undefined || compare(gte) >= 0);
  const isBelow = lte === undefined || compare(lte) <= 0;
  const kinds = { gt, gte, lte };
  const names = Object.entries(kinds).flatMap(([kind, bound]) =>
    bound === undefined ? [] : [kind],
  );
  const texts = [
    ...(gt === undefined ? [] : [`greater than ${gt}`]),
    ...(gte === undefined ? [] : [`greater than or equal to ${gte}`]),
    ...(lte === undefined ? [] : [`less than or equal to ${lte}`]),
  ];
  must(isAbove && isBelow, `${type}.${names.join("_")}`, `must be ${texts.join(" and ")}`);
}

type Duration = { seconds: bigint; nanos: number };

function checkDuration(
  rules: NonNullable<FieldRules["duration"]>,
  { seconds, nanos }: Duration,
  must: Must,
): void {
  const length = seconds * 1_000_000_000n + BigInt(nanos);
  checkRange("duration", rules, (bound) => Number(length - nanosOf(bound)), must);
}

/** Of `3600s` or `0.5s`, exactly: a number has no room for the nanoseconds of years. */
function nanosOf(duration: string): bigint {
  const [whole = "", part = ""] = duration.replace("s", "").split(".");
  return BigInt(whole + part.padEnd(9, "0"));
}

function checkEnum(
  rules: NonNullable<FieldRules["enum"]>,
  value: number,
  desc: DescEnum | undefined,
  must: Must,
): void {
  const isDefined = !rules.definedOnly || desc?.value[value] !== undefined;
  must(isDefined, "enum.defined_only", "value must be one of the defined enum values");
  if (rules.in) must(rules.in.includes(value), "enum.in", `must be in list ${list(rules.in)}`);
  if (rules.notIn) {
    const text = `must not be in list ${list(rules.notIn)}`;
    must(!rules.notIn.includes(value), "enum.not_in", text);
  }
}

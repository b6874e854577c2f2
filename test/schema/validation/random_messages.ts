/** Random messages around the limits in the rules of their fields. */
import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type {
  FieldRules,
  StringRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { fieldRules } from "../../../schema/options.ts";

/** The rules of the texts in a field: those of the field, its items, its keys and its values. */
function textRulesOf(rules: FieldRules | undefined): StringRules[] {
  if (rules?.type.case === "string") return [rules.type.value];
  if (rules?.type.case === "repeated") return textRulesOf(rules.type.value.items);
  if (rules?.type.case !== "map") return [];
  const { keys, values } = rules.type.value;
  return [...textRulesOf(keys), ...textRulesOf(values)];
}

/** Texts around every limit. Some match the patterns, and some almost do. */
function textsFor(field: DescField): fc.Arbitrary<string> {
  const rules = textRulesOf(fieldRules(field));
  const limits = rules.flatMap(({ minLen, maxLen, maxBytes }) => [minLen, maxLen, maxBytes]);
  const edges = limits
    .map(Number)
    .flatMap((limit) => (limit === 0 ? [] : [limit - 1, limit, limit + 1]));
  const long = edges.flatMap((length) =>
    ["a", "é", "𝑎", "/"].map((letter) => letter.repeat(Math.max(0, length))),
  );
  const patterns = rules.flatMap(({ pattern }) => (pattern ? [pattern] : []));
  const fitting = patterns.map((pattern) =>
    fc.stringMatching(new RegExp(pattern.replaceAll("[\\S ]", "[^\\t\\n\\f\\r]"), "u"), {
      size: "-1",
    }),
  );
  const some = ["", " ", "\u00a0", "\ufeff", "\u2028", "\v", "a\nb", "a\n", "A", "0", "%", "a@b.c"];
  const uid = `${"0".repeat(40)}/${"a".repeat(16)}`;
  const others = [uid, "sha256:", "https://a.b/c?d#e", "4b9ba3f0-3c9c-4f5b-9e0e-0c7a3c6e5a11"];
  return fc.oneof(
    fc.constantFrom(...some, ...others, ...long),
    fc.string({ unit: "binary" }),
    ...fitting,
  );
}

function singleFor(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.message) return messageArbitrary(field.message, depth + 1);
  if (field.enum) {
    return fc.constantFrom(...field.enum.values.map(({ number }) => number), 99, -1);
  }
  return scalarFor(field, field.scalar);
}

function scalarFor(field: DescField, scalar: ScalarType | undefined): fc.Arbitrary<unknown> {
  const type = fieldRules(field)?.type;
  const most = type?.case === "bytes" ? Number(type.value.maxLen) : 3;
  switch (scalar) {
    case ScalarType.STRING:
      return textsFor(field);
    case ScalarType.BYTES:
      return fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constant(new Uint8Array(most + 1)));
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return fc
        .constantFrom(-1n, 0n, 1n, 2n, 2n ** 62n)
        .filter((n) => n >= 0n || scalar === ScalarType.INT64);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return fc.constantFrom(0, 0.5, 10);
    default:
      return fc.oneof(
        fc.integer({ min: scalar === ScalarType.UINT32 ? 0 : -5, max: 5 }),
        fc.integer({ min: 0, max: 2 ** 31 - 1 }),
        fc.constantFrom(199, 200, 201, 999, 1000, 1001),
      );
  }
}

/** Fills random fields, with up to two levels of messages. */
export function messageArbitrary(desc: DescMessage, depth: number): fc.Arbitrary<Message> {
  if (desc.typeName === "google.protobuf.Duration") {
    return fc.record({
      $typeName: fc.constant(desc.typeName),
      seconds: fc.constantFrom(-1n, 0n, 1n, 60n, 3600n, 86_400n, 604_800n, 604_801n, 31_536_001n),
      nanos: fc.constantFrom(0, 1, 500_000_000),
    });
  }
  const blank = () => reflect(desc).message;
  if (depth > 2 || desc.typeName.startsWith("google.protobuf.")) return fc.constant(0).map(blank);
  const setters = desc.fields.map((field) =>
    fc
      .option(valuesFor(field, depth), { nil: undefined, freq: 2 })
      .map((value) => ({ field, value })),
  );
  return fc.tuple(...setters).map((all) => {
    const into = reflect(desc);
    for (const { field, value } of all) if (value !== undefined) put(into, field, value);
    return into.message;
  });
}

function mostOf(rules: FieldRules | undefined): number {
  if (rules?.type.case === "repeated") return Number(rules.type.value.maxItems);
  return rules?.type.case === "map" ? Number(rules.type.value.maxPairs) : 0;
}

function valuesFor(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const most = mostOf(fieldRules(field)) || 2;
  const lengths = most < 60 ? [0, 1, 2, most, most + 1] : [0, 1, 2];
  const size = fc.constantFrom(...(depth > 0 ? [0, 1, 2] : lengths));
  if (field.fieldKind === "list") {
    return fc
      .tuple(size, fc.boolean())
      .chain(([length, isTwice]) =>
        fc
          .array(singleFor(field, depth), { minLength: length, maxLength: length })
          .map((items) => (isTwice && length > 0 ? [...items.slice(1), items.at(-1)] : items)),
      );
  }
  if (field.fieldKind === "map") {
    return size.chain((length) =>
      fc.array(fc.tuple(scalarFor(field, field.mapKey), singleFor(field, depth)), {
        minLength: length,
        maxLength: length,
      }),
    );
  }
  return singleFor(field, depth);
}

/** Sets a field to a value from the arbitraries here. */
export function put(into: ReflectMessage, field: DescField, value: unknown): void {
  const ofMessage = (one: unknown) =>
    field.message ? reflect(field.message, one as Message) : one;
  if (field.fieldKind === "list") {
    for (const item of value as unknown[]) into.get(field).add(ofMessage(item));
  } else if (field.fieldKind === "map") {
    for (const [key, item] of value as [never, unknown][])
      into.get(field).set(key, ofMessage(item));
  } else {
    into.set(field, ofMessage(value));
  }
}

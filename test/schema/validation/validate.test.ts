import {
  type DescField,
  type DescMessage,
  hasOption,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import {
  type DurationRules,
  type FieldRules,
  FieldRulesSchema,
  message as messageRules,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { files } from "../../../schema/descriptors.ts";
import { fieldRules, isRequiredOneof } from "../../../schema/options.ts";
import { violationsOf } from "../../../schema/validation/validate.ts";
import { ourWords } from "./our_words.ts";
import { messageArbitrary, put } from "./random_messages.ts";

const reference = createValidator();

/** The violations of protovalidate, with our words for each rule. */
function referenceOf(desc: DescMessage, message: Message) {
  const result = reference.validate(desc, message);
  if (result.kind === "error") throw result.error;
  return (result.violations ?? []).map(({ field, ruleId, message: text }) => ({
    path: pathOf(field),
    rule: ruleId,
    text: ourWords(
      ruleId,
      text,
      field.findLast((step) => "name" in step),
    ),
  }));
}

const pathOf = (steps: Violation["field"]) =>
  steps.reduce((path, step) => {
    if (step.kind === "list_sub") return `${path}[${step.index}]`;
    if (step.kind === "map_sub") {
      return `${path}[${typeof step.key === "string" ? JSON.stringify(step.key) : step.key}]`;
    }
    const name = "name" in step ? step.name : "";
    return path === "" ? name : `${path}.${name}`;
  }, "");

/** The messages of a file, including nested ones. */
const messagesIn = (messages: readonly DescMessage[]): DescMessage[] =>
  messages.flatMap((one) => [one, ...messagesIn(one.nestedMessages)]);

const ruled = files
  .flatMap((file) => messagesIn(file.messages))
  .filter(({ fields, oneofs }) => fields.some(fieldRules) || oneofs.some(isRequiredOneof));

function expectSame(desc: DescMessage, message: Message): void {
  const found = violationsOf(desc, message).map(({ path, rule, text }) => ({ path, rule, text }));
  expect(found).toEqual(referenceOf(desc, message));
}

describe("a message breaks the same rules as in protovalidate", () => {
  test.each(ruled.map((one) => [one.typeName, one] as const))("%s", (_, desc) => {
    fc.assert(
      fc.property(messageArbitrary(desc, 0), (message) => expectSame(desc, message)),
      { numRuns: 8 },
    );
  });
});

/** Every field with rules. */
const fields = ruled.flatMap((message) => message.fields.filter(fieldRules));

/** Compares the violations of a message that contains only this value. */
function expectSameOf(field: DescField, value: unknown): void {
  const into = reflect(field.parent);
  put(into, field, value);
  expectSame(field.parent, into.message);
}

/** Parts of addresses and URIs, in any order. */
const pieces = [
  ...["http://", "http:", "x-y+z.:", "1a:", "//", "/", "?", "#", "@", "[", "]", ":", "::", "."],
  ...["%41", "%c3%a9", "%ff", "%4", "%25eth0", "v1.a", "1:2:3", "1.2.3.4", ":443", ":65536", "-"],
  ...["a", "Z", "9", "_", "~", "!$&'()*+,;=", "é", "<", "|", " ", "\n", "a".repeat(63)],
  ...["01234567-89ab-cdef-ABCD-0123456789", "AB"],
];

const joined = (start: string) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => start + some.join(""));

test.each(["email", "uri", "uuid"] as const)(
  "the message %s of protovalidate has our words",
  (format) => {
    const one = fields.find((field) => {
      const type = fieldRules(field)?.type;
      return type?.case === "string" && type.value.wellKnown.case === format;
    });
    if (!one) throw new Error(`no field is a ${format}`);
    const random = [fc.emailAddress(), fc.webUrl(), fc.uuid()];
    const texts = fc.oneof(...["", "a@", "http://", "http://["].map(joined), ...random);
    fc.assert(
      fc.property(texts, (text) => expectSameOf(one, text)),
      { numRuns: 1000 },
    );
  },
);

const durationRules = (field: DescField): DurationRules[] => {
  const type = fieldRules(field)?.type;
  return type?.case === "duration" ? [type.value] : [];
};

test("a duration is compared with its bounds to the nanosecond", () => {
  const all = fields.flatMap((field) => durationRules(field).map((rules) => ({ field, rules })));
  expect(all.length).toBeGreaterThan(0);
  for (const { field, rules } of all) {
    for (const bound of [rules.greaterThan.value, rules.lessThan.value]) {
      const { seconds = 0n } = bound ?? {};
      for (const nanos of [-1, 0, 1]) {
        const isBelow = nanos < 0 && seconds > 0n;
        expectSameOf(field, {
          $typeName: "google.protobuf.Duration",
          seconds: isBelow ? seconds - 1n : seconds,
          nanos: isBelow ? 999_999_999 : nanos,
        });
      }
    }
  }
});

/** The rules that schema/validation checks, by type. */
const checked: Record<string, string[]> = {
  string: ["min_len", "max_len", "max_bytes", "pattern", "in", "email", "uri", "uuid"],
  bytes: ["min_len", "max_len"],
  int32: ["gt", "gte", "lt", "lte"],
  int64: ["gt", "gte", "lt", "lte"],
  enum: ["defined_only", "in", "not_in"],
  repeated: ["min_items", "max_items", "unique", "items"],
  map: ["min_pairs", "max_pairs", "keys", "values"],
  duration: ["gt", "gte", "lt", "lte"],
};

/** The rules that are not checked: `string.prefix`. */
function unchecked(rules: FieldRules): string[] {
  const members = reflect(FieldRulesSchema, rules);
  const found: string[] = [];
  for (const field of FieldRulesSchema.fields.filter((one) => members.isSet(one))) {
    if (field.name === "required" || field.name === "ignore") continue;
    if (field.fieldKind !== "message") return [...found, field.name];
    const inner = members.get(field);
    const names = field.message.fields.filter((one) => inner.isSet(one)).map(({ name }) => name);
    const foreign = names.filter((name) => !checked[field.name]?.includes(name));
    found.push(...foreign.map((name) => `${field.name}.${name}`));
  }
  const { type } = rules;
  const { items, keys, values } = (type.value ?? {}) as Record<string, FieldRules | undefined>;
  return [...found, ...[items, keys, values].flatMap((one) => (one ? unchecked(one) : []))];
}

test("every rule of the protos is checked", () => {
  expect(fields.length).toBeGreaterThan(100);
  const found = fields.map((field) => [
    String(field),
    ...unchecked(fieldRules(field) as FieldRules),
  ]);
  expect(found.filter(({ length }) => length > 1)).toEqual([]);
});

test("no proto has a rule in an unchecked form: of optional items, of unique messages, of a whole message", () => {
  const inner = fields.flatMap((field) => {
    const { items, keys, values } = (fieldRules(field)?.type.value ?? {}) as Record<
      string,
      FieldRules | undefined
    >;
    return [items, keys, values].filter((one) => one?.required || one?.ignore);
  });
  expect(inner).toEqual([]);
  const unique = fields.filter((field) => {
    const type = fieldRules(field)?.type;
    const isCompared = !field.message && field.scalar !== ScalarType.BYTES;
    return type?.case === "repeated" && type.value.unique && !isCompared;
  });
  expect(unique.map(String)).toEqual([]);
  const all = files.flatMap((file) => messagesIn(file.messages));
  expect(all.filter((one) => hasOption(one, messageRules)).map(String)).toEqual([]);
});

test("RE2 and JavaScript read every pattern of the protos in the same way: no class of letters beyond ASCII, dot or flag", () => {
  const patterns = fields.flatMap((field) => {
    const type = fieldRules(field)?.type;
    const own = type?.case === "repeated" ? type.value.items?.type : type;
    return own?.case === "string" && own.value.pattern ? [own.value.pattern] : [];
  });
  expect(patterns.length).toBeGreaterThan(20);
  const unlike = patterns.filter((pattern) => {
    const rest = pattern.replaceAll("[\\S ]", "").replace(/\\[^a-zA-Z]/g, "");
    const outside = rest.replace(/\[[^\]]*\]/g, "");
    return /\\|\[\[:/.test(rest) || /\.|\(\?/.test(outside);
  });
  expect(unlike).toEqual([]);
});

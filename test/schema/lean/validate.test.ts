import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type Message,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { files } from "../../../schema/descriptors.ts";
import { fieldParts, isRequiredOneof } from "../../../schema/lean/descriptor.ts";
import { type FieldRules, known } from "../../../schema/lean/rules.ts";
import { violationsOf } from "../../../schema/lean/validate.ts";
import { lean, messagesIn } from "./modules.ts";
import { messageFor, put } from "./random_messages.ts";

const reference = createValidator();

/** What protovalidate finds, in our words. */
function referenceOf(desc: DescMessage, message: Message) {
  const result = reference.validate(desc, message);
  if (result.kind === "error") throw result.error;
  return (result.violations ?? []).map(({ field, ruleId, message: text }) => ({
    path: pathOf(field),
    rule: ruleId,
    text: text.replace(/^value is required$/, "is required"),
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

const ruled = files
  .flatMap((file) => messagesIn(file.messages))
  .map((whole) => ({ name: whole.typeName, whole, ours: lean.getMessage(whole.typeName) }))
  .filter(
    ({ ours }) =>
      ours?.fields.some((field) => fieldParts(field).rules) || ours?.oneofs.some(isRequiredOneof),
  );

function expectSame(ours: DescMessage, whole: DescMessage, message: Message): void {
  const found = violationsOf(ours, message).map(({ path, rule, text }) => ({ path, rule, text }));
  expect(found).toEqual(referenceOf(whole, message));
}

describe("a message breaks the rules that protovalidate says it breaks", () => {
  test.each(ruled)("$name", ({ whole, ours }) => {
    if (!ours) throw new Error("not in schema/gen");
    fc.assert(
      fc.property(messageFor(ours, 0), (message) => expectSame(ours, whole, message)),
      { numRuns: 8 },
    );
  });
});

/** Fields whose rules are of a kind, each with the message that has it in the whole proto. */
const fieldsWith = (isMeant: (rules: FieldRules) => unknown) =>
  ruled.flatMap(({ whole, ours }) =>
    (ours?.fields ?? [])
      .filter((field) => isMeant(fieldParts(field).rules ?? {}))
      .map((field) => ({ whole, field })),
  );

/** Compares what is found in a message that holds nothing but this value. */
function expectSameOf(field: DescField, whole: DescMessage, value: unknown): void {
  const into = reflect(field.parent);
  put(into, field, value);
  expectSame(field.parent, whole, into.message);
}

/** What addresses and URIs are made of, in any order. */
const pieces = [
  ...["http://", "http:", "x-y+z.:", "1a:", "//", "/", "?", "#", "@", "[", "]", ":", "::", "."],
  ...["%41", "%c3%a9", "%ff", "%4", "%25eth0", "v1.a", "1:2:3", "1.2.3.4", ":443", ":65536", "-"],
  ...["a", "Z", "9", "_", "~", "!$&'()*+,;=", "é", "<", "|", " ", "\n", "a".repeat(63)],
  ...["01234567-89ab-cdef-ABCD-0123456789", "AB"],
];

const joined = (start: string) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => start + some.join(""));

test.each(["email", "uri", "uuid"] as const)("protovalidate's %s is ours", (format) => {
  const [one] = fieldsWith(({ string }) => string?.[format]);
  if (!one) throw new Error(`no field is a ${format}`);
  const random = [fc.emailAddress(), fc.webUrl(), fc.uuid()];
  const texts = fc.oneof(...["", "a@", "http://", "http://["].map(joined), ...random);
  fc.assert(
    fc.property(texts, (text) => expectSameOf(one.field, one.whole, text)),
    { numRuns: 1000 },
  );
});

test("a duration keeps to its bounds to the nanosecond", () => {
  const all = fieldsWith(({ duration }) => duration);
  expect(all.length).toBeGreaterThan(0);
  for (const { field, whole } of all) {
    for (const bound of Object.values(fieldParts(field).rules?.duration ?? {})) {
      const seconds = BigInt(bound.replace("s", ""));
      for (const nanos of [-1, 0, 1]) {
        const isBelow = nanos < 0 && seconds > 0n;
        expectSameOf(field, whole, {
          $typeName: "google.protobuf.Duration",
          seconds: isBelow ? seconds - 1n : seconds,
          nanos: isBelow ? 999_999_999 : nanos,
        });
      }
    }
  }
});

test("every field that has rules in its proto has them in schema/gen", () => {
  const whole = files
    .flatMap((file) => messagesIn(file.messages))
    .flatMap((message) => message.fields.filter((field) => hasOption(field, fieldRules)));
  const bare = whole.filter((field) => {
    const ours = lean.getMessage(field.parent.typeName)?.field[field.localName];
    return !ours || !fieldParts(ours).rules;
  });
  expect(bare.map(String)).toEqual([]);
  const kinds = new Set(whole.map((field) => getOption(field, fieldRules).type.case));
  expect([...kinds].filter((kind) => kind && !known[kind])).toEqual([]);
});

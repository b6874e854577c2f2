import type { DescMessage } from "@bufbuild/protobuf";
import type { FieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "vitest";
import { files } from "../../../schema/descriptors.ts";
import { fieldRules } from "../../../schema/options.ts";
import { patternWords } from "../../../schema/validation/patterns.ts";

/** The messages of a file, and the messages inside them. */
const messagesIn = (messages: readonly DescMessage[]): DescMessage[] =>
  messages.flatMap((one) => [one, ...messagesIn(one.nestedMessages)]);

/** The patterns of a field: its own, and those of its items, keys and values. */
function patternsOf(rules: FieldRules | undefined): string[] {
  const type = rules?.type;
  if (type?.case === "string") return type.value.pattern === "" ? [] : [type.value.pattern];
  if (type?.case === "repeated") return patternsOf(type.value.items);
  if (type?.case !== "map") return [];
  return [...patternsOf(type.value.keys), ...patternsOf(type.value.values)];
}

test("an error explains every pattern of the protos in words", () => {
  const fields = files
    .flatMap((file) => messagesIn(file.messages))
    .flatMap((message) => message.fields);
  const patterns = [...new Set(fields.flatMap((field) => patternsOf(fieldRules(field))))];
  expect(patterns.length).toBeGreaterThan(10);
  expect(patterns.filter((pattern) => patternWords(pattern) === undefined)).toEqual([]);
});

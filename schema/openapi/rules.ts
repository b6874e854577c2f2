/**
 * Converts the rules of fields (protovalidate) to JSON Schema. Rules that it cannot express, such as the
 * limit of a text in bytes, are in the comments.
 */
import { type DescField, getOption, hasOption } from "@bufbuild/protobuf";
import {
  type FieldRules,
  field as fieldRules,
  Ignore,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import type { Schema } from "./form.ts";

type Rules = Pick<FieldRules, "type">;

const ofField = (field: DescField): FieldRules | undefined =>
  hasOption(field, fieldRules) ? getOption(field, fieldRules) : undefined;

/** Returns the rules of a scalar or enum, or of a list or map as a whole. */
export function rulesOf(field: DescField): Schema {
  const rules = ofField(field);
  if (!rules) return {};
  if (rules.type.case === "repeated") {
    const { minItems, maxItems, unique } = rules.type.value;
    return {
      ...(minItems > 0n ? { minItems: Number(minItems) } : {}),
      ...(maxItems > 0n ? { maxItems: Number(maxItems) } : {}),
      ...(unique ? { uniqueItems: true } : {}),
    };
  }
  if (rules.type.case === "map") {
    const { minPairs, maxPairs } = rules.type.value;
    return {
      ...(minPairs > 0n ? { minProperties: Number(minPairs) } : {}),
      ...(maxPairs > 0n ? { maxProperties: Number(maxPairs) } : {}),
    };
  }
  return valueRules(rules, rules.ignore === Ignore.IF_ZERO_VALUE);
}

/** Returns the rules of each item in a list, or of each value in a map. */
export function itemRulesOf(field: DescField): Schema {
  const type = ofField(field)?.type;
  if (type?.case === "repeated") return type.value.items ? valueRules(type.value.items) : {};
  if (type?.case === "map") return type.value.values ? valueRules(type.value.values) : {};
  return {};
}

/** Returns the rules of each key in a map. */
export function keyRulesOf(field: DescField): Schema {
  const type = ofField(field)?.type;
  return type?.case === "map" && type.value.keys ? valueRules(type.value.keys) : {};
}

function valueRules({ type }: Rules, mayBeEmpty = false): Schema {
  switch (type.case) {
    case "string":
      return textRules(type.value, mayBeEmpty);
    case "bytes": {
      const { maxLen } = type.value;
      // Base64 has four characters for each three bytes, rounded up.
      return maxLen > 0n ? { maxLength: Math.ceil(Number(maxLen) / 3) * 4 } : {};
    }
    case "int32":
    case "uint32":
      return numberRules(type.value);
    default:
      return {};
  }
}

type TextRules = Extract<Rules["type"], { case: "string" }>["value"];

function textRules(rules: TextRules, mayBeEmpty: boolean): Schema {
  const { pattern, minLen, maxLen, maxBytes, in: among, wellKnown } = rules;
  // A text has at most as many characters as bytes.
  const longest = [maxLen, maxBytes].filter((length) => length > 0n).map(Number);
  const format =
    wellKnown.case === "email" || wellKnown.case === "uri" ? wellKnown.case : undefined;
  return {
    ...(pattern === "" ? {} : { pattern: mayBeEmpty ? `^$|${pattern}` : pattern }),
    ...(minLen > 0n && !mayBeEmpty ? { minLength: Number(minLen) } : {}),
    ...(longest.length > 0 ? { maxLength: Math.min(...longest) } : {}),
    ...(among.length > 0 ? { enum: among } : {}),
    ...(format && !mayBeEmpty ? { format } : {}),
  };
}

type NumberRules = Extract<Rules["type"], { case: "int32" | "uint32" }>["value"];

function numberRules({ greaterThan, lessThan }: NumberRules): Schema {
  const rule: Schema = {};
  if (greaterThan.case === "gte") rule.minimum = greaterThan.value;
  if (greaterThan.case === "gt") rule.exclusiveMinimum = greaterThan.value;
  if (lessThan.case === "lte") rule.maximum = lessThan.value;
  if (lessThan.case === "lt") rule.exclusiveMaximum = lessThan.value;
  return rule;
}

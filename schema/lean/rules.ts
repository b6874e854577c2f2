/** The rules of buf.validate that schema/proto uses, as the JSON of buf.validate.FieldRules has them. */

/** What a value must be. At most one of the members named after a type is set. */
export interface FieldRules {
  required?: boolean;
  /** The rules do not count for the zero value. */
  ignore?: "IGNORE_IF_ZERO_VALUE";
  string?: StringRules;
  bytes?: { minLen?: number; maxLen?: number };
  int32?: NumberRules;
  int64?: NumberRules;
  enum?: { definedOnly?: boolean; in?: number[]; notIn?: number[] };
  repeated?: { minItems?: number; maxItems?: number; unique?: boolean; items?: FieldRules };
  map?: { minPairs?: number; maxPairs?: number; keys?: FieldRules; values?: FieldRules };
  /** `3600s`. */
  duration?: { gt?: string; gte?: string; lte?: string };
}

/** Lengths are of characters, `maxBytes` of UTF-8. */
export interface StringRules {
  minLen?: number;
  maxLen?: number;
  maxBytes?: number;
  /** RE2 syntax. */
  pattern?: string;
  in?: string[];
  email?: boolean;
  uri?: boolean;
  uuid?: boolean;
}

export interface NumberRules {
  gt?: number;
  gte?: number;
  lte?: number;
}

/** Members of {@link FieldRules} by type; a rule that is not here is refused when code is generated. */
export const known: Record<string, string[]> = {
  string: ["minLen", "maxLen", "maxBytes", "pattern", "in", "email", "uri", "uuid"],
  bytes: ["minLen", "maxLen"],
  int32: ["gt", "gte", "lte"],
  int64: ["gt", "gte", "lte"],
  enum: ["definedOnly", "in", "notIn"],
  repeated: ["minItems", "maxItems", "unique", "items"],
  map: ["minPairs", "maxPairs", "keys", "values"],
  duration: ["gt", "gte", "lte"],
};

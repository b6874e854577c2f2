/** Reads JSON from other sources field by field. It collects all mistakes and does not throw at the first. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { FieldViolation } from "../aip/errors.ts";
import { truncate } from "../aip/well_formed.ts";

/** RFC 3339 in UTC, as in OSV. */
const utcPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** RFC 3339 with any offset. */
const offsetPattern =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?([+-])([01]\d|2[0-3]):([0-5]\d)$/;

const maxTextLength = 255;

/** More would only make the response too large, and reading the rest too expensive. */
const maxViolations = 1000;

/** The most characters that are copied. Notes on several products are stored with each of them. */
const maxRepeatedCharacters = 8_000_000;

/** The characters that all readers of a call have copied so far. */
export interface RepeatedText {
  characters: number;
}

/** Ends a reading that has found too many mistakes. */
class TooManyViolations extends Error {}

/** Reads values of a JSON document. An absent value and null are the same. */
export class JsonReader {
  /** All mistakes so far. */
  readonly violations: FieldViolation[] = [];
  readonly #said = new Set<string>();
  readonly #repeated: RepeatedText;

  constructor(repeated: RepeatedText = { characters: 0 }) {
    this.#repeated = repeated;
  }

  /** Reads with this reader. Undefined if the reading ends early, because there are too many mistakes. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (error instanceof TooManyViolations) return undefined;
      throw error;
    }
  }

  /** Records that a field is wrong. `why` continues a sentence that begins with the name of the field. */
  refuse(field: string, why: string): void {
    const description = `${field} ${why}`;
    if (this.#said.has(description)) return;
    this.#said.add(description);
    this.violations.push({ field, description });
    if (this.violations.length >= maxViolations) throw new TooManyViolations();
  }

  /** Counts characters that are written more often than they were read. Returns false above the limit. */
  mayRepeat(characters: number): boolean {
    this.#repeated.characters += characters;
    return this.#repeated.characters <= maxRepeatedCharacters;
  }

  /** A text, which is cut with `…` if it is longer. "" if it is absent. */
  cutText(field: string, value: JsonValue | undefined, limit: number): string {
    const text = this.optionalText(field, value, Number.POSITIVE_INFINITY);
    return text.length <= limit ? text : `${truncate(text, limit - 1)}…`;
  }

  /** A required text that is not empty. */
  text(field: string, value: JsonValue | undefined, limit = maxTextLength): string {
    if (value === undefined || value === null || value === "") {
      this.refuse(field, "is required");
      return "";
    }
    return this.optionalText(field, value, limit);
  }

  /** A text. "" if it is absent. */
  optionalText(field: string, value: JsonValue | undefined, limit = maxTextLength): string {
    if (value === undefined || value === null) return "";
    if (typeof value !== "string") {
      this.refuse(field, "must be a string");
      return "";
    }
    if (value.length > limit) this.refuse(field, `must have at most ${limit} characters`);
    return value;
  }

  /** A required time, in milliseconds since 1970 in UTC. Finer digits are dropped. */
  time(field: string, value: JsonValue | undefined): number {
    const read = this.optionalTime(field, value);
    if (read === undefined && (value === undefined || value === null))
      this.refuse(field, "is required");
    return read ?? 0;
  }

  /** A time. Undefined if it is absent. */
  optionalTime(field: string, value: JsonValue | undefined): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string" && utcPattern.test(value)) {
      const read = Date.parse(value.replace(/(\.\d{3})\d+Z$/, "$1Z"));
      // 30 February is parsed as a day in March.
      const same =
        !Number.isNaN(read) && new Date(read).toISOString().slice(0, 19) === value.slice(0, 19);
      if (same) return read;
    }
    this.refuse(field, "must be a time in RFC 3339 and UTC, such as 2021-02-26T03:15:00Z");
    return undefined;
  }

  /** A time with any offset, in milliseconds since 1970 in UTC. Undefined if it is absent. */
  timeWithOffset(field: string, value: JsonValue | undefined): number | undefined {
    const [, local, fraction = "", sign, hours, minutes] =
      (typeof value === "string" ? offsetPattern.exec(value) : undefined) ?? [];
    const read = this.optionalTime(field, local === undefined ? value : `${local}${fraction}Z`);
    if (read === undefined || local === undefined) return read;
    const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return sign === "+" ? read - ahead : read + ahead;
  }

  /** One of several words. Undefined if it is absent. */
  choice<W extends string>(
    field: string,
    value: JsonValue | undefined,
    words: readonly W[],
  ): W | undefined {
    if (value === undefined || value === null) return undefined;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) this.refuse(field, `must be one of ${words.join(", ")}`);
    return word;
  }

  /** An object. Empty if it is absent. */
  object(field: string, value: JsonValue | undefined): JsonObject {
    if (value === undefined || value === null) return {};
    if (typeof value === "object" && !Array.isArray(value)) return value;
    this.refuse(field, "must be an object");
    return {};
  }

  /** A list of objects. Empty if it is absent. */
  objects(field: string, value: JsonValue | undefined): JsonObject[] {
    return this.#list(field, value).map((item, i) => {
      if (item === null) this.refuse(`${field}[${i}]`, "must be an object");
      return this.object(`${field}[${i}]`, item);
    });
  }

  /** A list of texts. Empty if it is absent. */
  texts(field: string, value: JsonValue | undefined, limit = maxTextLength): string[] {
    return this.#list(field, value).map((item, i) => this.text(`${field}[${i}]`, item, limit));
  }

  #list(field: string, value: JsonValue | undefined): JsonValue[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.refuse(field, "must be a list");
    return [];
  }
}

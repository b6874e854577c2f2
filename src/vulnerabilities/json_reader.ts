/** JSON that others wrote, read field by field; what is wrong with it is gathered, not thrown. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArguments } from "../aip/errors.ts";

/** RFC 3339 in UTC, as OSV has its times. */
const utcPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** RFC 3339 with whatever offset. */
const offsetPattern =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?([+-])([01]\d|2[0-3]):([0-5]\d)$/;

const maxTextLength = 255;

/** More would only make the answer too large, and reading on too costly. */
const maxViolations = 1000;

/** Characters: notes on many products at once are stored with each of them. */
const maxRepeatedCharacters = 8_000_000;

/** Reads values of a JSON document. An absent value and null are the same. */
export class JsonReader {
  /** Everything that was wrong so far. */
  readonly violations: FieldViolation[] = [];
  #repeated = 0;

  /**
   * Notes that a field is wrong. `why` goes on from the field's name. Throws INVALID_ARGUMENT with all
   * violations once there are more than anybody reads.
   */
  refuse(field: string, why: string): void {
    this.violations.push({ field, description: `${field} ${why}` });
    if (this.violations.length >= maxViolations) throw invalidArguments(this.violations);
  }

  /** Counts characters that are written once more than they were read; false beyond what is taken. */
  mayRepeat(characters: number): boolean {
    this.#repeated += characters;
    return this.#repeated <= maxRepeatedCharacters;
  }

  /** A text that must be there and not be empty. */
  text(field: string, value: JsonValue | undefined, limit = maxTextLength): string {
    if (value === undefined || value === null || value === "") {
      this.refuse(field, "is required");
      return "";
    }
    return this.optionalText(field, value, limit);
  }

  /** A text, or "" where there is none. */
  optionalText(field: string, value: JsonValue | undefined, limit = maxTextLength): string {
    if (value === undefined || value === null) return "";
    if (typeof value !== "string") {
      this.refuse(field, "must be a text");
      return "";
    }
    if (value.length > limit) this.refuse(field, `must be at most ${limit} characters long`);
    return value;
  }

  /** A moment that must be there, in milliseconds since 1970 UTC; finer digits are cut off. */
  time(field: string, value: JsonValue | undefined): number {
    const read = this.optionalTime(field, value);
    if (read === undefined && (value === undefined || value === null))
      this.refuse(field, "is required");
    return read ?? 0;
  }

  /** A moment, or undefined where there is none. */
  optionalTime(field: string, value: JsonValue | undefined): number | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string" && utcPattern.test(value)) {
      const read = Date.parse(value.replace(/(\.\d{3})\d+Z$/, "$1Z"));
      // 30 February parses, as a day in March.
      const same =
        !Number.isNaN(read) && new Date(read).toISOString().slice(0, 19) === value.slice(0, 19);
      if (same) return read;
    }
    this.refuse(field, "must be an RFC 3339 time in UTC, such as 2021-02-26T03:15:00Z");
    return undefined;
  }

  /** A moment in whatever offset, in milliseconds since 1970 UTC, or undefined where there is none. */
  timeWithOffset(field: string, value: JsonValue | undefined): number | undefined {
    const [, local, fraction = "", sign, hours, minutes] =
      (typeof value === "string" ? offsetPattern.exec(value) : undefined) ?? [];
    const read = this.optionalTime(field, local === undefined ? value : `${local}${fraction}Z`);
    if (read === undefined || local === undefined) return read;
    const ahead = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return sign === "+" ? read - ahead : read + ahead;
  }

  /** One of some words, or undefined where there is none. */
  choice<W extends string>(
    field: string,
    value: JsonValue | undefined,
    words: readonly W[],
  ): W | undefined {
    if (value === undefined || value === null) return undefined;
    const word = words.find((one) => one === value);
    if (word === undefined) this.refuse(field, `must be one of ${words.join(", ")}`);
    return word;
  }

  /** An object, or an empty one where there is none. */
  object(field: string, value: JsonValue | undefined): JsonObject {
    if (value === undefined || value === null) return {};
    if (typeof value === "object" && !Array.isArray(value)) return value;
    this.refuse(field, "must be an object");
    return {};
  }

  /** A list of objects, or an empty one where there is none. */
  objects(field: string, value: JsonValue | undefined): JsonObject[] {
    return this.#list(field, value).map((one, i) => {
      if (one === null) this.refuse(`${field}[${i}]`, "must be an object");
      return this.object(`${field}[${i}]`, one);
    });
  }

  /** A list of texts, or an empty one where there is none. */
  texts(field: string, value: JsonValue | undefined, limit = maxTextLength): string[] {
    return this.#list(field, value).map((one, i) => this.text(`${field}[${i}]`, one, limit));
  }

  #list(field: string, value: JsonValue | undefined): JsonValue[] {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value;
    this.refuse(field, "must be a list");
    return [];
  }
}

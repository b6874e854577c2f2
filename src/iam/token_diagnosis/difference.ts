/** Shows how a value in a token differs from the one that an identity accepts. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  DifferenceKind,
  type DifferenceSegmentSchema,
  NearMiss,
} from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { matcher } from "../../aip/name_pattern.ts";
import { matchedLength, mayMatch } from "../../auth/patterns/match.ts";

type Segment = Required<
  Omit<MessageInitShape<typeof DifferenceSegmentSchema>, "$unknown" | "$typeName">
>;

const { EQUAL, INSERTED, DELETED } = DifferenceKind;

/** The most parts of a value that are compared one by one. Longer values are compared as a whole. */
const maxParts = 200;

/** The most characters of a text in a response. */
export const maxShownLength = 512;

/** The most characters of an equal text between differences. */
const maxEqualLength = 120;

/** A text as a response shows it. */
export const shown = (text: string, most = maxShownLength): string => {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed();
};

/** The difference from an exact value to the value in the token, by words and the signs between them. */
export function differenceOf(expected: string, actual: string): Segment[] {
  const [left, right] = [partsOf(expected), partsOf(actual)];
  let start = 0;
  while (start < Math.min(left.length, right.length) && left[start] === right[start]) start += 1;
  let end = 0;
  const most = Math.min(left.length, right.length) - start;
  while (end < most && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const middle = compareParts(
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
  );
  return merged([
    { kind: EQUAL, text: left.slice(0, start).join("") },
    ...middle,
    { kind: EQUAL, text: left.slice(left.length - end).join("") },
  ]);
}

/** The part of the value that the pattern can match, and the rest. */
export function differenceFromPattern(pattern: string, actual: string): Segment[] {
  const length = matchedLength(pattern, actual);
  return merged([
    { kind: EQUAL, text: actual.slice(0, length) },
    { kind: INSERTED, text: actual.slice(length) },
  ]);
}

const partsOf = (text: string) => text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu) ?? [];

/** The longest common sequence of parts, by the usual table (Wagner and Fischer 1974). */
function compareParts(left: string[], right: string[]): Segment[] {
  const replaced = [
    { kind: DELETED, text: left.join("") },
    { kind: INSERTED, text: right.join("") },
  ];
  if (left.length > maxParts || right.length > maxParts) return replaced;
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? 1 + lengthAt(row + 1, column + 1)
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const segments: Segment[] = [];
  let [row, column] = [0, 0];
  while (row < left.length || column < right.length) {
    const [leftPart = "", other = ""] = [left[row], right[column]];
    if (row < left.length && column < right.length && leftPart === other) {
      segments.push({ kind: EQUAL, text: leftPart });
      row += 1;
      column += 1;
    } else if (row < left.length && lengthAt(row + 1, column) >= lengthAt(row, column + 1)) {
      segments.push({ kind: DELETED, text: leftPart });
      row += 1;
    } else {
      segments.push({ kind: INSERTED, text: other });
      column += 1;
    }
  }
  return segments;
}

/** Joins segments of the same kind, leaves out empty texts and cuts long ones. */
function merged(segments: Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (segment.text === "") continue;
    if (last?.kind === segment.kind) last.text += segment.text;
    else joined.push({ ...segment });
  }
  return joined.map(({ kind, text }) => ({
    kind,
    text: shown(text, kind === EQUAL ? maxEqualLength : maxShownLength),
  }));
}

/** A regular expression would look at each slash again and again. */
function withoutSlash(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}
const withoutScheme = (text: string) => text.replace(/^https?:\/\//, "");
const withoutSpace = (text: string) => text.replace(/\s+/g, "");

/** The small difference that explains why two exact values are not equal. */
export function nearMissOf(expected: string, actual: string): NearMiss {
  if (expected === actual) return NearMiss.UNSPECIFIED;
  if (expected.toLowerCase() === actual.toLowerCase()) return NearMiss.CASE;
  if (withoutSlash(expected) === withoutSlash(actual)) return NearMiss.TRAILING_SLASH;
  if (withoutScheme(expected) === withoutScheme(actual)) return NearMiss.SCHEME;
  return withoutSpace(expected) === withoutSpace(actual)
    ? NearMiss.WHITESPACE
    : NearMiss.UNSPECIFIED;
}

/** The small difference that explains why a pattern does not match. */
export function nearMissOfPattern(pattern: string, actual: string): NearMiss {
  if (mayMatch(`(?i)${pattern}`, actual)) return NearMiss.CASE;
  const other = actual.endsWith("/") ? withoutSlash(actual) : `${actual}/`;
  if (mayMatch(pattern, other)) return NearMiss.TRAILING_SLASH;
  if (pattern.includes("*") && matcher(pattern)(actual)) return NearMiss.GLOB;
  if (mayMatch(`(?s).*(?:${pattern}).*`, actual)) return NearMiss.PARTIAL_MATCH;
  return mayMatch(pattern, withoutSpace(actual)) ? NearMiss.WHITESPACE : NearMiss.UNSPECIFIED;
}

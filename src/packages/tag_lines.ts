/**
 * Reads the names of tags: the version, and the line of tags that differ from each other only in the version.
 * `3.9-slim` and `3.13-slim` are in one line, and `3.13-alpine` is in another.
 */
import { sortableNumber } from "./sortable_number.ts";

/** Where a tag stands among the tags of its repository. */
export interface TagLine {
  /**
   * The number of numbers in the version, `r` for a release or `p` for a prerelease, and everything in the name
   * but the version. Empty if the name has no version.
   */
  line: string;
  /** Sorts like the version within the line, and across the lines of a repository with the same rest. */
  lineKey: string;
}

/** A name in one piece. A word in front, such as `openjdk-` or `alpine`, needs a version with a dot. */
const form =
  /^(?<prefix>[vV]|[A-Za-z]+[-_]?(?=\d+\.\d))?(?<numbers>\d+(?:\.\d+){0,3})(?<rest>.*)$/s;

/** A mark of a prerelease after the numbers, with its own numbers. `-dev` alone is a variant. */
const prereleaseForm = new RegExp(
  [
    "^(?:",
    "[-._]?(?<word>alpha|beta|preview|pre|rc|cr|snapshot|nightly|canary|milestone)(?:[-.]?(?<number>\\d+(?:\\.\\d+)*))?",
    "|(?<letter>[abc])(?<letterNumber>\\d+)",
    "|[-._]?(?<numbered>dev|ea|m)[-.]?(?<requiredNumber>\\d+)",
    ")(?=$|[-_.])",
  ].join(""),
  "i",
);

const prereleaseRanks: Record<string, string> = {
  snapshot: "0",
  nightly: "0",
  canary: "0",
  dev: "0",
  alpha: "1",
  a: "1",
  beta: "2",
  b: "2",
  preview: "3",
  pre: "3",
  milestone: "3",
  m: "3",
  ea: "3",
  rc: "4",
  cr: "4",
  c: "4",
};

/**
 * Numbers after the version that count as part of it: a release of Alpine, a revision of a package at the end, and
 * a date. Other numbers, such as in `-jdk17`, belong to the line.
 */
const counted = /(?<=alpine)\d+(?:\.\d+)*|(?<=-)20\d{6}(?=-|$)|(?<=-r)\d+$/g;

/** A first number of so many digits is a year, a date or the number of a build. */
const longNumber = 4;

const end = "1";
const numbersKey = (numbers: string) => `${numbers.split(".").map(sortableNumber).join("")}${end}`;

/** Reads the name of a tag. Names such as `latest`, `focal` and `sha256-…` have no version and no line. */
export function tagLineOf(name: string): TagLine {
  const { prefix = "", numbers = "", rest = "" } = form.exec(name)?.groups ?? {};
  const prerelease = prereleaseForm.exec(rest);
  const variant = rest.slice(prerelease?.[0].length ?? 0);
  if (numbers === "" || /^[^-_]/.test(variant)) return { line: "", lineKey: "" };
  const parts = numbers.split(".");
  const kind = `${parts.length}${prerelease ? "p" : "r"}`;
  const isLong = (parts[0] ?? "").length >= longNumber;
  const own = [...variant.matchAll(counted)].map(([number]) => numbersKey(number));
  return {
    line: `${kind}${prefix}${isLong ? "#" : ""}|${variant.replace(counted, "#")}`,
    lineKey: [...parts.map(sortableNumber), prereleaseKey(prerelease?.groups), ...own].join(""),
  };
}

/** A prerelease comes before its release, and a version before one with more numbers. */
function prereleaseKey(groups: Record<string, string | undefined> | undefined): string {
  if (!groups) return end;
  const { word, letter, numbered, number, letterNumber, requiredNumber } = groups;
  const rank = prereleaseRanks[(word ?? letter ?? numbered ?? "").toLowerCase()];
  return `0${rank}${numbersKey(number ?? letterNumber ?? requiredNumber ?? "0")}`;
}

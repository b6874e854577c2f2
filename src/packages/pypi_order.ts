/** The order of Python package versions (PEP 440, "Summary of permitted suffixes and ordering"). */
import { sortableNumber } from "./sortable_number.ts";

/** Appendix B of PEP 440. */
const form = new RegExp(
  [
    "^v?(?:(?<epoch>\\d+)!)?(?<release>\\d+(?:\\.\\d+)*)",
    "(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>\\d*))?",
    "(?:-(?<implicitPost>\\d+)|[-_.]?(?<post>post|rev|r)[-_.]?(?<postNumber>\\d*))?",
    "(?:[-_.]?(?<dev>dev)[-_.]?(?<devNumber>\\d*))?",
    "(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$",
  ].join(""),
);

const preRank: Record<string, string> = {
  a: "1",
  alpha: "1",
  b: "2",
  beta: "2",
  c: "3",
  rc: "3",
  pre: "3",
  preview: "3",
};

const numbered = (digits: string | undefined) => sortableNumber(digits || "0");

/**
 * A text that sorts like the version in PEP 440. Equal versions, such as 1.0 and 1.0.0, have the same text. A
 * text that PEP 440 does not accept as a version sorts before all versions.
 */
export function pypiSortKey(version: string): string {
  const text = version.trim().toLowerCase();
  const parts = form.exec(text)?.groups;
  if (!parts) return `0${unordered(text)}`;
  const { pre, dev, local } = parts;
  const hasPost = parts.post !== undefined || parts.implicitPost !== undefined;
  const release = (parts.release ?? "").replace(/(?:\.0+)+$/, "").split(".");
  return [
    "1",
    numbered(parts.epoch),
    ...release.map(sortableNumber),
    // The end of the release sorts before a further number, so that 1.2 comes before 1.2.1.
    ".",
    preOf(pre, parts.preNumber, { devOnly: dev !== undefined && !hasPost }),
    hasPost ? `1${numbered(parts.implicitPost ?? parts.postNumber)}` : "0",
    dev === undefined ? "1" : `0${numbered(parts.devNumber)}`,
    local === undefined ? "0" : `1${localOf(local)}`,
  ].join("");
}

/** 1.0.dev1 comes before 1.0a1, which comes before 1.0. */
function preOf(pre: string | undefined, number: string | undefined, { devOnly = false }): string {
  if (pre === undefined) return devOnly ? "0" : "4";
  return `${preRank[pre]}${numbered(number)}`;
}

/** The segments of a local version label: texts come before numbers, and the shorter label comes first. */
const localOf = (local: string) =>
  `${local
    .split(/[-_.]/)
    .map((part) => (/^\d+$/.test(part) ? `b${sortableNumber(part)}` : `a${part}.`))
    .join("")}.`;

/** The words and numbers of any text, in sequence. */
const unordered = (text: string) =>
  (text.match(/\d+|\D+/g) ?? [])
    .map((run) => (/^\d/.test(run) ? `b${sortableNumber(run)}` : `a${encodeURIComponent(run)} `))
    .join("");

/** The order of Alpine package versions (apk-tools, `apk-package(5)`, "Package version"). */
import { sortableNumber } from "./sortable_number.ts";

/** Alpine's records have versions with a number after the letter, such as 1.9.5p2, though apk-tools refuses them. */
const form =
  /^(\d+)((?:\.\d+)*)([a-z]?)((?<=[a-z])\d+)?((?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)\d*)*)(?:-r(\d+))?$/;

const before = ["alpha", "beta", "pre", "rc"];
const after = ["cvs", "svn", "git", "hg", "p"];

/** The end of a version comes after the suffixes of prereleases and before everything else. */
const rank = {
  prerelease: "0",
  end: "1",
  revision: "2",
  suffixNumber: "3",
  suffix: "4",
  letter: "5",
  part: "6",
};

/** A text that sorts like the version. Undefined if the text is not a version of a package of Alpine. */
export function apkSortKey(version: string): string | undefined {
  const [all, first = "", parts = "", letter, number, suffixes = "", revision] =
    form.exec(version.trim()) ?? [];
  if (all === undefined) return undefined;
  return [
    sortableNumber(first),
    ...parts.split(".").slice(1).map(partKey),
    letter ? `${rank.letter}${letter}` : "",
    number === undefined ? "" : `${rank.suffixNumber}${sortableNumber(number)}`,
    ...suffixes.split("_").slice(1).map(suffixKey),
    revision === undefined ? "" : `${rank.revision}${sortableNumber(revision)}`,
    rank.end,
  ].join("");
}

/** A part that begins with 0 is compared as text, so 1.05 comes before 1.1 (apk-tools 3). */
const partKey = (digits: string) =>
  digits.startsWith("0") ? `${rank.part}0${digits} ` : `${rank.part}1${sortableNumber(digits)}`;

function suffixKey(suffix: string): string {
  const [, word = "", digits = ""] = /^([a-z]+)(\d*)$/.exec(suffix) ?? [];
  const number = digits === "" ? "" : `${rank.suffixNumber}${sortableNumber(digits)}`;
  if (before.includes(word)) return `${rank.prerelease}${before.indexOf(word)}${number}`;
  return `${rank.suffix}${after.indexOf(word)}${number}`;
}

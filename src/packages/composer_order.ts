/** The order of versions of Composer packages (`Composer\Semver\VersionParser` of composer/semver, and `version_compare` of PHP). */
import { sortableNumber } from "./sortable_number.ts";

const suffix =
  "[._-]?(?:(?<stability>stable|beta|b|rc|alpha|a|patch|pl|p)(?<numbers>(?:[.-]?\\d+(?:[.-]\\d+)*)?))?(?<dev>[.-]?dev)?";

const forms = [
  new RegExp(`^v?(?<release>\\d{1,5}(?:\\.\\d+){0,3})${suffix}$`, "i"),
  // A date.
  new RegExp(`^v?(?<release>\\d{4}(?:[.:-]?\\d{2}){1,6}(?:[.:-]?\\d{1,3}){0,2})${suffix}$`, "i"),
];

/** The end of a version comes after the stabilities of prereleases, then a number, and then a patch. */
const rank = { dev: "0", end: "4", number: "5", patch: "6" };

const stabilityRanks: Record<string, string> = {
  ...{ a: "1", alpha: "1", b: "2", beta: "2", rc: "3", stable: "" },
  ...{ p: rank.patch, pl: rank.patch, patch: rank.patch },
};

/** A text that sorts like the version. Missing numbers are 0. Undefined for the name of a branch, such as `dev-main`. */
export function composerSortKey(version: string): string | undefined {
  const text = version.trim().replace(/^([^,\s+]+)\+\S+$/, "$1");
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (!parts) return undefined;
  const { release = "", stability = "", numbers = "", dev } = parts;
  const own = release.split(/[.:-]/);
  const padded = [...own, ...Array<string>(Math.max(0, 4 - own.length)).fill("0")];
  return [
    ...padded.map(numberKey),
    stabilityRanks[stability.toLowerCase()] ?? "",
    ...(numbers.match(/\d+/g) ?? []).map(numberKey),
    dev === undefined ? "" : rank.dev,
    rank.end,
  ].join("");
}

const numberKey = (digits: string) => `${rank.number}${sortableNumber(digits)}`;

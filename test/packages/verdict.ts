/**
 * The rule that says whether a package is in a range, in a few lines. The SQL and the code that match have to agree with
 * it. Also records and package URLs for tests of that.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import type { AffectedRange } from "../../src/packages/affected_ranges.ts";
import { holds, isOnly } from "../../src/packages/key_intervals.ts";
import { type MatchColumns, matchColumns } from "../../src/packages/match_columns.ts";
import { readPurl } from "../../src/packages/purls.ts";
import { unknownRelease } from "../../src/packages/releases.ts";

/** Whether a package is affected. Undefined if it is another package, or in none of the versions. */
export function verdictOf(
  range: AffectedRange,
  package_: MatchColumns,
): "AFFECTED" | "UNKNOWN" | undefined {
  if (package_.matchKey === "" || range.packageKey !== package_.matchKey) return undefined;
  const isSame = range.release === package_.release && range.release !== unknownRelease;
  const mayBeSame = [range.release, package_.release].includes(unknownRelease);
  if (!isSame && !mayBeSame) return undefined;
  const isIn = isInVersions(range, package_);
  if (isIn === false) return undefined;
  return isIn && isSame ? "AFFECTED" : "UNKNOWN";
}

/** Undefined if that cannot be decided. */
function isInVersions(
  range: AffectedRange,
  { matchOrder, matchSortKey }: MatchColumns,
): boolean | undefined {
  if (range.order === "*") return true;
  if (range.order === "?" || matchSortKey === "") return undefined;
  if (range.order === "") return matchOrder === "" && matchSortKey === range.from;
  // A version that the order does not know is not one that it knows.
  if (matchOrder === "") return isOnly(range) ? false : undefined;
  return matchOrder === range.order ? holds(range, matchSortKey) : undefined;
}

function columnsOf(purl: string) {
  const read = readPurl(purl);
  if (!read) throw new Error(`${purl} is no package URL`);
  return matchColumns(read, "");
}

/** The strongest verdict of all ranges about the package. */
export function verdict(ranges: AffectedRange[], purl: string) {
  const verdicts = ranges.map((range) => verdictOf(range, columnsOf(purl)));
  return verdicts.includes("AFFECTED") ? "AFFECTED" : verdicts.find((one) => one !== undefined);
}

/** An OSV record about one package. */
export const record = (ecosystem: string, name: string, entry: JsonObject): JsonObject => ({
  affected: [{ package: { ecosystem, name }, ...entry }],
});

/** A range of OSV, from events such as `introduced=0 fixed=1.2`. */
export const range = (events: string, type = "ECOSYSTEM") => ({
  type,
  events: events.split(" ").map((event) => {
    const [kind = "", version = ""] = event.split("=");
    return { [kind]: version };
  }),
});

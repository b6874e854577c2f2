/**
 * Makes the rows of `findings` from facts: one row for each package and vulnerability of an image, whichever sources
 * found it, and in whichever order they came.
 */
import { FindingSeverity as Severity } from "../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { type Fact, FOUND_BY, type findings } from "../../schema/tables/registry/findings.ts";
import { sha256 } from "../aip/sha256.ts";

/** A row of `findings` without the columns that the database computes. */
export type FindingRow = typeof findings.$inferInsert;

/** The columns of a finding about its package. */
export type PackageColumns = Pick<
  FindingRow,
  "packageName" | "packageVersion" | "purl" | "packageKey" | "productName"
>;

/** A fact about a package of an image. */
export interface Found {
  fact: Fact;
  package: PackageColumns;
}

/** An image: its row in `examined_images`, its repository and its digest. */
export interface Image {
  uid: string;
  repo: string;
  digest: string;
}

/** The digits at the beginning of the last step of a uid. All rows of a package in an image have the same. */
const prefixDigits = 6;

/**
 * The text that all sources of one package have in common: its package URL and the version in it, or else its name and
 * version. A scanner can name the version with an epoch, which the package URL has in a qualifier.
 */
export function packageIdentity({
  packageKey,
  packageName,
  packageVersion,
  purl,
}: PackageColumns): string {
  if (packageKey === "") return JSON.stringify(["", packageName, packageVersion]);
  const [, version = packageVersion] = /@([^?#]+)/.exec(purl) ?? [];
  return JSON.stringify([packageKey, version]);
}

/** The beginning of the uids of all findings of a package in an image. */
export async function uidPrefix({ repo, digest }: Omit<Image, "uid">, identity: string) {
  return `${repo}/${(await sha256(JSON.stringify([digest, identity]))).slice(0, prefixDigits)}`;
}

const isScanners = ({ fact }: Found) => fact.advisory === "";

/** The rows of an image. `found` has all facts about each package that it names. */
export async function findingRows(image: Image, found: Found[]): Promise<FindingRow[]> {
  const byPackage = Map.groupBy(found, (one) => packageIdentity(one.package));
  const rows: FindingRow[] = [];
  for (const [identity, ofPackage] of byPackage) {
    const prefix = await uidPrefix(image, identity);
    for (const same of joinAliases(ofPackage)) rows.push(await toRow(image.uid, prefix, same));
  }
  return rows;
}

/** The id by which the row of a vulnerability is known: the first CVE id, or else the first GHSA id, or the first one. */
export function compareIds(a: string, b: string): number {
  const rank = (id: string) => (id.startsWith("CVE-") ? 0 : id.startsWith("GHSA-") ? 1 : 2);
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}

const idsOf = ({ fact }: Found) => [fact.id, ...fact.aliases];

/** Divides facts by vulnerability. Facts with a common id, also by way of others, are about the same one. */
function joinAliases(found: Found[]): Found[][] {
  const groupOf = new Map<string, Found[]>();
  for (const one of found) {
    const joined: Found[] = [one];
    for (const id of idsOf(one)) {
      const known = groupOf.get(id.toUpperCase());
      if (known && !joined.includes(known[0] as Found)) joined.push(...known);
    }
    for (const id of joined.flatMap(idsOf)) groupOf.set(id.toUpperCase(), joined);
  }
  return [...new Set(groupOf.values())];
}

/** The fact that a row shows first: that of a scanner, then one that is certain. The rest makes the order total. */
function compareFacts(a: Found, b: Found): number {
  return (
    Number(isScanners(b)) - Number(isScanners(a)) ||
    Number(a.fact.unknown !== "") - Number(b.fact.unknown !== "") ||
    compareIds(a.fact.id, b.fact.id) ||
    (textOf(a) < textOf(b) ? -1 : Number(textOf(a) > textOf(b)))
  );
}

const textOf = ({ fact, package: of }: Found) => JSON.stringify([fact.advisory, fact.package, of]);

async function toRow(imageUid: string, prefix: string, found: Found[]): Promise<FindingRow> {
  const sorted = found.toSorted(compareFacts);
  const [first] = sorted as [Found, ...Found[]];
  // A fact that is not certain counts only if no other is.
  const counting = sorted.filter(({ fact }) => fact.unknown === first.fact.unknown);
  const facts = sorted.map(({ fact }) => fact);
  const ids = new Map(sorted.flatMap(idsOf).map((id) => [id.toUpperCase(), id]));
  const known = [...ids.values()].sort(compareIds);
  const fixed = counting.find(({ fact }) => fact.fixVersions.length > 0) ?? first;
  const ofScanners = counting.filter(isScanners);
  const rated = ofScanners.some(isRated) ? ofScanners : counting;
  const key = await sha256(JSON.stringify([prefix, known[0]]));
  return {
    uid: `${prefix}${key.slice(0, 16 - prefixDigits)}`,
    imageUid,
    vulnerabilityId: first.fact.id,
    aliases: known.filter((id) => id.toUpperCase() !== first.fact.id.toUpperCase()),
    severity: Math.max(...rated.map(({ fact }) => fact.severity)),
    fixState: fixed.fact.fixState,
    fixVersions: [
      ...new Set(
        counting
          .filter((one) => isScanners(one) === isScanners(fixed))
          .flatMap(({ fact }) => fact.fixVersions),
      ),
    ],
    hasFix: fixed.fact.fixVersions.length > 0,
    ...first.package,
    foundBy: foundByOf(counting),
    unknown: first.fact.unknown,
    facts: facts.length === 1 && isScanners(first) ? [] : facts,
  };
}

const isRated = ({ fact }: Found) => fact.severity > Severity.UNKNOWN;

function foundByOf(found: Found[]): number {
  if (!found.some(isScanners)) return FOUND_BY.sbom;
  return found.every(isScanners) ? FOUND_BY.scanner : FOUND_BY.both;
}

/** The facts of a stored row. `ofPackage` is the package of its SBOM, for a row whose columns are those of a report. */
export function factsOf(row: FindingRow, ofPackage?: PackageColumns): Found[] {
  const { packageName, packageVersion, purl, packageKey, productName } = row;
  const own = { packageName, packageVersion, purl, packageKey, productName };
  if (row.facts && row.facts.length > 0) {
    return row.facts.map((fact) => ({
      fact,
      package: fact.advisory === "" ? own : (ofPackage ?? own),
    }));
  }
  const { vulnerabilityId: id, aliases, severity, fixState, fixVersions } = row;
  const fact = {
    advisory: "",
    package: "",
    id,
    aliases,
    severity,
    fixState,
    fixVersions,
    unknown: "",
  };
  return [{ fact, package: own }];
}

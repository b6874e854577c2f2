/** Matches records with the packages of SBOMs. */
import { and, asc, inArray, isNull, sql } from "drizzle-orm";
import { FixState } from "../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import type { Fact } from "../../schema/tables/registry/findings.ts";
import { advisories } from "../../schema/tables/vulnerabilities/advisories.ts";
import { affectedPackages } from "../../schema/tables/vulnerabilities/affected_packages.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/databases.ts";
import type { Range, Verdict } from "./verdicts.ts";

/** A record as it matches packages. */
export interface MatchedRecord {
  /** The uid of its advisory. */
  uid: string;
  /** The id of the vulnerability. */
  id: string;
  aliases: string[];
  ranges: Range[];
}

/** The columns of a record. A CSAF document names a vulnerability, and its advisory has an id of the platform. */
export const recordColumns = {
  uid: sql<string>`${advisories.uid}`.as("record_uid"),
  id: sql<string>`iif(${advisories.source} = 'vex', coalesce(${advisories.aliases} ->> 0, ${advisories.advisoryId}),
    ${advisories.advisoryId})`.as("record_id"),
  aliases: advisories.aliases,
};

/** The most ranges that are read at once. A record has fewer (src/vulnerabilities/osv/affected.ts). */
export const maxRanges = 5_000;

/**
 * The records of advisories that are not deleted, in the order of their uids. Undefined if they have more than
 * {@link maxRanges} ranges together.
 */
export async function readRecords(
  db: Database,
  uids: string[],
): Promise<MatchedRecord[] | undefined> {
  const { advisoryUid, packageKey, release, versionOrder, from, below, fixed, severity } =
    affectedPackages;
  const list = valuesSubselect(uids);
  const [rows, ranges] = await db.batch([
    db
      .select(recordColumns)
      .from(advisories)
      .where(and(inArray(advisories.uid, list), isNull(advisories.deleteTime)))
      .orderBy(asc(advisories.uid)),
    db
      .select({ advisoryUid, packageKey, release, versionOrder, from, below, fixed, severity })
      .from(affectedPackages)
      .where(sql`${advisoryUid} in ${list}`)
      .orderBy(asc(advisoryUid), asc(affectedPackages.number))
      .limit(maxRanges + 1),
  ]);
  if (ranges.length > maxRanges && uids.length > 1) return undefined;
  const byAdvisory = Map.groupBy(ranges, ({ advisoryUid: uid }) => uid);
  return rows.map((row) => ({ ...row, ranges: byAdvisory.get(row.uid) ?? [] }));
}

/** The fact that a record makes about a package. */
export function toFact(
  { uid, id, aliases }: Omit<MatchedRecord, "ranges">,
  packageUid: string,
  { range, unknown }: Verdict,
): Fact {
  const { fixed, severity } = range;
  return {
    advisory: uid,
    package: packageUid.slice(parentOf(packageUid).length + 1),
    id,
    aliases: aliases.filter((alias) => alias !== id),
    severity,
    fixState: fixed === "" ? FixState.UNSPECIFIED : FixState.FIXED,
    fixVersions: fixed === "" ? [] : [fixed],
    unknown,
  };
}

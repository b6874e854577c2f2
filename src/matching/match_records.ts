/** Decides which findings records make, change and end among some packages of SBOMs. */
import type { Fact } from "../../schema/tables/registry/findings.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/databases.ts";
import type { MatchColumns } from "../packages/match_columns.ts";
import { type Candidate, type selectMade, selectNeighbors } from "./candidates.ts";
import { type DecidedChange, decideChange, type FoundInImage } from "./decide.ts";
import { packageIdentity, uidPrefix } from "./finding_rows.ts";
import { type MatchedRecord, toFact } from "./records.ts";
import { type Purls, type StoredFinding, toPackageColumns } from "./stored_findings.ts";
import { verdictOf } from "./verdicts.ts";

/** A finding that one of the records makes, and the packages that its facts are about. */
export type MadeFinding = Awaited<ReturnType<typeof selectMade>>[number];

/**
 * Decides the change. `made` are stored findings that the advisories make, and `candidates` are packages that their records
 * can be about. An advisory without a record makes none any more.
 */
export async function matchRecords(
  db: Database,
  uids: string[],
  records: MatchedRecord[],
  made: MadeFinding[],
  candidates: Candidate[],
): Promise<DecidedChange> {
  const purls = await import("../packages/purls.ts");
  const added = foundIn(records, candidates, purls);
  const near = added.length === 0 ? [] : await selectNeighbors(db, await wantedOf(added));
  const stored = new Map<string, StoredFinding>([...near, ...made].map((row) => [row.uid, row]));
  const packages = new Map(made.flatMap(packagesOf));
  const isMade = new Set(made.map(({ uid }) => uid));
  const recordOf = new Map(records.map((record) => [record.uid, record]));
  const revise = (fact: Fact, row: StoredFinding): Fact | undefined => {
    if (!uids.includes(fact.advisory) || !isMade.has(row.uid)) return fact;
    const of = packages.get(`${parentOf(row.uid)}/${fact.package}`);
    const record = recordOf.get(fact.advisory);
    const verdict = record && of && verdictOf(record.ranges, of);
    return verdict && toFact(record, of.uid, verdict);
  };
  return decideChange([...stored.values()], revise, added, purls);
}

/** The facts of records about the candidates. */
function foundIn(records: MatchedRecord[], candidates: Candidate[], purls: Purls): FoundInImage[] {
  return candidates.flatMap((one): FoundInImage[] => {
    const record = records[one.record];
    const verdict = record && verdictOf(record.ranges, one);
    if (!verdict) return [];
    const { imageUid: uid, imageTime: updateTime, digest } = one;
    return [
      {
        fact: toFact(record, one.uid, verdict),
        package: toPackageColumns(one, purls),
        image: { uid, updateTime, digest, repo: parentOf(one.uid) },
      },
    ];
  });
}

const wantedOf = (added: FoundInImage[]) =>
  Promise.all(
    added.map(async ({ fact, package: of, image }) => ({
      prefix: await uidPrefix(image, packageIdentity(of)),
      ids: [...[fact.id, ...fact.aliases].map((id) => id.toUpperCase()), fact.advisory],
    })),
  );

type OwnPackage = MatchColumns & { uid: string };

const packagesOf = ({ packages }: MadeFinding) =>
  (JSON.parse(packages) as OwnPackage[]).map((one): [string, OwnPackage] => [one.uid, one]);

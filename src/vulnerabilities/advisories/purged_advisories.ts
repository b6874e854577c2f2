/** The statements that delete advisories of a group, or the imported part of them. */
import { and, eq, not, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryAliases } from "../../../schema/tables/vulnerabilities/advisory_aliases.ts";
import { osvRecords } from "../../../schema/tables/vulnerabilities/osv_records.ts";
import { vexSubjects } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { vulnerabilityMetadata } from "../../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import type { Call } from "../../auth/call.ts";
import { deleteRanges } from "../affected_packages.ts";

type Statement = BatchItem<"sqlite">;

/**
 * The statement that deletes the metadata of vulnerabilities in these advisories, unless another imported
 * advisory of the group names them. It comes before the deletion of the advisories.
 */
function deleteUnreferencedMetadata({ db }: Call, parent: string, uids: string[]): Statement {
  const { vulnerabilityId } = vulnerabilityMetadata;
  const uidList = valuesSubselect(uids);
  const named = sql`(select ${advisories.advisoryId} from ${advisories} where ${advisories.uid} in ${uidList}
    union all select "alias"."value" from ${advisories}, json_each(${advisories.aliases}) as "alias"
      where ${advisories.uid} in ${uidList})`;
  const isOther = (
    uid: SQL,
  ) => sql`${uid} not in ${uidList} and exists (select 1 from ${advisories} as "other"
    where "other"."uid" = ${uid} and "other"."parent" = ${parent} and "other"."source" <> '')`;
  const others = sql`(select 1 from ${advisoryAliases} where ${advisoryAliases.alias} = ${vulnerabilityId}
      and ${advisoryAliases.advisoryUid} > ${`${parent}/`} and ${advisoryAliases.advisoryUid} < ${`${parent}0`}
      and ${isOther(sql`${advisoryAliases.advisoryUid}`)}
    union all select 1 from ${advisories} as "same" where "same"."parent" = ${parent}
      and "same"."advisory_id" = ${vulnerabilityId} and "same"."source" <> ''
      and "same"."uid" not in ${uidList})`;
  return db
    .delete(vulnerabilityMetadata)
    .where(
      and(
        eq(vulnerabilityMetadata.parent, parent),
        sql`${vulnerabilityId} in ${named}`,
        sql`not exists ${others}`,
      ),
    );
}

/** The statements that delete advisories of a group and all rows that belong to them. */
export function deleteAdvisories(call: Call, parent: string, uids: string[]): Statement[] {
  if (uids.length === 0) return [];
  const { db } = call;
  const uidList = valuesSubselect(uids);
  return [
    deleteUnreferencedMetadata(call, parent, uids),
    db.delete(advisoryEvents).where(sql`${advisoryEvents.advisoryUid} in ${uidList}`),
    db.delete(osvRecords).where(sql`${osvRecords.uid} in ${uidList}`),
    db.delete(vexSubjects).where(sql`${vexSubjects.uid} in ${uidList}`),
    db.delete(advisories).where(sql`${advisories.uid} in ${uidList}`),
  ];
}

/**
 * The statements that reduce advisories to the events that people wrote, with their current fields. An import
 * of any age can add to them again, so the subjects of statements are kept.
 */
export function reduceToEdits({ db, now }: Call, uids: string[]): Statement[] {
  if (uids.length === 0) return [];
  const uidList = valuesSubselect(uids);
  return [
    db
      .delete(advisoryEvents)
      .where(and(sql`${advisoryEvents.advisoryUid} in ${uidList}`, not(advisoryEvents.byHand))),
    db.delete(osvRecords).where(sql`${osvRecords.uid} in ${uidList}`),
    ...deleteRanges(db, uids),
    db
      .update(advisories)
      .set({
        source: "",
        sourceDigest: "",
        sourceTime: 0,
        updateTime: sql`max(${now}, ${advisories.updateTime} + 1)`,
      })
      .where(sql`${advisories.uid} in ${uidList}`),
  ];
}

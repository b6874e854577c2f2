/**
 * The data that every import stores in addition to its advisories: the metadata of the vulnerabilities, and
 * the documents of the origin packages (contract: v2 messages, advisory).
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { advisories, type StoredSeverity } from "../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryDocuments } from "../../schema/tables/vulnerabilities/advisory_documents.ts";
import { vulnerabilityMetadata } from "../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import { insertFrom } from "../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../aip/json_parameters.ts";
import { sha256 } from "../aip/sha256.ts";
import type { Call } from "../auth/call.ts";

type Statement = BatchItem<"sqlite">;

/** The data of a source about a vulnerability. Unknown values are "" or an empty list. */
export interface PublishedFacts {
  /** The CVE id, otherwise the GHSA id, otherwise the id of the source. */
  id: string;
  summary: string;
  /** Markdown. */
  details: string;
  /** The number of advisory.v2 Reference.Type, and the address. */
  references: { type: number; url: string }[];
  severities: StoredSeverity[];
}

/** The uid of the row for a name in the group. It is always the same. */
const uidOf = async (parent: string, name: string) =>
  `${parent}/${(await sha256(name)).slice(0, 16)}`;

const member = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const json = (name: string) => sql`"given"."value" -> ${sql.raw(`'${name}'`)}`;

/**
 * The statements that store vulnerabilities in a group. Sources complement each other. If one source has no
 * value, the value of another remains. Otherwise the last one wins.
 */
export async function upsertVulnerabilities(
  call: Call,
  parent: string,
  vulnerabilities: PublishedFacts[],
): Promise<Statement[]> {
  const vulnerabilityRows = await Promise.all(
    vulnerabilities.map(async (vulnerability) =>
      JSON.stringify({
        ...vulnerability,
        uid: await uidOf(parent, vulnerability.id),
        now: call.now,
      }),
    ),
  );
  const values = {
    uid: member("uid"),
    createTime: member("now"),
    updateTime: member("now"),
    vulnerabilityId: member("id"),
    summary: member("summary"),
    details: member("details"),
    references: json("references"),
    severities: json("severities"),
  };
  return toJsonParameters(vulnerabilityRows).map((parameter) =>
    insertFrom(call.db, vulnerabilityMetadata, values, fromParameter(parameter)).onConflictDoUpdate(
      {
        target: vulnerabilityMetadata.uid,
        set: {
          ...mergedColumns,
          updateTime: sql`max(excluded.update_time, ${vulnerabilityMetadata.updateTime} + 1)`,
        },
        setWhere: hasChanged,
      },
    ),
  );
}

const { summary, details, references, severities } = vulnerabilityMetadata;

/** The value of the source, or the stored value if that is empty. */
const orElse = (column: SQL, empty: string, before: SQL) =>
  sql`iif(${column} = ${sql.raw(`'${empty}'`)}, ${before}, ${column})`;

const mergedColumns = {
  summary: orElse(sql`excluded.summary`, "", sql`${summary}`),
  details: orElse(sql`excluded.details`, "", sql`${details}`),
  references: orElse(sql`excluded.refs`, "[]", sql`${references}`),
  severities: orElse(sql`excluded.severities`, "[]", sql`${severities}`),
};

/** Whether the row would change. A repeated import does not change its update time. */
const hasChanged = sql`(${mergedColumns.summary}, ${mergedColumns.details}, ${mergedColumns.references},
  ${mergedColumns.severities}) is not (${summary}, ${details}, ${references}, ${severities})`;

/**
 * The statements that record in a group that advisories of these origin packages changed. The document is
 * created, or its time is updated. It is deleted if the package has no advisory left. They come after the
 * statements that write the advisories.
 */
export async function upsertDocuments(
  call: Call,
  parent: string,
  origins: string[],
): Promise<Statement[]> {
  const documentRows = await Promise.all(
    [...new Set(origins)].map(async (origin) =>
      JSON.stringify({ uid: await uidOf(parent, origin), origin, now: call.now }),
    ),
  );
  const values = {
    uid: member("uid"),
    createTime: member("now"),
    updateTime: member("now"),
    origin: member("origin"),
  };
  const hasAdvisory = (origin: SQL) => sql`exists (select 1 from ${advisories}
    where ${advisories.origin} = ${origin}
      and ${advisories.uid} > ${`${parent}/`} and ${advisories.uid} < ${`${parent}0`}
      and +${advisories.parent} = ${parent})`;
  return toJsonParameters(documentRows).flatMap((parameter) => [
    insertFrom(
      call.db,
      advisoryDocuments,
      values,
      fromParameter(parameter, hasAdvisory(member("origin"))),
    ).onConflictDoUpdate({
      target: advisoryDocuments.uid,
      set: {
        updateTime: sql`max(excluded.update_time, ${advisoryDocuments.updateTime} + 1)`,
      },
    }),
    call.db.delete(advisoryDocuments).where(
      and(
        eq(advisoryDocuments.parent, parent),
        sql`${advisoryDocuments.origin} in (
            select "value" ->> 'origin' from json_each(${parameter}))`,
        sql`not ${hasAdvisory(sql`${advisoryDocuments.origin}`)}`,
      ),
    ),
  ]);
}

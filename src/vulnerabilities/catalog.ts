/**
 * What every import of vulnerability data keeps beside its advisories: the metadata of the
 * vulnerabilities and the documents of the origin packages (contract: v2 messages, advisory).
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { advisories, type StoredSeverity } from "../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryDocuments } from "../../schema/tables/vulnerabilities/advisory_documents.ts";
import { vulnerabilityMetadata } from "../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import { insertFrom } from "../aip/insert_from.ts";
import { sha256 } from "../aip/sha256.ts";
import type { Call } from "../auth/call.ts";
import { fromParameter, toJsonParameters } from "./json_parameters.ts";

type Statement = BatchItem<"sqlite">;

/** What a source says of a vulnerability. Where it says nothing: "" or an empty list. */
export interface PublishedFacts {
  /** CVE id, else GHSA id, else the id that the source gives it. */
  id: string;
  summary: string;
  /** Markdown. */
  details: string;
  /** Number of advisory.v2 Reference.Type, and the address. */
  references: { type: number; url: string }[];
  severities: StoredSeverity[];
}

/** Uid of the row in the group that a name stands for: always the same one. */
const uidOf = async (parent: string, name: string) =>
  `${parent}/${(await sha256(name)).slice(0, 16)}`;

const member = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const json = (name: string) => sql`"given"."value" -> ${sql.raw(`'${name}'`)}`;

/**
 * The statements that write down the vulnerabilities in a group. Sources complement each other: what
 * one leaves empty stays as another told it, else the last one counts.
 */
export async function upsertVulnerabilities(
  call: Call,
  parent: string,
  vulnerabilities: PublishedFacts[],
): Promise<Statement[]> {
  const given = await Promise.all(
    vulnerabilities.map(async (one) =>
      JSON.stringify({ ...one, uid: await uidOf(parent, one.id), now: call.now }),
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
  return toJsonParameters(given).map((parameter) =>
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

/** A column as the source tells it, or as it is where that is empty. */
const orElse = (column: SQL, empty: string, before: SQL) =>
  sql`iif(${column} = ${sql.raw(`'${empty}'`)}, ${before}, ${column})`;

const mergedColumns = {
  summary: orElse(sql`excluded.summary`, "", sql`${summary}`),
  details: orElse(sql`excluded.details`, "", sql`${details}`),
  references: orElse(sql`excluded.refs`, "[]", sql`${references}`),
  severities: orElse(sql`excluded.severities`, "[]", sql`${severities}`),
};

/** Whether the row would change: a repeated import leaves its update time alone. */
const hasChanged = sql`(${mergedColumns.summary}, ${mergedColumns.details}, ${mergedColumns.references},
  ${mergedColumns.severities}) is not (${summary}, ${details}, ${references}, ${severities})`;

/**
 * The statements that note in a group that advisories of these origin packages changed: its document
 * is made or moved in time, and goes when no advisory of the package is left. They stand behind
 * those that write the advisories.
 */
export async function upsertDocuments(
  call: Call,
  parent: string,
  origins: string[],
): Promise<Statement[]> {
  const given = await Promise.all(
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
  return toJsonParameters(given).flatMap((parameter) => [
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

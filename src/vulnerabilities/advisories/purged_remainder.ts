/** The scope of a purge, and its deletions after the advisories: libraries, metadata and documents. */
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  AdvisorySource,
  type PurgeAdvisoriesRequest,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisory_purges_pb.js";
import { counts } from "../../../schema/tables/counts.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryDocuments } from "../../../schema/tables/vulnerabilities/advisory_documents.ts";
import { artifacts, artifactVersions } from "../../../schema/tables/vulnerabilities/artifacts.ts";
import { vulnerabilityMetadata } from "../../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import type { Call, Database } from "../../auth/call.ts";

/** A group, and the source whose imports are purged, as it is stored in the rows. Empty for everything. */
export interface Purge {
  parent: string;
  source: "" | "osv" | "vex";
}

const sources: Record<AdvisorySource, Purge["source"]> = {
  [AdvisorySource.UNSPECIFIED]: "",
  [AdvisorySource.OSV]: "osv",
  [AdvisorySource.VEX]: "vex",
};

export const toPurge = ({ parent, source }: PurgeAdvisoriesRequest): Purge => ({
  parent,
  source: sources[source],
});

/** The condition that an advisory is to be purged. The literal lets SQLite use the index of sources. */
export const isPurgeable = ({ parent, source }: Purge): SQL | undefined =>
  source === ""
    ? eq(advisories.parent, parent)
    : and(
        eq(advisories.parent, parent),
        eq(advisories.source, source),
        sql`${advisories.source} <> ''`,
      );

/** The most rows of one kind in a step. A library has at most 32 rows of versions. */
const maxRows = 500;
const maxArtifacts = 100;

/** The most advisories to count if no total is stored. */
const maxCounted = 10_000;

const existsNone = (db: Database, condition: SQL | undefined) =>
  sql`not exists ${db.select({ one: sql`1` }).from(advisories).where(condition)}`;

/** The condition that no advisory is left to purge. */
export const hasNoneLeft = ({ db }: Call, purge: Purge) => existsNone(db, isPurgeable(purge));

/** The condition that no imported advisory is left. */
const hasNoImports = ({ db }: Call, { parent }: Purge) =>
  existsNone(db, and(eq(advisories.parent, parent), sql`${advisories.source} <> ''`));

/** Libraries come from OSV records, and metadata from any import. */
const hasArtifacts = ({ source }: Purge) => source !== "vex";

function deleteArtifacts({ db }: Call, { parent }: Purge): BatchItem<"sqlite">[] {
  const first = db
    .select({ uid: artifacts.uid })
    .from(artifacts)
    .where(eq(artifacts.parent, parent))
    .orderBy(artifacts.ecosystem, artifacts.name)
    .limit(maxArtifacts);
  return [
    db.delete(artifactVersions).where(inArray(artifactVersions.parent, first)),
    db.delete(artifacts).where(inArray(artifacts.uid, first)),
  ];
}

function deleteSome(
  { db }: Call,
  table: typeof vulnerabilityMetadata | typeof advisoryDocuments,
  { parent }: Purge,
  condition?: SQL,
) {
  const first = db
    .select({ uid: table.uid })
    .from(table)
    .where(eq(table.parent, parent))
    .orderBy(table.uid)
    .limit(maxRows);
  return db.delete(table).where(and(inArray(table.uid, first), condition));
}

/** The statements that delete the rest after the advisories. */
export const deleteRemainder = (call: Call, purge: Purge): BatchItem<"sqlite">[] => [
  ...(hasArtifacts(purge) ? deleteArtifacts(call, purge) : []),
  // Data of the other source has its own metadata.
  deleteSome(
    call,
    vulnerabilityMetadata,
    purge,
    purge.source === "" ? undefined : hasNoImports(call, purge),
  ),
  ...(purge.source === "" ? [deleteSome(call, advisoryDocuments, purge)] : []),
];

const kinds = {
  advisories: "advisories",
  documents: "advisory_documents",
  artifacts: "artifacts",
  vulnerabilityMetadata: "vulnerability_metadata",
};

const total = (kind: keyof typeof kinds, parent: string) =>
  sql<number>`coalesce((select sum(${counts.children}) from ${counts}
    where ${counts.ancestor} = ${parent} and ${counts.kind} = ${kinds[kind]}), 0)`;

/**
 * The statement that reads how much the group has. It returns one row, and none if the group does not exist.
 */
export const selectCounts = ({ db }: Call, parent: string) =>
  db
    .select({
      documents: total("documents", parent).as("documents"),
      artifacts: total("artifacts", parent).as("artifacts"),
      vulnerabilityMetadata: total("vulnerabilityMetadata", parent).as("vulnerability_metadata"),
    })
    .from(groups)
    .where(eq(groups.uid, parent));

/**
 * The statement that reads whether anything is left to purge. It returns one row, and none if the group does
 * not exist. It reads the rows themselves, so that a sequence of steps ends even if a total is wrong.
 */
export function selectRemainder(call: Call, purge: Purge) {
  const { parent, source } = purge;
  const hasRows = (
    table: typeof artifacts | typeof vulnerabilityMetadata | typeof advisoryDocuments,
  ) => sql`exists (select 1 from ${table} where ${table.parent} = ${parent})`;
  const parts = [
    sql`not (${hasNoneLeft(call, purge)})`,
    ...(hasArtifacts(purge) ? [hasRows(artifacts)] : []),
    source === ""
      ? hasRows(vulnerabilityMetadata)
      : sql`(${hasNoImports(call, purge)} and ${hasRows(vulnerabilityMetadata)})`,
    ...(source === "" ? [hasRows(advisoryDocuments)] : []),
  ];
  return call.db
    .select({ more: sql<number>`${sql.join(parts, sql` or `)}`.as("more") })
    .from(groups)
    .where(eq(groups.uid, parent));
}

/**
 * The statements of a call that deletes nothing. They count each kind, and find out whether there is anything
 * to purge.
 */
export function countPurgeable(call: Call, purge: Purge) {
  const { parent, source } = purge;
  const purgeable = call.db
    .select({ one: sql`1` })
    .from(advisories)
    .where(isPurgeable(purge))
    .limit(maxCounted);
  const none = sql<number>`0`;
  const ofAll = (kind: keyof typeof kinds) => (source === "" ? total(kind, parent) : none);
  const counted = call.db
    .select({
      advisories: sql<number>`(select count(*) from ${purgeable})`.as("advisories"),
      documents: ofAll("documents").as("documents"),
      artifacts: (hasArtifacts(purge) ? total("artifacts", parent) : none).as("artifacts"),
      vulnerabilityMetadata: ofAll("vulnerabilityMetadata").as("vulnerability_metadata"),
    })
    .from(groups)
    .where(eq(groups.uid, parent));
  return [counted, selectRemainder(call, purge)] as const;
}

import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { pathColumns, resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { countRows, requireParent, sumRows } from "../triggers.ts";

/** The condition of the indexes of remediated libraries. A query must contain exactly this expression to use them. */
export const isRemediated = sql.raw(`"remediated" = 1`);

/**
 * Libraries from imported advisories. `uid` is the path of the row below the group of the import. Clients use
 * `artifactUid`, which has no slash.
 */
export const artifacts = sqliteTable(
  "artifacts",
  {
    ...resourceColumns(),
    ...leafKeys(),
    /** The first 40 hexadecimal digits of the SHA-256 of group, ecosystem and name. */
    artifactUid: text("artifact_uid").notNull(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** Number of Ecosystem. */
    ecosystem: integer("ecosystem").notNull(),
    latestVersion: text("latest_version").notNull().default(""),
    /** The sort key of the latest version, in the version order of the ecosystem. */
    latestKey: text("latest_key").notNull().default(""),
    versionCount: integer("version_count").notNull().default(0),
    /** Whether a version of it fixes a vulnerability. */
    remediated: integer("remediated", { mode: "boolean" }).notNull().default(false),
    /** The CUDA versions that its versions were built for, from their local version labels. */
    cudaVersions: text("cuda_versions", { mode: "json" }).$type<string[]>().notNull().default([]),
  },
  (t) => [
    ...leafIndexes("artifacts", t, {
      orders: {
        created: t.createTime,
        updated: t.updateTime,
        name: t.name,
        artifact_uid: t.artifactUid,
      },
      partition: t.ecosystem,
      isNested: true,
    }),
    ...leafIndexes("artifacts_remediated", t, {
      orders: { name: t.name },
      partition: t.ecosystem,
      where: isRemediated,
      isNested: true,
    }),
    uniqueIndex("artifacts_by_artifact_uid").on(t.artifactUid),
    uniqueIndex("artifacts_siblings").on(t.parent, t.ecosystem, t.name),
  ],
);

/** Versions whose records were published and changed at the same times, in milliseconds since 1970 in UTC. */
export type VersionSpan = [createTime: number, updateTime: number, versions: string[]];

/**
 * The versions of libraries. A library has at most 32 rows (src/packages/library_versions.ts), because a row for each
 * version would take many times the bytes of the version. The parent is the row of the library.
 */
export const artifactVersions = sqliteTable(
  "artifact_versions",
  {
    uid: text("uid").primaryKey(),
    ...pathColumns(),
    /** Versions by the times of their records. */
    versions: text("versions", { mode: "json" }).$type<VersionSpan[]>().notNull(),
  },
  (t) => [index("artifact_versions_of").on(t.parent)],
);

/** SQL: the number of versions in a row. A row that is damaged has none. */
const versionsIn = (row: string) =>
  `iif(json_valid(${row}.versions), (SELECT coalesce(sum(json_array_length(value, '$[2]')), 0) ` +
  `FROM json_each(${row}.versions)), 0)`;

export const triggers = () => [
  countRows(artifacts, { class: artifacts.ecosystem }),
  requireParent(artifacts, groups),
  requireParent(artifactVersions, artifacts),
  sumRows(artifactVersions, {
    kind: "artifact_versions",
    amount: versionsIn,
    columns: [artifactVersions.versions],
  }),
];

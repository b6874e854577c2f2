import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pathColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { repos } from "../registry/repos.ts";
import { requireRow, trigger } from "../triggers.ts";

/** The organizations with content in the registry, and how much they have. */
export const organizationStorage = sqliteTable("organization_storage", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  uid: text("uid").notNull().unique(),
  /** The bytes of all blobs and manifests of the organization, each counted once. */
  bytes: integer("bytes").notNull().default(0),
  /** The part of `bytes` that more than one repository of the organization has. */
  sharedBytes: integer("shared_bytes").notNull().default(0),
  /**
   * The bytes in R2 that are not content: of open uploads, of pushes that are in progress, and of deleted content until
   * the clean-up has deleted its objects.
   */
  reservedBytes: integer("reserved_bytes").notNull().default(0),
  /** The bytes of the documents that were read from its pushes, such as SBOMs: their rows take about as many. */
  documentBytes: integer("document_bytes").notNull().default(0),
  /**
   * The greatest allowed sum of `bytes`, `reserved_bytes` and `document_bytes`. Null if the limit is that of the
   * configuration.
   */
  limit: integer("byte_limit"),
});

/** The repositories with content in the registry, and how much they have. */
export const repoStorage = sqliteTable(
  "repo_storage",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    uid: text("uid").notNull().unique(),
    ...pathColumns(),
    organization: integer("organization_id").notNull(),
    /** The bytes of all blobs and manifests of the repository. */
    bytes: integer("bytes").notNull().default(0),
    /** The part of `bytes` that other repositories of the organization have too. */
    sharedBytes: integer("shared_bytes").notNull().default(0),
  },
  (t) => [index("repo_storage_by_bytes").on(t.ancestor0, t.bytes, t.uid)],
);

export const triggers = () => [
  requireRow(repoStorage.uid, repos, "repository"),
  trigger(
    repos,
    "delete_storage",
    { on: "AFTER DELETE" },
    "DELETE FROM repo_storage WHERE uid = OLD.uid;",
  ),
  trigger(
    groups,
    "delete_storage",
    { on: "AFTER DELETE", when: "length(OLD.uid) = 40" },
    "DELETE FROM organization_storage WHERE uid = OLD.uid;",
  ),
];

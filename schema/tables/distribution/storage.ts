import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { groups } from "../iam/groups.ts";
import { repos } from "../registry/repos.ts";
import { requireRow, trigger } from "../triggers.ts";

/** The organizations with content in the registry, and how much they have. */
export const organizationStorage = sqliteTable("organization_storage", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  uid: text("uid").notNull().unique(),
  /** The bytes of all blobs and manifests of the organization, each counted once. */
  bytes: integer("bytes").notNull().default(0),
  /** The greatest allowed value of `bytes`. Null if the limit is that of the configuration. */
  limit: integer("byte_limit"),
});

/** The repositories with content in the registry, and how much they have. */
export const repoStorage = sqliteTable("repo_storage", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  uid: text("uid").notNull().unique(),
  organization: integer("organization_id").notNull(),
  /** The bytes of all blobs and manifests of the repository. */
  bytes: integer("bytes").notNull().default(0),
});

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

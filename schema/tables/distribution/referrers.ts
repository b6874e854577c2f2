import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { digestColumn } from "./digest_column.ts";

/**
 * The manifests that name a subject, such as signatures and SBOMs of an image, with the data that the
 * referrers API returns. The subject need not exist. The migration creates the table WITHOUT ROWID.
 */
export const referrers = sqliteTable(
  "referrers",
  {
    repo: integer("repo_id").notNull(),
    /** The manifest that names the subject. */
    manifest: integer("manifest_id").notNull(),
    subject: digestColumn("subject").notNull(),
    mediaType: text("media_type").notNull(),
    artifactType: text("artifact_type").notNull(),
    /** The annotations of the manifest. */
    annotations: text("annotations", { mode: "json" }).$type<Record<string, string>>(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.manifest] }),
    index("referrers_by_subject").on(t.repo, t.subject, t.manifest),
  ],
);

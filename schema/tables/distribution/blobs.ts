import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { manifests } from "../registry/manifests.ts";
import { trigger } from "../triggers.ts";
import { digestColumn } from "./digest_column.ts";
import { repoStorage } from "./storage.ts";

/**
 * The bytes of the registry: the blobs and manifests of all repositories, each once. Nothing here grants
 * access: a repository has a blob only if there is a row in `blob_links`.
 */
export const blobs = sqliteTable(
  "blobs",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    digest: digestColumn("digest").notNull().unique(),
    /** The number of bytes. Null if a manifest names the blob and no one has pushed it. */
    size: integer("size"),
    /** The bytes of a small manifest. All other bytes are in `objects`. */
    content: text("content"),
    /**
     * The fault of the bytes in R2: `missing`, or `changed` for bytes of another length or digest. No one can pull them.
     * Null if no fault is known. The next push of the blob brings new bytes.
     */
    fault: text("fault", { enum: ["missing", "changed"] }),
    /** When the events about the fault were written, in milliseconds since 1970 in UTC. Null until then. */
    faultTime: integer("fault_time"),
    /** The number of organizations that have the blob. */
    organizations: integer("organizations").notNull().default(0),
    /** When the last organization gave it up, in milliseconds since 1970 in UTC. Null while one has it. */
    idleTime: integer("idle_time"),
  },
  (t) => [
    index("blobs_idle").on(t.idleTime).where(sql`idle_time is not null`),
    index("blobs_damaged").on(t.faultTime).where(sql`fault is not null`),
  ],
);

/** The two kinds of content of a repository. They have separate names, although both are blobs here. */
export const ContentKind = { blob: 0, manifest: 1 } as const;

/**
 * The contents of repositories. Triggers keep the counts of bytes. The migration creates the table WITHOUT
 * ROWID.
 */
export const blobLinks = sqliteTable(
  "blob_links",
  {
    repo: integer("repo_id").notNull(),
    /** A number of {@link ContentKind}. */
    kind: integer("kind").notNull(),
    blob: integer("blob_id").notNull(),
    /**
     * Since when no manifest of the repository may need the blob, in milliseconds since 1970 in UTC. Null if
     * one needs it, and for manifests. The bytes of a manifest that has expired have a time in the future: the end of
     * its undo. Only a later time replaces it.
     */
    idleTime: integer("idle_time"),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.kind, t.blob] }),
    index("blob_links_idle").on(t.idleTime).where(sql`idle_time is not null`),
  ],
);

/** The blobs and manifests that a manifest names. The migration creates the table WITHOUT ROWID. */
export const manifestReferences = sqliteTable(
  "manifest_references",
  {
    manifest: integer("manifest_id").notNull(),
    blob: integer("blob_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.manifest, t.blob] }),
    index("manifest_references_by_blob").on(t.blob, t.manifest),
  ],
);

/** The blobs that an organization has. The migration creates the table WITHOUT ROWID. */
export const organizationBlobs = sqliteTable(
  "organization_blobs",
  {
    organization: integer("organization_id").notNull(),
    blob: integer("blob_id").notNull(),
    /** The number of repositories of the organization that have the blob. */
    repos: integer("repos").notNull(),
    /** The sum of their ids. If there is one, it is the id of that repository. */
    repoSum: integer("repo_sum").notNull(),
  },
  (t) => [primaryKey({ columns: [t.organization, t.blob] })],
);

const now = "cast(unixepoch('subsec') * 1000 as integer)";
const sizeOf = (row: "NEW" | "OLD") =>
  `ifnull((SELECT size FROM blobs WHERE id = ${row}.blob_id), 0)`;
/** The links of a deleted repository outlive its row in `repo_storage`. */
const organizationOf = (row: "NEW" | "OLD") =>
  row === "NEW"
    ? "(SELECT organization_id FROM repo_storage WHERE id = NEW.repo_id)"
    : `ifnull((SELECT organization_id FROM repo_storage WHERE id = OLD.repo_id),
		(SELECT organization_id FROM deletions WHERE storage_id = OLD.repo_id))`;
const children = (row: "NEW" | "OLD") =>
  `repo_id = ${row}.repo_id AND kind = ${ContentKind.blob} AND blob_id IN
		(SELECT blob_id FROM manifest_references WHERE manifest_id = ${row}.blob_id)`;

/** The row of the organization and the blob of a link. */
const ofLink = (row: "NEW" | "OLD") =>
  `organization_id = ${organizationOf(row)} AND blob_id = ${row}.blob_id`;
/** That the repository has the blob only through this link, and not as the other kind of content too. */
const isOnlyLink = (row: "NEW" | "OLD") => `NOT EXISTS (SELECT 1 FROM blob_links
		WHERE repo_id = ${row}.repo_id AND kind = 1 - ${row}.kind AND blob_id = ${row}.blob_id)`;

/** They keep the sizes of repositories, and since when a part of an image is in no manifest. */
const linkTriggers = () => [
  ...trigger(
    blobLinks,
    "count_insert",
    { on: "AFTER INSERT", when: isOnlyLink("NEW") },
    `UPDATE repo_storage SET bytes = bytes + ${sizeOf("NEW")} WHERE id = NEW.repo_id;`,
    `INSERT INTO organization_blobs (organization_id, blob_id, repos, repo_sum)
		VALUES (${organizationOf("NEW")}, NEW.blob_id, 1, NEW.repo_id)
		ON CONFLICT DO UPDATE SET repos = repos + 1, repo_sum = repo_sum + NEW.repo_id;`,
  ),
  ...trigger(
    blobLinks,
    "count_delete",
    { on: "AFTER DELETE", when: isOnlyLink("OLD") },
    `UPDATE repo_storage SET bytes = bytes - ${sizeOf("OLD")} WHERE id = OLD.repo_id;`,
    `DELETE FROM organization_blobs WHERE ${ofLink("OLD")} AND repos = 1;`,
    `UPDATE organization_blobs SET repos = repos - 1, repo_sum = repo_sum - OLD.repo_id
		WHERE ${ofLink("OLD")};`,
  ),
  ...trigger(
    blobLinks,
    "use_insert",
    { on: "AFTER INSERT", when: `NEW.kind = ${ContentKind.manifest}` },
    `UPDATE blob_links SET idle_time = NULL WHERE idle_time <= ${now} AND ${children("NEW")};`,
  ),
  ...trigger(
    blobLinks,
    "use_delete",
    { on: "AFTER DELETE", when: `OLD.kind = ${ContentKind.manifest}` },
    `UPDATE blob_links SET idle_time = max(ifnull(idle_time, 0), ${now}) WHERE ${children("OLD")};`,
    "DELETE FROM referrers WHERE repo_id = OLD.repo_id AND manifest_id = OLD.blob_id;",
  ),
  // The bytes of a manifest that has expired are a blob until the end of its undo, and hold what it names.
  ...trigger(
    blobLinks,
    "hold_delete",
    {
      on: "AFTER DELETE",
      when: `OLD.kind = ${ContentKind.blob}
		AND EXISTS (SELECT 1 FROM manifest_references WHERE manifest_id = OLD.blob_id)`,
    },
    `UPDATE blob_links SET idle_time = max(ifnull(idle_time, 0), ${now}) WHERE ${children("OLD")};`,
  ),
];

/** They keep the sizes of organizations. */
const organizationTriggers = () => [
  ...trigger(
    organizationBlobs,
    "count_insert",
    { on: "AFTER INSERT" },
    `UPDATE blobs SET organizations = organizations + 1, idle_time = NULL WHERE id = NEW.blob_id;`,
    `UPDATE organization_storage SET bytes = bytes + ${sizeOf("NEW")} WHERE id = NEW.organization_id;`,
    `UPDATE objects SET organization_id = NULL WHERE blob_id = NEW.blob_id AND organization_id IS NOT NULL;`,
  ),
  ...trigger(
    organizationBlobs,
    "count_delete",
    { on: "AFTER DELETE" },
    `UPDATE organization_storage SET bytes = bytes - ${sizeOf("OLD")} WHERE id = OLD.organization_id;`,
    `UPDATE blobs SET organizations = organizations - 1,
		idle_time = iif(organizations = 1, ${now}, NULL) WHERE id = OLD.blob_id;`,
    // The last organization that had the bytes pays for them until they are deleted.
    `UPDATE objects SET organization_id = OLD.organization_id WHERE blob_id = OLD.blob_id
		AND EXISTS (SELECT 1 FROM blobs WHERE id = OLD.blob_id AND organizations = 0);`,
  ),
  ...trigger(
    organizationBlobs,
    "count_share",
    { on: "AFTER UPDATE", when: "NEW.repos > OLD.repos" },
    `UPDATE repo_storage SET shared_bytes = shared_bytes + ${sizeOf("NEW")}
		WHERE id IN (NEW.repo_sum - OLD.repo_sum, iif(OLD.repos = 1, OLD.repo_sum, NULL));`,
    `UPDATE organization_storage SET shared_bytes = shared_bytes + ${sizeOf("NEW")}
		WHERE id = NEW.organization_id AND OLD.repos = 1;`,
  ),
  ...trigger(
    organizationBlobs,
    "count_unshare",
    { on: "AFTER UPDATE", when: "NEW.repos < OLD.repos" },
    `UPDATE repo_storage SET shared_bytes = shared_bytes - ${sizeOf("OLD")}
		WHERE id IN (OLD.repo_sum - NEW.repo_sum, iif(NEW.repos = 1, NEW.repo_sum, NULL));`,
    `UPDATE organization_storage SET shared_bytes = shared_bytes - ${sizeOf("OLD")}
		WHERE id = OLD.organization_id AND NEW.repos = 1;`,
  ),
];

/** They delete rows that belong to a deleted row. */
const deletionTriggers = () => [
  ...trigger(
    blobs,
    "delete_references",
    { on: "AFTER DELETE" },
    `DELETE FROM manifest_references WHERE manifest_id = OLD.id;`,
  ),
  // A blob without bytes is there only for the manifests that name it.
  ...trigger(
    manifestReferences,
    "delete_unpushed",
    { on: "AFTER DELETE" },
    `DELETE FROM blobs WHERE id = OLD.blob_id AND size IS NULL
		AND NOT EXISTS (SELECT 1 FROM manifest_references WHERE blob_id = OLD.blob_id);`,
  ),
  ...trigger(
    manifests,
    "delete_link",
    { on: "AFTER DELETE" },
    `DELETE FROM blob_links WHERE kind = ${ContentKind.manifest}
		AND repo_id = (SELECT id FROM repo_storage WHERE uid = OLD.parent)
		AND blob_id = (SELECT id FROM blobs WHERE digest = unhex(substr(OLD.digest, 8)));`,
  ),
  ...trigger(
    repoStorage,
    "delete_links",
    { on: "BEFORE DELETE", when: "NOT EXISTS (SELECT 1 FROM deletions WHERE uid = OLD.uid)" },
    `DELETE FROM blob_links WHERE repo_id = OLD.id;`,
    "DELETE FROM referrers WHERE repo_id = OLD.id;",
    "DELETE FROM uploads WHERE repo_id = OLD.id;",
  ),
];

export const triggers = () => [...linkTriggers(), ...organizationTriggers(), ...deletionTriggers()];

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent, sumLongBytes } from "../triggers.ts";
import { repos } from "./repos.ts";

/** The entry of one manifest in an image index. */
export interface IndexEntry {
  digest: string;
  architecture: string;
}

/** Metadata of OCI image indexes and manifests. The parent is the repository. */
export const manifests = sqliteTable(
  "manifests",
  {
    ...resourceColumns(),
    digest: text("digest").notNull(),
    mediaType: text("media_type").notNull(),
    /** For an index: its manifests by architecture. Empty for a manifest. */
    entries: text("entries", { mode: "json" }).$type<IndexEntry[]>().notNull(),
    /** For a manifest: the bytes of its layers and its config. 0 for an index. */
    size: integer("size").notNull(),
    /** For a manifest: data of its image configuration. Empty until the configuration is stored. */
    architecture: text("architecture").notNull().default(""),
    /** The number of signatures that the manifest itself contains. */
    signatures: integer("signatures").notNull().default(0),
    os: text("os").notNull().default(""),
    /** When the image was built, according to its configuration. */
    imageTime: integer("image_time"),
    /** The JSON of a platform.registry.ImageConfig, from the image configuration. */
    config: text("config", { mode: "json" }),
  },
  (t) => [
    uniqueIndex("manifests_siblings").on(t.parent, t.digest),
    index("manifests_children_by_created").on(t.parent, t.createTime, t.uid),
    index("manifests_by_digest").on(t.digest, t.uid),
  ],
);

export const triggers = () => [
  countRows(manifests, { roots: true, mayBeLeft: true }),
  // A manifest of an image, and a short index, have fewer bytes than this.
  sumLongBytes(manifests, 2_000, manifests.entries, manifests.config),
  requireParent(manifests, repos),
  keepDeleted(manifests),
];

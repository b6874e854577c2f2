import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";

/** What an image index says of one manifest in it. */
export interface IndexEntry {
  digest: string;
  architecture: string;
}

/** Metadata of OCI image indexes and manifests. The parent is the repo. */
export const manifests = sqliteTable(
  "manifests",
  {
    ...resourceColumns(),
    digest: text("digest").notNull(),
    mediaType: text("media_type").notNull(),
    /** Of an index: its manifests by architecture. Of a manifest: empty. */
    entries: text("entries", { mode: "json" }).$type<IndexEntry[]>().notNull(),
    /** Of a manifest: bytes of its layers and config. Of an index: 0. */
    size: integer("size").notNull(),
    /** Of a manifest: what its image configuration states. Empty while that is not stored. */
    architecture: text("architecture").notNull().default(""),
    /** The JSON of a platform.registry.ImageConfig, from the image configuration. */
    config: text("config", { mode: "json" }),
  },
  (t) => [
    uniqueIndex("manifests_siblings").on(t.parent, t.digest),
    index("manifests_by_digest").on(t.digest, t.uid),
  ],
);

export const triggers = () => [
  countRows(manifests, { roots: true }),
  requireParent(manifests, repos),
];

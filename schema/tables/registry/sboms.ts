import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { keepDeleted } from "../platform/deletions.ts";
import { countRows, requireParent, sumBytes } from "../triggers.ts";
import { repos } from "./repos.ts";

/** SBOMs of images, at most one for each image. The parent is the repository. */
export const sboms = sqliteTable(
  "sboms",
  {
    ...resourceColumns(),
    ...leafKeys(),
    /** The digest of the image. */
    digest: text("digest").notNull(),
    /** Number of SbomFormat. */
    format: integer("format").notNull(),
    specVersion: text("spec_version").notNull(),
    name: text("name").notNull(),
    packageCount: integer("package_count").notNull(),
    /** The bytes of the document, uncompressed. */
    size: integer("size").notNull(),
    /** The digest of the document, uncompressed. */
    contentDigest: text("content_digest").notNull(),
    /**
     * The characters of the JSON in `packages`. It comes before that column, so that it can be read alone.
     */
    packagesLength: integer("packages_length").notNull(),
    /** Its packages, as JSON of a platform.registry.ManifestMetadata in gzip and base64. */
    packages: text("packages").notNull(),
    /** The document in gzip and base64. It is the last column, so that the others can be read without it. */
    content: text("content").notNull(),
  },
  (t) => [
    ...leafIndexes("sboms", t, { orders: { updated: t.updateTime } }),
    uniqueIndex("sboms_siblings").on(t.parent, t.digest),
    index("sboms_by_digest").on(t.digest, t.uid),
  ],
);

export const triggers = () => [
  ...countRows(sboms, { mayBeLeft: true }),
  ...requireParent(sboms, repos),
  ...keepDeleted(sboms),
  ...sumBytes(sboms, sboms.packages, sboms.content),
];

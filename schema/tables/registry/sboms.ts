import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";

/** SBOMs of images, one at most for each. The parent is the repo. */
export const sboms = sqliteTable(
  "sboms",
  {
    ...resourceColumns(),
    /** Digest of the image. */
    digest: text("digest").notNull(),
    /** Number of SbomFormat. */
    format: integer("format").notNull(),
    specVersion: text("spec_version").notNull(),
    name: text("name").notNull(),
    packageCount: integer("package_count").notNull(),
    /** Bytes of the document, unpacked. */
    size: integer("size").notNull(),
    /** Digest of the document, unpacked. */
    contentDigest: text("content_digest").notNull(),
    /** Characters of the JSON in `packages`. Before it, so that it is read without it. */
    packagesLength: integer("packages_length").notNull(),
    /** Its packages, the JSON of a platform.registry.ManifestMetadata: gzip, as base64. */
    packages: text("packages").notNull(),
    /** The document: gzip, as base64. The last column, so that the others are read without it. */
    content: text("content").notNull(),
  },
  (t) => [uniqueIndex("sboms_siblings").on(t.parent, t.digest)],
);

export const triggers = () => [...countRows(sboms), ...requireParent(sboms, repos)];

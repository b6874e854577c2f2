import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pathColumns } from "../columns.ts";
import { requireParent, requireRow, sumRows, trigger } from "../triggers.ts";
import { repos } from "./repos.ts";
import { sboms } from "./sboms.ts";

/** The form of the rows in `sbom_packages`. SBOMs with rows of an older form are indexed again. */
export const PACKAGES_VERSION = 2;

/** The state of each SBOM in `sbom_packages`. A row of `sboms` is long, so the state has its own table. */
export const indexedSboms = sqliteTable(
  "indexed_sboms",
  {
    /** The uid of the SBOM. */
    uid: text("uid").primaryKey(),
    /** The form of its rows in `sbom_packages`. 0 if they are not written yet. */
    packagesVersion: integer("packages_version").notNull().default(0),
    /** The number of its rows in `sbom_packages`. */
    packageCount: integer("package_count").notNull().default(0),
  },
  (t) => [index("indexed_sboms_by_version").on(t.packagesVersion, t.uid)],
);

/** The packages in the SBOMs of images, each once. The parent is the repository. */
export const sbomPackages = sqliteTable(
  "sbom_packages",
  {
    uid: text("uid").primaryKey(),
    ...pathColumns(),
    sbomUid: text("sbom_uid").notNull(),
    /** The name in the package URL, or the name in the SBOM. */
    name: text("name").notNull(),
    /** The namespace in the package URL, such as the group of Maven. */
    namespace: text("namespace").notNull(),
    version: text("version").notNull(),
    /** The type in the package URL. Empty without a package URL. */
    type: text("type").notNull(),
    /** Empty if the SBOM contains none. */
    purl: text("purl").notNull(),
    /** The package URL without version, qualifiers and subpath. */
    packageKey: text("package_key").notNull(),
    /** The order of `sortKey`. Empty if the order of the type is not known. */
    versionOrder: text("version_order").notNull(),
    /** Sorts like the version in its order. Empty if the version has no place in it. */
    sortKey: text("sort_key").notNull(),
    license: text("license").notNull(),
    /** The key of the package that records about it name: its own, or that of its source package. Empty without one. */
    matchKey: text("match_key").notNull().default(""),
    /** The distribution and its release, such as `debian-12`. Empty for libraries, and `?` if it is not known. */
    release: text("release").notNull().default(""),
    /** The order of `matchSortKey`. Empty if the version of the matched package has no place in an order. */
    matchOrder: text("match_order").notNull().default(""),
    matchSortKey: text("match_sort_key").notNull().default(""),
  },
  (t) => [
    index("sbom_packages_children").on(t.parent, t.uid),
    index("sbom_packages_by_name").on(t.name, t.uid),
    index("sbom_packages_by_package").on(t.packageKey, t.uid),
    index("sbom_packages_by_sbom").on(t.sbomUid, t.uid),
    // A range of a record is one range of this index, in one organization.
    index("sbom_packages_by_match").on(
      ...[t.matchKey, t.ancestor0, t.release, t.matchOrder, t.matchSortKey, t.uid],
    ),
  ],
);

export const triggers = () => [
  requireRow(indexedSboms.uid, sboms, "sbom"),
  sumRows(indexedSboms, {
    kind: "packages",
    amount: (row) => `${row}.package_count`,
    columns: [indexedSboms.packageCount],
  }),
  requireParent(sbomPackages, repos),
  requireRow(sbomPackages.sbomUid, sboms, "sbom"),
  trigger(
    sboms,
    "delete_packages",
    { on: "AFTER DELETE" },
    "DELETE FROM indexed_sboms WHERE uid = OLD.uid;",
    "DELETE FROM sbom_packages WHERE sbom_uid = OLD.uid;",
  ),
];

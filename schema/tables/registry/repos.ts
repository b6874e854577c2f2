import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";

/** The source of a synced repository. A query must contain exactly this expression to use the index. */
export const sourceOfRepo = sql.raw(`"sync_config" ->> '$.source'`);

/** The mirror whose first pull created a repository. A query must contain exactly this expression to use the index. */
export const upstreamSource = sql.raw(`"upstream" ->> '$.sourceUid'`);

/** Repositories. `syncConfig`, `customOverlay`, `upstream` and `upstreamSchedule` contain the JSON of their messages. */
export const repos = sqliteTable(
  "repos",
  {
    ...resourceColumns(),
    ...groupKeys(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** Number of CatalogTier. */
    catalogTier: integer("catalog_tier").notNull().default(0),
    bundles: text("bundles", { mode: "json" }).$type<string[]>().notNull().default([]),
    aliases: text("aliases", { mode: "json" }).$type<string[]>().notNull().default([]),
    activeTags: text("active_tags", { mode: "json" }).$type<string[]>().notNull().default([]),
    syncConfig: text("sync_config", { mode: "json" }),
    /** The uid of the identity that set the source. Images are copied while it can pull from there. */
    syncIdentity: text("sync_identity").notNull().default(""),
    customOverlay: text("custom_overlay", { mode: "json" }),
    upstream: text("upstream", { mode: "json" }),
    /** Encrypted. Empty without one. */
    upstreamPassword: text("upstream_password").notNull().default(""),
    upstreamSchedule: text("upstream_schedule", { mode: "json" }),
    readme: text("readme").notNull().default(""),
    readmeUpdateTime: integer("readme_update_time").notNull().default(0),
  },
  (t) => [
    ...groupIndexes("repos", t, { orders: { name: t.name }, siblings: "name" }),
    uniqueIndex("repos_siblings").on(t.parent, t.name),
    index("repos_by_upstream").on(upstreamSource).where(sql`"upstream" is not null`),
    index("repos_with_schedule").on(t.uid).where(sql`"upstream_schedule" is not null`),
    index("repos_by_source").on(sourceOfRepo).where(sql`"sync_config" is not null`),
  ],
);

export const triggers = () => [countRows(repos, { roots: true }), requireParent(repos, groups)];

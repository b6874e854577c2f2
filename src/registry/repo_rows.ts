/** Repos as they are stored: rows and messages of each other. */
import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, getTableColumns } from "drizzle-orm";
import {
  CustomOverlaySchema,
  type ListReposRequest,
  type Repo,
  type RepoReadme,
  RepoReadmeSchema,
  RepoSchema,
  SyncConfigSchema,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { repos } from "../../schema/tables/repos.ts";
import { messageOf } from "../aip/well_formed.ts";
import type { Database } from "../auth/call.ts";
import { defineListing } from "../paging/listing.ts";
import type { ListOptions } from "../paging/page.ts";

export type Row = typeof repos.$inferSelect;

/** What a List of version 2 reads. Readmes are long. */
export type Listed = Omit<Row, "readme" | "readmeUpdateTime">;

const { readme: _readme, readmeUpdateTime: _readmeTime, ...columns } = getTableColumns(repos);

export const listing = defineListing({
  table: repos,
  select: (db) => db.select(columns).from(repos),
});

/** As {@link listing}, with the readmes. */
export const listingWithReadmes = defineListing({
  table: repos,
  select: (db) => db.select({ ...columns, readme: repos.readme }).from(repos),
  longColumns: {
    name: repos.name,
    description: repos.description,
    aliases: repos.aliases,
    activeTags: repos.activeTags,
    syncConfig: repos.syncConfig,
    customOverlay: repos.customOverlay,
    readme: repos.readme,
  },
});

/** The filters of a List of repos. */
export const filtersOf = ({ name }: ListReposRequest): ListOptions =>
  name === undefined ? {} : { filters: [eq(repos.name, name)], index: "scope_index" };

/** Stored row to message. */
export function toRepo(row: Listed): Repo {
  return create(RepoSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    catalogTier: row.catalogTier,
    bundles: row.bundles,
    aliases: row.aliases,
    activeTags: row.activeTags,
    ...(row.syncConfig ? { syncConfig: messageOf(SyncConfigSchema, row.syncConfig) } : {}),
    ...(row.customOverlay
      ? { customOverlay: messageOf(CustomOverlaySchema, row.customOverlay) }
      : {}),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** What a client may set of a repo, as columns. */
export const toColumns = (repo: Repo) => ({
  name: repo.name,
  description: repo.description,
  catalogTier: repo.catalogTier as number,
  bundles: repo.bundles,
  aliases: repo.aliases,
  activeTags: repo.activeTags,
  syncConfig: repo.syncConfig ? toJson(SyncConfigSchema, repo.syncConfig) : null,
  customOverlay: repo.customOverlay ? toJson(CustomOverlaySchema, repo.customOverlay) : null,
});

export function toReadme(row: Row): RepoReadme {
  return create(RepoReadmeSchema, {
    uid: row.uid,
    content: row.readme,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.readmeUpdateTime || row.createTime),
  });
}

export const selectRepo = (db: Database, uid: string) =>
  db.select().from(repos).where(eq(repos.uid, uid));

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
import type { Listing } from "../aip/listing.ts";
import { messageOf } from "../aip/well_formed.ts";
import type { Call, Database } from "../auth/call.ts";
import { list, type Page } from "../auth/list.ts";

export type Row = typeof repos.$inferSelect;

/** What a List of version 2 reads. Readmes are long. */
export type Listed = Omit<Row, "readme" | "readmeUpdateTime">;

const { readme: _readme, readmeUpdateTime: _readmeTime, ...columns } = getTableColumns(repos);

export const listing: Listing<Listed> = {
  kind: "repos",
  table: repos,
  deepest: 4,
  orders: { uid: "uid", name: "name", create_time: "createTime", update_time: "updateTime" },
  byDefault: "uid",
  select: (db) => db.select(columns).from(repos).$dynamic() as never,
};

/** As {@link listing}, with the readmes. */
export const listingWithReadmes: Listing<Listed & { readme: string }> = {
  ...listing,
  wide: {
    name: repos.name,
    description: repos.description,
    aliases: repos.aliases,
    activeTags: repos.activeTags,
    syncConfig: repos.syncConfig,
    customOverlay: repos.customOverlay,
    readme: repos.readme,
  },
  select: (db) =>
    db
      .select({ ...columns, readme: repos.readme })
      .from(repos)
      .$dynamic() as never,
};

/** One page of the rows that a listing reads of the repos asked for. */
export function listRows<R extends Listed>(
  request: ListReposRequest,
  call: Call,
  of: Listing<R>,
): Promise<Page<R>> {
  const named = request.name === undefined ? undefined : eq(repos.name, request.name);
  return list(call, request, of, { filters: [named], lookup: named ? "scoped" : "walk" });
}

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

import { create, fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, getTableColumns } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import {
  CustomOverlaySchema,
  type Repo,
  type RepoReadme,
  RepoReadmeSchema,
  RepoSchema,
  ReposService,
  SyncConfigSchema,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { manifests } from "../../schema/tables/manifests.ts";
import { repos } from "../../schema/tables/repos.ts";
import { tags } from "../../schema/tables/tags.ts";
import { alreadyExists, invalidArgument, notFound } from "../aip/errors.ts";
import { applyMask } from "../aip/field_mask.ts";
import type { Listing } from "../aip/listing.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorized } from "../auth/access.ts";
import type { Call, Database } from "../auth/call.ts";
import { list } from "../auth/list.ts";
import { commit, commitGuarded, nextTime, retryStale } from "../outbox/commit.ts";
import { record } from "../outbox/outbox.ts";
import { service } from "../rpc/service.ts";
import { checkReadme } from "./readme_html.ts";
import { selectSource, settleSync } from "./sync_config.ts";

type Row = typeof repos.$inferSelect;

const { readme: _readme, readmeUpdateTime: _readmeTime, ...columns } = getTableColumns(repos);

type Listed = Omit<Row, "readme" | "readmeUpdateTime">;

const listing: Listing<Listed> = {
  kind: "repos",
  table: repos,
  deepest: 4,
  orders: { uid: "uid", name: "name", create_time: "createTime", update_time: "updateTime" },
  byDefault: "uid",
  select: (db) => db.select(columns).from(repos).$dynamic() as never,
};

/** Stored row to message. */
function toRepo(row: Listed): Repo {
  return create(RepoSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    catalogTier: row.catalogTier,
    bundles: row.bundles,
    aliases: row.aliases,
    activeTags: row.activeTags,
    ...(row.syncConfig
      ? { syncConfig: fromJson(SyncConfigSchema, row.syncConfig as JsonValue) }
      : {}),
    ...(row.customOverlay
      ? { customOverlay: fromJson(CustomOverlaySchema, row.customOverlay as JsonValue) }
      : {}),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** What a client may set of a repo, as columns. */
const toColumns = (repo: Repo) => ({
  name: repo.name,
  description: repo.description,
  catalogTier: repo.catalogTier as number,
  bundles: repo.bundles,
  aliases: repo.aliases,
  activeTags: repo.activeTags,
  syncConfig: repo.syncConfig ? toJson(SyncConfigSchema, repo.syncConfig) : null,
  customOverlay: repo.customOverlay ? toJson(CustomOverlaySchema, repo.customOverlay) : null,
});

function toReadme(row: Row): RepoReadme {
  return create(RepoReadmeSchema, {
    uid: row.uid,
    content: row.readme,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.readmeUpdateTime || row.createTime),
  });
}

const selectRepo = (db: Database, uid: string) => db.select().from(repos).where(eq(repos.uid, uid));

async function find(call: Call, uid: string) {
  const { caller, rows } = await authorized(call, uid, [selectRepo(call.db, uid)]);
  const [row] = rows[0];
  if (!row) throw notFound("registry/Repo", uid);
  return { caller, row };
}

/** Names and values the operator keeps for itself (contract: CustomOverlay). */
function checkReserved(repo: Repo, vendor: string): void {
  const { environment = {}, annotations = {} } = repo.customOverlay ?? {};
  for (const key of Object.keys(environment)) {
    if (key.startsWith(`${vendor.toUpperCase()}_`)) {
      throw invalidArgument("custom_overlay.environment", `environment ${key} is reserved`);
    }
  }
  for (const key of Object.keys(annotations)) {
    if (key.startsWith(`dev.${vendor}.`) || key.startsWith("org.opencontainers.")) {
      throw invalidArgument("custom_overlay.annotations", `annotation ${key} is reserved`);
    }
  }
}

/** Reads what a repo is written under, with the source it names, and what the caller holds there. */
async function readForWrite<const S extends readonly BatchItem<"sqlite">[]>(
  call: Call,
  uid: string,
  source: string | undefined,
  statements: S,
) {
  if (source === undefined) {
    const { caller, rows } = await authorized(call, uid, statements);
    return { caller, rows, source: undefined };
  }
  const all = [selectSource(call, source), ...statements] as const;
  const { caller, rows } = await authorized(call, uid, all, { everywhere: true });
  const [[found], ...rest] = rows;
  return { caller, rows: rest as unknown as BatchResponse<S>, source: found };
}

export const reposService = service(ReposService, {
  async getRepo({ uid }, call) {
    return toRepo((await find(call, uid)).row);
  },

  async listRepos(request, call) {
    const named = request.name === undefined ? undefined : eq(repos.name, request.name);
    const page = await list(call, request, listing, {
      filters: [named],
      lookup: named ? "scoped" : "walk",
    });
    return { repos: page.rows.map(toRepo), ...page.envelope };
  },

  async createRepo({ parent, repo: given }, call) {
    const group = call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent));
    const wanted = given?.syncConfig?.source;
    const { caller, rows, source } = await readForWrite(call, parent, wanted, [group]);
    if (!rows[0][0]) throw notFound("iam/Group", parent);
    const repo = applyMask(RepoSchema, create(RepoSchema), given ?? create(RepoSchema), undefined);
    checkReserved(repo, call.config.vendor);
    settleSync(call, caller, undefined, repo, source);
    repo.uid = newUid(parent);
    repo.createTime = timestampFromMs(call.now);
    repo.updateTime = timestampFromMs(call.now);
    const times = { createTime: call.now, updateTime: call.now };
    await commit(
      call,
      [
        call.db.insert(repos).values({ uid: repo.uid, ...toColumns(repo), ...times }),
        record(call, caller, {
          subject: repo.uid,
          group: parent,
          body: { desc: RepoSchema, message: repo },
        }),
      ],
      () => alreadyExists("registry/Repo", repo.name),
    );
    return repo;
  },

  updateRepo: ({ repo: change, updateMask }, call) =>
    retryStale(async () => {
      const given = change ?? create(RepoSchema);
      const wanted = given.syncConfig?.source;
      const select = selectRepo(call.db, given.uid);
      const { caller, rows, source } = await readForWrite(call, given.uid, wanted, [select]);
      const [row] = rows[0];
      if (!row) throw notFound("registry/Repo", given.uid);
      const before = toRepo(row);
      const repo = applyMask(RepoSchema, before, given, updateMask);
      validate(RepoSchema, repo);
      settleSync(call, caller, before, repo, source);
      checkReserved(repo, call.config.vendor);
      const updateTime = nextTime(call, row.updateTime);
      repo.updateTime = timestampFromMs(updateTime);
      await commitGuarded(
        call,
        [
          call.db
            .update(repos)
            .set({ ...toColumns(repo), updateTime })
            .where(and(eq(repos.uid, row.uid), eq(repos.updateTime, row.updateTime)))
            .returning({ uid: repos.uid }),
          record(call, caller, {
            subject: row.uid,
            group: parentOf(row.uid),
            body: { desc: RepoSchema, message: repo },
          }),
        ],
        () => alreadyExists("registry/Repo", repo.name),
      );
      return repo;
    }),

  /** Takes the repo's tags and manifests with it; the history of its tags stays. */
  async deleteRepo(request, call) {
    const { caller, row } = await find(call, request.uid);
    await commit(call, [
      call.db.delete(tags).where(eq(tags.parent, row.uid)),
      call.db.delete(manifests).where(eq(manifests.parent, row.uid)),
      call.db.delete(repos).where(eq(repos.uid, row.uid)),
      record(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: call.method.input, message: request },
      }),
    ]);
    return {};
  },

  async getRepoReadme({ uid }, call) {
    return toReadme((await find(call, uid)).row);
  },

  updateRepoReadme: ({ repoReadme: change, updateMask }, call) =>
    retryStale(async () => {
      const given = change ?? create(RepoReadmeSchema);
      const { caller, row } = await find(call, given.uid);
      const readme = applyMask(RepoReadmeSchema, toReadme(row), given, updateMask);
      validate(RepoReadmeSchema, readme);
      await checkReadme(readme.content);
      const updateTime = nextTime(call, row.updateTime);
      readme.updateTime = timestampFromMs(updateTime);
      await commitGuarded(call, [
        call.db
          .update(repos)
          .set({ readme: readme.content, readmeUpdateTime: updateTime, updateTime })
          .where(and(eq(repos.uid, row.uid), eq(repos.updateTime, row.updateTime)))
          .returning({ uid: repos.uid }),
        record(call, caller, {
          subject: row.uid,
          group: parentOf(row.uid),
          body: { desc: RepoReadmeSchema, message: readme },
        }),
      ]);
      return readme;
    }),
});

import { create, toJson } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import {
  type CreateRepoRequest,
  CustomOverlaySchema,
  type ListReposRequest,
  type Repo,
  RepoSchema,
  type ReposService,
  SyncConfigSchema,
  type UpdateRepoRequest,
  UpstreamScheduleSchema,
  UpstreamSchema,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { type RowOf, rowColumns } from "../../../schema/tables/list_indexes.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { StaleError } from "../../aip/stale.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import type { ListOptions } from "../../paging/page.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup, selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import type { Handlers } from "../../rpc/service.ts";
import { permitRemoval, selectKeptTags, selectTagsOfRenamed } from "../tag_rules/held_tags.ts";
import { allowedBefore } from "../tag_rules/permits.ts";
import { type RuleRow, selectRules } from "../tag_rules/stored_rules.ts";
import { deletionAtOnce, deletionInBatches, selectHasManyRows } from "./deletion.ts";
import {
  applySync,
  guardedSource,
  type SyncSource,
  selectSync,
  selectSyncSource,
  syncIdentityOf,
  toSyncStatus,
  type V1SyncOptions,
  warnOfNoEffect,
} from "./sync_config.ts";
import { applyUpstream, selectUpstreamState, toUpstreamStatus } from "./upstream.ts";

type Row = RowOf<typeof repos>;

/** The columns that a List of version 2 reads. Readmes are long and left out. */
type Listed = Omit<Stored<typeof repos>, "readme" | "readmeUpdateTime" | "upstreamPassword">;

const {
  readme: _readme,
  readmeUpdateTime: _readmeTime,
  upstreamPassword: _upstreamPassword,
  ...columns
} = rowColumns(repos);

const listing = defineListing({
  table: repos,
  select: (db, from) => db.select(columns).from(from),
});

/** Like {@link listing}, with the readmes. */
export const repoListingWithReadmes = defineListing({
  table: repos,
  select: (db, from) => db.select({ ...columns, readme: repos.readme }).from(from),
});

/** The filters of a List of repositories. */
export const filtersOf = ({ name, namePrefix }: ListReposRequest): ListOptions =>
  name === undefined
    ? { namePrefix }
    : { filters: [eq(repos.name, name)], index: "scope_index", namePrefix };

/** Converts a stored row to a message. */
export function toRepo(row: Listed): Repo {
  return wholeMessage(RepoSchema, {
    uid: row.uid,
    name: row.name,
    description: row.description,
    catalogTier: row.catalogTier,
    bundles: row.bundles,
    aliases: row.aliases,
    activeTags: row.activeTags,
    syncConfig: row.syncConfig ? messageFromStored(SyncConfigSchema, row.syncConfig) : undefined,
    customOverlay: row.customOverlay
      ? messageFromStored(CustomOverlaySchema, row.customOverlay)
      : undefined,
    upstream: row.upstream ? messageFromStored(UpstreamSchema, row.upstream) : undefined,
    upstreamSchedule: row.upstreamSchedule
      ? messageFromStored(UpstreamScheduleSchema, row.upstreamSchedule)
      : undefined,
    upstreamStatus: undefined,
    syncStatus: undefined,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

/** The fields of a repository that a client can set, as columns. */
const toColumns = (repo: Repo) => ({
  name: repo.name,
  description: repo.description,
  catalogTier: repo.catalogTier as number,
  bundles: repo.bundles,
  aliases: repo.aliases,
  activeTags: repo.activeTags,
  syncConfig: repo.syncConfig ? toJson(SyncConfigSchema, repo.syncConfig) : null,
  customOverlay: repo.customOverlay ? toJson(CustomOverlaySchema, repo.customOverlay) : null,
  upstream: repo.upstream ? toJson(UpstreamSchema, repo.upstream) : null,
  upstreamSchedule: repo.upstreamSchedule
    ? toJson(UpstreamScheduleSchema, repo.upstreamSchedule)
    : null,
});

/** The resource. The mirror of a prefix creates repositories too (src/distribution/mirror). */
export const repo = resource({
  type: "registry/Repo",
  schema: RepoSchema,
  table: repos,
  select: selectRow(repos),
  toMessage: toRepo,
  toColumns,
  groupOf: parentOf,
  imageOf: (uid) => ({ repo: uid }),
  unique: ({ name }) => name,
  otherFields: { upstreamStatus: "computed", syncStatus: "computed" },
});

/** A readme with its check, because the registry host creates repositories and renders no readmes. */
export interface NewReadme {
  content: string;
  check: () => Promise<void>;
}

/** The columns of a readme that replaces another one at that time. */
const readmeColumns = (readme: NewReadme | undefined, before: string, time: number) =>
  readme === undefined || readme.content === before
    ? {}
    : { readme: readme.content, readmeUpdateTime: time };

/** The data that version 1 writes in addition to a request of version 2. */
interface V1Options {
  /** The readme to write in the same batch, and the check of its rules. Undefined keeps the current one. */
  readme?: NewReadme | undefined;
  /** Sync settings that only the server sets in version 2. */
  sync?: V1SyncOptions | undefined;
  /**
   * The fields to replace if a repository already has the name. Without them the call fails with
   * ALREADY_EXISTS.
   */
  replaces?: string[];
}

/** Names and values that are reserved for the operator (contract: CustomOverlay). */
function checkReserved(repo: Repo, vendor: string): void {
  const { environment = {}, annotations = {} } = repo.customOverlay ?? {};
  for (const key of Object.keys(environment)) {
    if (key.startsWith(`${vendor.toUpperCase()}_`)) {
      throw invalidArgument(
        "custom_overlay.environment",
        `custom_overlay.environment must not contain ${quoted(key)}, which is reserved for the operator`,
      );
    }
  }
  for (const key of Object.keys(annotations)) {
    if (key.startsWith(`dev.${vendor}.`) || key.startsWith("org.opencontainers.")) {
      throw invalidArgument(
        "custom_overlay.annotations",
        `custom_overlay.annotations must not contain ${quoted(key)}, which is reserved for the operator`,
      );
    }
  }
}

/**
 * Creates a repository, or replaces the fields that `v1` names in the one with that name. The event is the
 * same in both cases.
 */
export async function createRepo(
  { parent, repo: sentRepo = create(RepoSchema) }: CreateRepoRequest,
  call: Call,
  v1: V1Options = {},
): Promise<Repo> {
  const { readme, sync, replaces } = v1;
  const named = call.db
    .select(rowColumns(repos))
    .from(repos)
    .where(and(eq(repos.parent, parent), eq(repos.name, sentRepo.name)))
    .limit(replaces ? 1 : 0);
  const wanted = selectSyncSource(call, sentRepo.syncConfig?.source);
  const { caller, extraReads } = await find(call, parentGroup, parent, {
    extraReads: [named, ...wanted],
    everywhere: wanted.length > 0,
  });
  const [[namesake], ...sources] = extraReads;
  const source = guardedSource(call, sources);
  if (namesake && replaces) {
    const mask = { paths: replaces };
    return change(call, caller, namesake, {
      sentRepo,
      mask,
      source,
      v1,
      rules: [],
      kept: [],
      isCreate: true,
    });
  }
  const message = newMessage(repo, sentRepo);
  checkReserved(message, call.config.vendor);
  applySync(call, caller, undefined, message, source, sync);
  await readme?.check();
  const uid = newUid(parent);
  const secret = await applyUpstream(call, { uid, upstreamPassword: "" }, message);
  const syncIdentity = syncIdentityOf(caller, undefined, message, "");
  warnOfNoEffect(call, message);
  return writeCreate(call, repo, caller, message, {
    uid,
    columns: { ...readmeColumns(readme, "", call.now), ...secret, syncIdentity },
    // Another call was faster. Its repository is read and replaced.
    conflict: replaces && (() => new StaleError()),
  });
}

/** Changes the masked fields of a repository, and its readme if `v1` contains one. */
export async function updateRepo(
  { repo: sentRepo = create(RepoSchema), updateMask: mask }: UpdateRepoRequest,
  call: Call,
  v1: V1Options = {},
): Promise<Repo> {
  const wanted = selectSyncSource(call, sentRepo.syncConfig?.source);
  const everywhere = wanted.length > 0;
  const { caller, row, extraReads } = await find(call, repo, sentRepo.uid, {
    extraReads: [
      selectRules(call.db, sentRepo.uid),
      selectTagsOfRenamed(call.db, sentRepo.uid, sentRepo.name),
      ...wanted,
    ],
    everywhere,
  });
  const [rules, kept, ...sources] = extraReads;
  const source = guardedSource(call, sources);
  return change(call, caller, row, { sentRepo, mask, source, v1, rules, kept, isCreate: false });
}

interface Change {
  sentRepo: Repo;
  mask: { paths: string[] } | undefined;
  source: SyncSource | undefined;
  v1: V1Options;
  /** The rules about its tags. A new name counts as the deletion of all tags with the old one. */
  rules: RuleRow[];
  /** The tags that these rules match. */
  kept: { name: string; digest: string }[];
  /** A Create replaces the repository. It always has its event, even if it changes nothing. */
  isCreate: boolean;
}

/**
 * Throws PERMISSION_DENIED unless the caller may update the whole group. Names belong to the group: someone with a role on
 * one repository must not take a name, and must not find out which ones are taken.
 */
function requireNaming({ capabilities }: Call, caller: Caller, uid: string): void {
  const group = parentOf(uid);
  if (holds(caller, capabilities, group)) return;
  const text =
    "to rename a repository, you need the capability repo.update on its group or above it";
  throw accessDenied(text, { capabilities, resource: group });
}

async function change(
  call: Call,
  caller: Caller,
  row: Row,
  { sentRepo, mask, source, v1: { readme, sync }, rules, kept, isCreate }: Change,
): Promise<Repo> {
  const update = maskedUpdate(call, repo, row, sentRepo, mask);
  applySync(call, caller, update.before, update.after, source, sync);
  checkReserved(update.after, call.config.vendor);
  await readme?.check();
  const { uid, upstreamPassword } = row;
  const stored = { uid, repo: update.before, upstreamPassword };
  const secret = await applyUpstream(call, stored, update.after);
  const syncIdentity = syncIdentityOf(caller, update.before, update.after, row.syncIdentity);
  warnOfNoEffect(call, update.after);
  const isRenamed = update.after.name !== update.before.name;
  if (isRenamed) requireNaming(call, caller, row.uid);
  const permit = isRenamed
    ? await permitRemoval(call, caller, { repo: row.uid, rules }, kept)
    : allowedBefore;
  return writeUpdate(call, repo, caller, update, {
    extraWrites: permit.before,
    columns: { ...readmeColumns(readme, row.readme, update.updateTime), ...secret, syncIdentity },
    hasChanged:
      isCreate ||
      (readme !== undefined && readme.content !== row.readme) ||
      secret.upstreamPassword !== upstreamPassword,
  });
}

/** The handlers of ReposService, without those for readmes (repos_service.ts). */
export const repoHandlers: Omit<
  Handlers<typeof ReposService>,
  "getRepoReadme" | "updateRepoReadme"
> = {
  async getRepo({ uid }, call) {
    const { row, extraReads } = await find(call, repo, uid, {
      extraReads: [selectUpstreamState(call.db, uid), selectSync(call.db, uid)],
    });
    const [[state], [sync]] = extraReads;
    const upstreamStatus = toUpstreamStatus(state, call.now);
    const syncStatus = row.syncConfig ? toSyncStatus(sync) : undefined;
    return Object.assign(toRepo(row), { upstreamStatus, syncStatus });
  },

  async listRepos(request, call) {
    const page = await list(call, request, listing, filtersOf(request));
    return { repos: page.rows.map(toRepo), ...page.envelope };
  },

  createRepo: (request, call) => createRepo(request, call),
  updateRepo: (request, call) => updateRepo(request, call),

  /** Deletes the repository and everything in it, except its tag history. */
  async deleteRepo(request, call) {
    const { uid, overrideReason } = request;
    const { caller, extraReads } = await find(call, repo, uid, {
      extraReads: [
        selectHasManyRows(call.db, uid),
        selectRules(call.db, uid),
        selectKeptTags(call.db, uid),
      ],
    });
    const [[size], rules, kept] = extraReads;
    const permit = await permitRemoval(call, caller, { repo: uid, rules, overrideReason }, kept);
    const contents = size?.isLarge ? deletionInBatches : deletionAtOnce;
    return writeDelete(call, repo, caller, request, contents(call, caller, uid, permit));
  },
};

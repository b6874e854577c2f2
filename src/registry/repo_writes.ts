/** How a repo is made and changed, by either version: version 1 writes the readme along with it. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import {
  type CreateRepoRequest,
  type Repo,
  RepoReadmeSchema,
  RepoSchema,
  type UpdateRepoRequest,
} from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { repos } from "../../schema/tables/repos.ts";
import { alreadyExists, invalidArgument, notFound } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { isAsRead, Stale } from "../aip/stale.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { commit, commitIfChanged, nextTime, onlyIf } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { checkReadme } from "./readme_html.ts";
import { type Row, selectRepo, toColumns, toRepo } from "./repo_rows.ts";
import { type Source, selectSource, settleSync, type V1SyncOptions } from "./sync_config.ts";

/** What is written beyond the request of version 2. */
interface V1Options {
  /** The readme to write in the same batch; undefined: it stays as it is. */
  readme?: string | undefined;
  /** Sync settings that version 2 leaves to the server. */
  sync?: V1SyncOptions | undefined;
  /** Fields to replace of a repo that already has the name; undefined: that is ALREADY_EXISTS. */
  replaces?: string[];
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

/** The rules of the readme, whose violations name `content`, the field of version 2. */
async function checkContent(readme: string | undefined): Promise<void> {
  if (readme === undefined) return;
  validate(RepoReadmeSchema, create(RepoReadmeSchema, { content: readme }));
  await checkReadme(readme);
}

/** Columns of a readme that is written at that time over the one before it. */
const readmeColumns = (readme: string | undefined, before: string, time: number) =>
  readme === undefined || readme === before ? {} : { readme, readmeUpdateTime: time };

/** Reads what a repo is written under, with the source it names, and what the caller holds there. */
async function readForWrite<const S extends readonly BatchItem<"sqlite">[]>(
  call: Call,
  uid: string,
  source: string | undefined,
  statements: S,
) {
  if (source === undefined) {
    const { caller, rows } = await authorizeAndRead(call, uid, statements);
    return { caller, rows, source: undefined };
  }
  const all = [selectSource(call, source), ...statements] as const;
  const { caller, rows } = await authorizeAndRead(call, uid, all, { everywhere: true });
  const [[found], ...rest] = rows;
  if (found) call.guards.set("source", () => onlyIf(call.db, isAsRead(repos, found)));
  return { caller, rows: rest as unknown as BatchResponse<S>, source: found };
}

/** Makes a repo, or replaces what `v1` says of the one of that name. The same event either way. */
export const createRepo = async (
  { parent, repo: given = create(RepoSchema) }: CreateRepoRequest,
  call: Call,
  { readme, sync, replaces }: V1Options = {},
): Promise<Repo> => {
  const { db } = call;
  const { caller, rows, source } = await readForWrite(call, parent, given.syncConfig?.source, [
    db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent)),
    db
      .select()
      .from(repos)
      .where(and(eq(repos.parent, parent), eq(repos.name, given.name)))
      .limit(replaces ? 1 : 0),
  ]);
  if (!rows[0][0]) throw notFound("iam/Group", parent);
  const [namesake] = rows[1];
  if (namesake && replaces) {
    const mask = { paths: replaces };
    return change(call, caller, namesake, { given, mask, source, readme, sync, isCreate: true });
  }
  const repo = applyMask(RepoSchema, create(RepoSchema), given, undefined);
  checkReserved(repo, call.config.vendor);
  settleSync(call, caller, undefined, repo, source, sync);
  await checkContent(readme);
  repo.uid = newUid(parent);
  repo.createTime = timestampFromMs(call.now);
  repo.updateTime = timestampFromMs(call.now);
  const times = { createTime: call.now, updateTime: call.now };
  const content = readmeColumns(readme, "", call.now);
  await commit(
    call,
    [
      db.insert(repos).values({ uid: repo.uid, ...toColumns(repo), ...content, ...times }),
      insertEvent(call, caller, {
        subject: repo.uid,
        group: parent,
        body: { desc: RepoSchema, message: repo },
      }),
    ],
    // Another call was faster: what it made is read and replaced.
    () => (replaces ? new Stale() : alreadyExists("registry/Repo", repo.name)),
  );
  return repo;
};

/** Changes the masked fields of a repo, and its readme where `v1` has one. */
export const updateRepo = async (
  { repo: given = create(RepoSchema), updateMask: mask }: UpdateRepoRequest,
  call: Call,
  { readme, sync }: V1Options = {},
): Promise<Repo> => {
  const select = selectRepo(call.db, given.uid);
  const wanted = given.syncConfig?.source;
  const { caller, rows, source } = await readForWrite(call, given.uid, wanted, [select]);
  const [row] = rows[0];
  if (!row) throw notFound("registry/Repo", given.uid);
  return change(call, caller, row, { given, mask, source, readme, sync, isCreate: false });
};

interface Change extends Pick<V1Options, "readme" | "sync"> {
  given: Repo;
  mask: { paths: string[] } | undefined;
  source: Source | undefined;
  /** A Create replaces the repo: it has its event, whatever it changes. */
  isCreate: boolean;
}

/** Throws Stale where the row is no longer as it was read. */
async function change(
  call: Call,
  caller: Caller,
  row: Row,
  { given, mask, source, readme, sync, isCreate }: Change,
): Promise<Repo> {
  const before = toRepo(row);
  const repo = applyMask(RepoSchema, before, given, mask);
  validate(RepoSchema, repo);
  settleSync(call, caller, before, repo, source, sync);
  checkReserved(repo, call.config.vendor);
  await checkContent(readme);
  const isSameReadme = readme === undefined || readme === row.readme;
  if (!isCreate && isSameReadme && changesNothing(RepoSchema, before, repo)) return before;
  const updateTime = nextTime(call, row.updateTime);
  repo.updateTime = timestampFromMs(updateTime);
  const content = readmeColumns(readme, row.readme, updateTime);
  await commitIfChanged(
    call,
    [
      call.db
        .update(repos)
        .set({ ...toColumns(repo), ...content, updateTime })
        .where(and(eq(repos.uid, row.uid), eq(repos.updateTime, row.updateTime))),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(row.uid),
        body: { desc: RepoSchema, message: repo },
      }),
    ],
    () => alreadyExists("registry/Repo", repo.name),
  );
  return repo;
}

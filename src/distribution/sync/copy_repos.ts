/** The schedule of synced repositories: copies the tags of their sources (`sync_config.source`). */
import { create } from "@bufbuild/protobuf";
import { eq, sql } from "drizzle-orm";
import { RepoSchema, ReposService } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { repoSyncs } from "../../../schema/tables/registry/mirrors.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { StaleError } from "../../aip/stale.ts";
import { repo as repoResource, toRepo } from "../../registry/repos/repos.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { logFailure } from "../../rpc/database_failure.ts";
import type { RegistryContext } from "../context.ts";
import { reasonOf } from "../mirror/failures.ts";
import { mirrorCall, mirrorCaller, unchanged } from "../mirror/store_manifest.ts";
import { type Copy, copyTag, NotCopied } from "./copy_image.ts";
import { accessTo, type DueRepo, type SourceAccess, selectDue } from "./synced_repos.ts";

/** The tags that one run copies to a repository. */
const mostTags = 100;

/** The longest time for one repository in a run, in milliseconds. */
const longestTurn = 10_000;

/** Copies to all repositories that are due, until `end`. A repository that fails holds up no other. */
export async function copyRepos(context: RegistryContext, end: number): Promise<void> {
  for (const due of await selectDue(context)) {
    if (Date.now() > end) return;
    const now = Date.now();
    const { databases } = context;
    const own = { ...context, now, db: databases.databaseOf(due.uid) };
    try {
      await copyRepo(own, due, Math.min(end, now + longestTurn));
    } catch (thrown) {
      // The next run continues, after those that have waited for longer. If it was deleted, there is nothing to note.
      await note(own, due, "it could not be copied", true).catch(() => {});
      // Someone has changed the settings or the access. The next run reads them again.
      if (thrown instanceof StaleError) continue;
      logFailure("a synced repository was not copied", thrown, { level: "warn" });
    }
  }
}

async function copyRepo(context: RegistryContext, due: DueRepo, end: number): Promise<void> {
  const { source } = due;
  if (source === null) return note(context, due, "the source does not exist", false);
  const access = await accessTo(context, source, due);
  if (!access)
    return note(context, due, "the identity that set the source cannot pull from it", false);
  const guards = new Map([...unchanged(context, due), ...access.guard]);
  const moved = await selectMoved(context, due, source, access);
  const copy = { source, target: due.uid, guards };
  const { problem, copied, isDone } = await copyTags(context, copy, moved, end);
  await inherit(context, due, source);
  await note(context, due, problem, !isDone || (moved.length === mostTags && copied > 0));
}

/** The tags of the source that the repository does not have, or that point elsewhere there. */
async function selectMoved(
  { db }: RegistryContext,
  { uid, activeTags }: DueRepo,
  source: string,
  { only }: SourceAccess,
) {
  const active: string[] = JSON.parse(activeTags ?? "[]");
  const isAllowed = only ? sql`${tags.name} in ${only}` : sql`true`;
  const isActive =
    active.length === 0
      ? sql`true`
      : sql`${tags.name} in (select value from json_each(${activeTags}))`;
  return (
    db
      .select({ tag: tags.name, digest: tags.digest })
      .from(tags)
      .where(
        sql`${isInRepo(source)} and ${tags.digest} <> '' and ${isActive} and ${isAllowed} and not exists (
        select 1 from ${tags} as "own" where ${isInRepo(uid, "own")}
          and "own"."name" = ${tags.name} and "own"."digest" = ${tags.digest})`,
      )
      // Those that a rule refuses must not keep the others out.
      .orderBy(sql`random()`)
      .limit(mostTags)
  );
}

/** Copies some tags. Returns the first problem, the number of copies, and whether it came to the end. */
async function copyTags(
  context: RegistryContext,
  copy: Copy,
  moved: { tag: string; digest: string }[],
  end: number,
): Promise<{ problem: string; copied: number; isDone: boolean }> {
  let problem = "";
  let copied = 0;
  for (const { tag, digest } of moved) {
    if (Date.now() > end) return { problem, copied, isDone: false };
    const why = await copyTag({ ...context, now: Date.now() }, copy, tag, digest).catch(whyNot);
    if (why === "") copied += 1;
    else problem ||= `${tag}: ${why}`;
  }
  return { problem, copied, isDone: true };
}

const whyNot = (thrown: unknown) =>
  thrown instanceof NotCopied ? thrown.message : reasonOf(thrown);

const inherited = ["catalog_tier", "bundles", "aliases", "active_tags"];

/** A synced repository has some fields of its source. */
async function inherit(context: RegistryContext, { uid }: DueRepo, source: string): Promise<void> {
  const { db } = context;
  const select = (of: string) => db.select(rowColumns(repos)).from(repos).where(eq(repos.uid, of));
  const [[row], [from]] = await db.batch([select(uid), select(source)]);
  if (!row?.syncConfig || !from) return;
  const { catalogTier, bundles, aliases, activeTags } = toRepo(from);
  const sent = create(RepoSchema, { catalogTier, bundles, aliases, activeTags });
  const call = mirrorCall(context, new Map(), ReposService.method.updateRepo);
  const update = maskedUpdate(call, repoResource, row, sent, { paths: inherited });
  await writeUpdate(call, repoResource, mirrorCaller, update);
}

/** Records that the repository was compared with its source. */
async function note(
  { db, now }: RegistryContext,
  { uid }: DueRepo,
  problem: string,
  isPartial: boolean,
): Promise<void> {
  const state = { time: now, problem, isPartial };
  await db
    .insert(repoSyncs)
    .values({ repo: uid, ...state })
    .onConflictDoUpdate({ target: repoSyncs.repo, set: state });
}

/** Stores what was fetched from an upstream as a push would, and moves the tag by the tag rules. */
import { create, type DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { and, eq, isNotNull } from "drizzle-orm";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import { ManifestsService } from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { RepoSchema, ReposService } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { TagSchema, TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { demandsOf } from "../../../schema/options.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { isUnchanged, retryStale, StaleError } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import type { StoredConfig } from "../../registry/images/image_config.ts";
import { selectManifest, storeManifest } from "../../registry/images/stored_manifests.ts";
import { repo as repoResource } from "../../registry/repos/repos.ts";
import { type Permit, permitAllowed } from "../../registry/tag_rules/permits.ts";
import type { ImageConfig } from "../../registry/tag_rules/requirements.ts";
import { selectRules } from "../../registry/tag_rules/stored_rules.ts";
import { selectNamedTag } from "../../registry/tags/tag_rows.ts";
import { moveTag, selectLastMove } from "../../registry/tags/tag_writes.ts";
import { newMessage, writeCreate } from "../../resource/create.ts";
import { selectBlobState } from "../blobs/blob_state.ts";
import { createStorage, isWithinLimit, selectQuota } from "../blobs/rows.ts";
import { limitOf } from "../blobs/upload_rows.ts";
import type { RegistryContext } from "../context.ts";
import { storageLimitReached } from "../errors.ts";
import { isAmong, requireChildren, selectChildren } from "../manifests/rows.ts";
import { contentStatements, type Push } from "../manifests/store.ts";
import { HeldMemory } from "../memory.ts";
import { verifyLater } from "../signatures/pushed_signatures.ts";
import type { FetchedManifest } from "./fetch_manifest.ts";
import type { Mirror } from "./setting.ts";
import { noteTag } from "./states.ts";

/** The mover of tags and the creator of repositories: the mirror itself, which has no roles. */
export const mirrorCaller: Caller = { identity: "", name: "", act: {}, grants: [] };

/** A guard of a batch: no one has changed the repository since it was read. */
export const unchanged = (
  { db }: Pick<RegistryContext, "db">,
  read: { uid: string; updateTime: number },
): Call["guards"] => new Map([["mirror", () => onlyIf(db, isUnchanged(repos, read))]]);

/** A call of an RPC by the mirror. */
export const mirrorCall = (
  { config, db, databases, now, request, after }: RegistryContext,
  guards: Call["guards"],
  method: DescMethod,
): Call => ({
  ...{ config, db, databases, now, method, after, guards },
  credential: undefined,
  capabilities: demandsOf(method).capabilities,
  headers: request.headers,
  responseHeaders: new Headers(),
});

/** The uid of the repository. If it does not exist, the mirror creates it. Throws RESOURCE_EXHAUSTED over a quota. */
export async function requireMirror(context: RegistryContext, mirror: Mirror): Promise<string> {
  const { repo, parent, name, holder, address } = mirror;
  if (repo !== undefined) return repo;
  const guards = unchanged(context, holder);
  const call = mirrorCall(context, guards, ReposService.method.createRepo);
  const message = newMessage(repoResource, create(RepoSchema, { name, upstream: { address } }));
  if (message.upstream) message.upstream.sourceUid = holder.uid;
  try {
    const { uid } = await writeCreate(call, repoResource, mirrorCaller, message, { parent });
    return uid;
  } catch (thrown) {
    if (!(thrown instanceof ConnectError) || thrown.code !== Code.AlreadyExists) throw thrown;
    // Another pull has just created it.
    const [created] = await context.db
      .select({ uid: repos.uid })
      .from(repos)
      .where(and(eq(repos.parent, parent), eq(repos.name, name), isNotNull(repos.upstream)));
    if (created) return created.uid;
    throw thrown;
  }
}

/** The content of one batch. */
export interface Stored {
  repo: string;
  /** Undefined if only the tag moves. */
  fetched: FetchedManifest | undefined;
  /** The configuration of the image, if it is known. */
  image: StoredConfig | undefined;
  /** Undefined for a manifest that was asked for by its digest. */
  tag: string | undefined;
  digest: string;
}

/**
 * Stores a manifest, and moves the tag to it. If a rule refuses the move, nothing is stored. Returns the reason then, and
 * otherwise an empty text. Throws DENIED if the organization may store no more.
 */
export async function storeMirrored(
  context: RegistryContext,
  guards: Call["guards"],
  stored: Stored,
): Promise<string> {
  const memory = new HeldMemory(context.config.uploadMemoryBytes, rootOf(stored.repo));
  const push = stored.fetched && toPush(stored, stored.fetched, memory);
  const discard = () => context.after(async () => push?.written?.reservation.discard());
  try {
    const refusal = await retryStale(() => store(context, guards, stored, push));
    if (push?.written?.isUsed === false) discard();
    return refusal;
  } catch (thrown) {
    discard();
    throw thrown;
  } finally {
    memory.release();
  }
}

function toPush(
  { repo, digest, tag }: Stored,
  { bytes, document }: FetchedManifest,
  memory: HeldMemory,
): Push {
  // Only the events of pushes contain the name of the image.
  const image = { full: repo, namespace: rootOf(repo), image: [] };
  const tags = tag === undefined ? [] : [tag];
  return { image, bytes, document, digest, tags, memory, documents: new Map() };
}

/** The rows that the statements depend on. */
async function readRows({ db }: RegistryContext, { repo, fetched, tag = "", digest }: Stored) {
  const [manifests, quotas, children, states, tags, moves, rules] = await db.batch([
    selectManifest({ db }, repo, digest),
    selectQuota(db, repo),
    selectChildren(db, repo, fetched?.document.children ?? []),
    selectBlobState(db, digest),
    selectNamedTag({ db }, repo, tag),
    selectLastMove({ db }, repo, tag),
    selectRules(db, repo),
  ]);
  const [manifest, quota, state] = [manifests[0], quotas[0], states[0]];
  return { manifest, quota, children, state, before: tags[0], last: moves[0], rules };
}

type Rows = Awaited<ReturnType<typeof readRows>>;

async function store(
  context: RegistryContext,
  guards: Call["guards"],
  stored: Stored,
  push: Push | undefined,
): Promise<string> {
  const { db } = context;
  const rows = await readRows(context, stored);
  const call = mirrorCall(context, guards, ManifestsService.method.createManifest);
  const permit = await permitTag(call, stored, rows);
  if (typeof permit === "string") {
    await noteTag(context, stored.repo, stored.tag ?? "", permit);
    return permit;
  }
  const limit = limitOf(context, rows.quota?.limit);
  const [first, ...rest] = [
    ...(push ? await manifestStatements(context, call, stored, rows, push) : []),
    ...(permit ? tagStatements(context, call, stored, rows, permit) : []),
    ...(limit === undefined ? [] : [isWithinLimit(db, stored.repo, limit)]),
  ];
  if (!first) return "";
  try {
    await commit(call, [first, ...rest], () => new StaleError());
  } catch (thrown) {
    const bytes = (rows.quota?.bytes ?? 0) + (push?.bytes.byteLength ?? 0);
    const isFull = limit !== undefined && bytes > limit;
    throw thrown instanceof StaleError && isFull ? storageLimitReached(limit) : thrown;
  }
  return "";
}

/** Asks the rules about the move. Undefined without a tag, and the reason if a rule refuses. */
async function permitTag(
  call: Call,
  { repo, fetched, image, tag, digest }: Stored,
  { before, rules }: Rows,
): Promise<Permit | string | undefined> {
  if (tag === undefined) return undefined;
  const { imageTime = null, config: settings = {} } = image ?? {};
  const pushed = fetched && {
    ...{ digest, imageTime, entries: fetched.document.content.entries, tags: [tag] },
    // A cast, because the database has the configuration as JSON.
    config: settings as ImageConfig,
  };
  const changes = [{ tag, from: before?.digest ?? "", to: digest }];
  const question = { repo, rules, changes, ...(pushed && { pushed }) };
  const [permit, refusals] = await permitAllowed(call, mirrorCaller, question);
  return refusals.get(tag) ?? permit;
}

async function manifestStatements(
  context: RegistryContext,
  call: Call,
  { repo, image }: Stored,
  { manifest, children, state, quota }: Rows,
  push: Push,
): Promise<Statement[]> {
  const { db } = context;
  const { digest, document } = push;
  const { mediaType, content } = document;
  const present = document.children.filter(isAmong(children));
  const limit = limitOf(context, quota?.limit);
  const described = { digest, mediaType, content, image };
  return [
    ...createStorage(db, repo),
    ...(await contentStatements(context, { repo, push, state, limit })),
    requireChildren(db, repo, present),
    ...storeManifest(call, mirrorCaller, repo, described, manifest).statements,
    ...(manifest ? [] : verifyLater(context, repo, push)),
  ];
}

function tagStatements(
  context: RegistryContext,
  call: Call,
  { repo, tag = "", digest }: Stored,
  { before, last }: Rows,
  permit: Permit,
): Statement[] {
  const noted = noteTag(context, repo, tag, "");
  if (before?.digest === digest && last?.digest === digest) return [noted];
  const { deprecated = false, bundles = [] } = before ?? {};
  const message = create(TagSchema, { name: tag, digest, deprecated, bundles });
  const tagCall = { ...call, method: TagsService.method.createTag };
  const rows = { before, last };
  const { MIRROR } = TagMoveMethod;
  const { statements } = moveTag(tagCall, mirrorCaller, repo, message, rows, permit, MIRROR);
  return [...statements, noted];
}

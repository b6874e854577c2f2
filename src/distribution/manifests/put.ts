import { ManifestsService } from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { readRequestBytes } from "../../aip/bounded_body.ts";
import { retryStale, StaleError } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, type Statement } from "../../outbox/commit.ts";
import { selectManifest, storeManifest } from "../../registry/images/stored_manifests.ts";
import { type RuleRow, selectRules } from "../../registry/tag_rules/stored_rules.ts";
import { selectNamedTag } from "../../registry/tags/tag_rows.ts";
import { selectLastMove } from "../../registry/tags/tag_writes.ts";
import { type Reach, reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import { selectBlobState } from "../blobs/blob_state.ts";
import { createStorage, isWithinLimit, selectQuota } from "../blobs/rows.ts";
import { limitOf } from "../blobs/upload_rows.ts";
import { callOf } from "../calls.ts";
import type { RegistryContext } from "../context.ts";
import { within } from "../deadline.ts";
import { algorithmOf, digestOf, isDigest, readDigest } from "../digest.ts";
import {
  digestInvalid,
  manifestBlobUnknown,
  RegistryError,
  sizeInvalid,
  storageLimitReached,
  TooSlow,
  tagInvalid,
  tooLarge,
} from "../errors.ts";
import { HeldMemory } from "../memory.ts";
import { requireRepository } from "../new_repository.ts";
import { forgetPublic } from "../public_cache.ts";
import type { ImageName } from "../repository.ts";
import { selectForSignatures, signatureStatements } from "../signatures/pushed_signatures.ts";
import { readTag } from "../tag.ts";
import { insertPush } from "../traffic.ts";
import { type Child, type ManifestDocument, readManifest } from "./document.ts";
import {
  type DocumentRow,
  noteDocuments,
  selectDocuments,
  selectWaiting,
} from "./document_rows.ts";
import { readLate } from "./late_documents.ts";
import {
  documentDigests,
  type PushedDocuments,
  readDocuments,
  subjectOf,
  writeAttachments,
} from "./pushed_documents.ts";
import { tagStatements } from "./pushed_tags.ts";
import { requireChildren, selectChildren } from "./rows.ts";
import { contentStatements, type Push } from "./store.ts";

/** The most bytes of a manifest. */
const maxManifestBytes = 4 * 1024 * 1024;

/** The most tags that one push can set. */
const maxTags = 50;

/** Reads a tag or a digest. A tag has no colon. Throws DIGEST_INVALID or TAG_INVALID. */
const readReference = (text: string) => (text.includes(":") ? readDigest(text) : readTag(text));

/** Stores the manifest and moves its tags. */
export async function putManifest(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  referenceText: string,
): Promise<Response> {
  const reference = readReference(referenceText);
  const tags = readTags(context, reference);
  // Access is checked before the body is read.
  const reach = await reachRepository(context, bearer, image, "push", []);
  const repo = await requireRepository(context, bearer, reach, image);
  let digest = "";
  const memory = new HeldMemory(context.config.uploadMemoryBytes, rootOf(repo));
  try {
    const bytes = await readManifestBytes(context, memory);
    const algorithm = isDigest(reference) ? algorithmOf(reference) : "sha256";
    digest = await digestOf(bytes, algorithm);
    if (isDigest(reference) && digest !== reference) {
      throw digestInvalid(`the manifest has the digest ${digest}`);
    }
    const document = readManifest(bytes, context.request.headers.get("content-type"));
    const push: Push = { image, bytes, document, digest, tags, memory, documents: new Map() };
    const { documents, waiting, caller } = await storeOnce(context, bearer, repo, push);
    forgetPublic(
      context,
      image,
      tags.map((tag) => `manifests/${tag}`),
    );
    await writeAttachments(context, documents, repo, (method) =>
      callOf(context, bearer, { guards: new Map() }, method),
    );
    readLater(context, { bearer, caller, image, repo, digest }, documents, waiting);
    return pushed(push);
  } catch (thrown) {
    if (thrown instanceof RegistryError) recordRefusal(context, reach, thrown);
    throw thrown;
  } finally {
    memory.release();
  }

  /** Writes the event of a refused push, after the response. */
  function recordRefusal(
    { db, waitUntil }: RegistryContext,
    { caller }: Reach,
    { status, code, message }: RegistryError,
  ): void {
    const [tag = ""] = tags;
    const traffic = { image, repo, tag, digest, error: { status, code, message } };
    waitUntil(db.batch([insertPush(context, { caller }, traffic)]).catch(() => {}));
  }
}

/** The bytes of the request. They must arrive in the time that {@link TooSlow} names. */
async function readManifestBytes(
  { request, config }: RegistryContext,
  memory: HeldMemory,
): Promise<Uint8Array> {
  const refuse = () => tooLarge(`a manifest may have at most ${maxManifestBytes} bytes`);
  const length = Number(request.headers.get("content-length") ?? maxManifestBytes);
  if (length > maxManifestBytes) throw refuse();
  await memory.take(length);
  const { uploadStallMs: stall } = config;
  const read = readRequestBytes(request, maxManifestBytes, refuse);
  return within(stall, read, () => new TooSlow(maxManifestBytes, stall));
}

/** Reads the large documents of the push, and those that waited for it, after the response. */
function readLater(
  context: RegistryContext,
  push: Omit<Parameters<typeof readLate>[1], "kinds">,
  { late, attachments }: PushedDocuments,
  waiting: { digest: string }[],
): void {
  const kinds = attachments.map(({ kind }) => kind);
  const { digest: subject } = push;
  if (late.length > 0) context.after(() => readLate(context, { ...push, kinds }, late));
  const arrived = waiting.map(({ digest }) => ({ digest, subject }));
  if (arrived.length > 0) context.after(() => readLate(context, { ...push, kinds: [] }, arrived));
}

/** A push that was stored: its documents, and those that waited for its manifest. */
interface StoredPush {
  documents: PushedDocuments;
  waiting: { digest: string }[];
  caller: Caller;
}

/** Stores the push, again if other calls were faster. Its object stays only if the manifest uses it. */
async function storeOnce(
  context: RegistryContext,
  bearer: RegistryBearer,
  repo: string,
  push: Push,
): Promise<StoredPush> {
  const discard = () => context.after(async () => push.written?.reservation.discard());
  try {
    const stored = await retryStale(() => storePush(context, bearer, repo, push));
    if (push.written?.isUsed === false) discard();
    return stored;
  } catch (thrown) {
    discard();
    throw thrown;
  }
}

/** The tag in the path, or the tags in the query next to a digest. */
function readTags({ url }: RegistryContext, reference: string): string[] {
  if (!isDigest(reference)) return [reference];
  const tags = [...new Set(url.searchParams.getAll("tag").map(readTag))];
  if (tags.length > maxTags) throw tagInvalid(`one push can set at most ${maxTags} tags`);
  return tags;
}

function pushed({ image, digest, document, tags }: Push): Response {
  const headers = new Headers({
    location: `/v2/${image.full}/manifests/${digest}`,
    "docker-content-digest": digest,
    "content-length": "0",
  });
  if (document.subject) headers.set("oci-subject", document.subject);
  for (const tag of tags) headers.append("oci-tag", tag);
  return new Response(null, { status: 201, headers });
}

/** Reads what is stored, and writes the push in one batch. Throws Stale if another call was faster. */
async function storePush(
  context: RegistryContext,
  bearer: RegistryBearer,
  repo: string,
  push: Push,
): Promise<StoredPush> {
  const { image, document, digest, tags } = push;
  const { db } = context;
  const subject = subjectOf(document, tags);
  const named = tags.flatMap((tag) => [
    selectNamedTag({ db }, repo, tag),
    selectLastMove({ db }, repo, tag),
  ]);
  const ruled = tags.length === 0 ? [] : [selectRules(db, repo)];
  const documentsOf = documentDigests(document);
  const reach = await reachRepository(context, bearer, image, "push", [
    selectManifest({ db }, repo, digest),
    selectQuota(db, repo),
    selectChildren(db, repo, document.children),
    selectBlobState(db, digest),
    selectWaiting(db, repo, digest),
    ...named,
    ...ruled,
    ...(documentsOf.length === 0 ? [] : [selectDocuments(db, repo, documentsOf, subject)]),
    ...selectForSignatures(db, repo, push),
  ]);
  const [[stored], [used], children, [state], waiting, ...rows] = reach.rows;
  const [rules = []] = rows.slice(named.length, named.length + ruled.length) as [RuleRow[]?];
  const after = rows.slice(named.length + ruled.length) as unknown[][];
  const [known = []] = documentsOf.length === 0 ? [] : (after.splice(0, 1) as [DocumentRow[]]);
  requireComplete(context, document, children);
  const limit = limitOf(context, used?.limit);
  const { caller } = reach;
  if (!caller) throw new Error("a push has a caller");
  const documents = await readDocuments(context, {
    caller,
    image,
    repo,
    document,
    subject,
    stored: children,
    known,
    room: limit === undefined ? undefined : limit - (used?.bytes ?? 0),
    memory: push.memory,
    documents: push.documents,
  });
  const signed = { ...push, repo, subject, stored: children };
  const signatures = await signatureStatements(context, caller, signed, after);
  const call = callOf(context, bearer, reach, ManifestsService.method.createManifest);
  const { mediaType, content } = document;
  const manifest = { digest, mediaType, content, image: documents.image };
  const { statements } = storeManifest(call, caller, repo, manifest, stored);
  const written = { repo, push, documents };
  const isMissing = (child: Child) => !children.some((has) => isSame(has, child));
  const present = document.children.filter((child) => !isMissing(child));
  try {
    const [first, ...rest] = [
      ...createStorage(db, repo),
      ...(await contentStatements(context, { repo, push, state, limit })),
      requireChildren(db, repo, present),
      ...noteDocuments(db, repo, documents.noted),
      ...statements,
      ...signatures,
      ...(await tagStatements(context, bearer, reach, caller, { ...written, rules }, rows)),
      ...(limit === undefined ? [] : [isWithinLimit(db, repo, limit)]),
    ] as [Statement, ...Statement[]];
    await commit({ db, guards: reach.guards }, [first, ...rest], () => new StaleError());
  } catch (thrown) {
    const isFull = limit !== undefined && (used?.bytes ?? 0) + push.bytes.byteLength > limit;
    throw thrown instanceof StaleError && isFull ? storageLimitReached(limit) : thrown;
  }
  return { documents, waiting, caller };
}

type StoredChild = Awaited<ReturnType<typeof selectChildren>>[number];

const isSame = (stored: StoredChild, { digest, isManifest }: Child) =>
  stored.digest === digest &&
  stored.kind === (isManifest ? ContentKind.manifest : ContentKind.blob);

/**
 * Throws MANIFEST_BLOB_UNKNOWN if a blob is missing, and SIZE_INVALID if one has another size. An index may
 * name manifests that the repository does not have (OCI distribution, "Pushing manifests").
 */
function requireComplete(
  { config }: RegistryContext,
  { children }: ManifestDocument,
  stored: StoredChild[],
): void {
  const missing: string[] = [];
  for (const child of children) {
    const storedChild = stored.find((candidate) => isSame(candidate, child));
    if (storedChild && storedChild.size !== child.size) {
      throw sizeInvalid(
        `${child.digest} has ${storedChild.size} bytes; the manifest says ${child.size}`,
      );
    }
    if (!storedChild && !child.isManifest && !child.isForeign) missing.push(child.digest);
  }
  if (missing.length > 0 && !config.sparseImages) throw manifestBlobUnknown(missing);
}

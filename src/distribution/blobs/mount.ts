/** Mounts of blobs from other repositories (OCI distribution, "Mounting a blob from another repository"). */
import { and, eq, sql } from "drizzle-orm";
import {
  blobs,
  ContentKind,
  organizationBlobs,
} from "../../../schema/tables/distribution/blobs.ts";
import { organizationStorage } from "../../../schema/tables/distribution/storage.ts";
import { StaleError } from "../../aip/stale.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { decide, type Reach, unnamed } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import {
  type ImageName,
  selectRepositoryPath,
  toImageName,
  toRepositoryPath,
} from "../repository.ts";
import { type BlobState, isSound, selectBlobState } from "./blob_state.ts";
import {
  type BlobRow,
  createStorage,
  isDigestOf,
  isWithinLimit,
  linkBlob,
  selectLinked,
} from "./rows.ts";

interface Target {
  repo: string;
  limit: number | undefined;
}

/**
 * Links the blob in the query parameter `mount` to the repository, if the caller can pull it from the
 * repository in `from`. Without `from`, it can come from any repository that the token names. A token that names none
 * is for all of them: the caller must then be able to pull from the whole organization. Returns the digest, or
 * undefined if nothing was mounted: the client then uploads the blob, whether it exists elsewhere or not.
 */
export async function tryMount(
  context: RegistryContext,
  bearer: RegistryBearer,
  { caller, guards }: Reach,
  { repo, limit }: Target,
): Promise<string | undefined> {
  const { searchParams } = context.url;
  const digest = searchParams.get("mount") ?? "";
  if (!isDigest(digest) || !caller) return undefined;
  const state = await findSource(context, bearer, caller, { repo, digest });
  if (!(await isSound(context, state))) return undefined;
  const { db, now } = context;
  try {
    const [first, ...rest] = createStorage(db, repo);
    await commit({ db, guards }, [
      first as (typeof rest)[number],
      ...rest,
      linkBlob(db, repo, ContentKind.blob, digest, now),
      onlyIf(
        db,
        sql`changes() > 0 or exists (select 1 from ${blobs} where ${isDigestOf(digest)} and ${blobs.size} is not null)`,
      ),
      ...(limit === undefined ? [] : [isWithinLimit(db, repo, limit)]),
    ]);
    return digest;
  } catch (thrown) {
    // The blob has just been deleted, or the limit is reached, which the upload then says.
    if (thrown instanceof StaleError) return undefined;
    throw thrown;
  }
}

/**
 * Finds the blob where the bearer can pull it. Undefined if that is nowhere. Throws UNAUTHORIZED if the caller could
 * mount from the repository in `from` with a token that names it.
 */
async function findSource(
  context: RegistryContext,
  bearer: RegistryBearer,
  caller: Caller,
  { repo, digest }: { repo: string; digest: string },
): Promise<BlobState | undefined> {
  const from = context.url.searchParams.get("from") ?? "";
  if (from === "" && bearer.access === undefined) {
    const target = { name: "", accessUid: rootOf(repo) };
    if (decide(bearer, caller, "pull", target) !== "all") return undefined;
    const [blobRows, [state]] = await context.db.batch([
      selectInOrganization(context, repo, digest),
      selectBlobState(context.db, digest),
    ]);
    return blobRows.length > 0 ? state : undefined;
  }
  const names = from === "" ? (bearer.access ?? []).map(({ name }) => name) : [from];
  const sources = names.flatMap((name) => toImageName(name) ?? []);
  const decisions = await decideAbout(context, bearer, caller, sources, digest);
  // Only now: a client that cannot get a token for the other repository uploads the blob.
  const refused = sources.find((_, index) => decisions[index]?.access === "unnamed");
  if (from !== "" && refused) throw unnamed(refused, "pull");
  return decisions.find((decision) => decision?.access === "all")?.state;
}

/** For each repository, whether the bearer can pull the blob from it, and its state. Undefined if it does not have it. */
async function decideAbout(
  { db }: RegistryContext,
  bearer: RegistryBearer,
  caller: Caller,
  sources: ImageName[],
  digest: string,
) {
  const [first, ...rest] = sources.map((source) => selectRepositoryPath(db, source));
  if (!first) return [];
  const links = sources.map((source) => selectLinked(db, source, ContentKind.blob, digest));
  const read: unknown[][] = await db.batch([first, ...rest, ...links]);
  return sources.map(({ full: name }, index) => {
    const path = read[index] as Awaited<typeof first>;
    const [row] = (read[sources.length + index] ?? []) as BlobRow[];
    const { accessUid } = toRepositoryPath(path);
    if (!row) return undefined;
    const state = { ...row, isInline: row.content !== null };
    return { access: decide(bearer, caller, "pull", { name, accessUid }), state };
  });
}

/** Whether a repository of the organization has the blob. */
const selectInOrganization = ({ db }: RegistryContext, repo: string, digest: string) =>
  db
    .select({ id: blobs.id })
    .from(organizationStorage)
    .crossJoin(blobs)
    .crossJoin(organizationBlobs)
    .where(
      and(
        eq(organizationStorage.uid, rootOf(repo)),
        isDigestOf(digest),
        eq(organizationBlobs.organization, organizationStorage.id),
        eq(organizationBlobs.blob, blobs.id),
      ),
    );

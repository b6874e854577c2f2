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
import { commit, onlyIf } from "../../outbox/commit.ts";
import { allowedActions, type Reach, requireScope } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { readDigest } from "../digest.ts";
import { readImageName, selectRepositoryPath, toRepositoryPath } from "../repository.ts";
import { createStorage, digestSql, linkBlob, selectLinked } from "./rows.ts";
import { isWithinLimit } from "./upload_rows.ts";

interface Target {
  repo: string;
  limit: number | undefined;
}

/**
 * Links the blob in the query parameter `mount` to the repository, if the caller can pull it from the
 * repository in `from`. Without `from`, the caller must be able to pull from the whole organization. Returns
 * the digest, or undefined if nothing was mounted: the client then uploads the blob, whether it exists
 * elsewhere or not.
 */
export async function tryMount(
  context: RegistryContext,
  bearer: RegistryBearer,
  { caller, guards }: Reach,
  { repo, limit }: Target,
): Promise<string | undefined> {
  const { searchParams } = context.url;
  const mount = searchParams.get("mount");
  if (mount === null || !caller) return undefined;
  const digest = readDigest(mount);
  const from = searchParams.get("from") ?? "";
  const { db, now } = context;
  if (from === "") {
    if (allowedActions(caller, ["pull"], rootOf(repo)).length === 0) return undefined;
    const [found] = await selectInOrganization(context, repo, digest);
    if (!found) return undefined;
  } else {
    const source = readImageName(from);
    const [path, [linked]] = await db.batch([
      selectRepositoryPath(db, source),
      selectLinked(db, source, ContentKind.blob, digest),
    ]);
    const { at } = toRepositoryPath(path);
    if (!linked || allowedActions(caller, ["pull"], at).length === 0) return undefined;
    // Only now: a client that cannot get a token for the other repository uploads the blob.
    requireScope(bearer, source, "pull");
  }
  try {
    const [first, ...rest] = createStorage(db, repo);
    await commit({ db, guards }, [
      first as (typeof rest)[number],
      ...rest,
      linkBlob(db, repo, ContentKind.blob, digest, now),
      onlyIf(
        db,
        sql`changes() > 0 or exists (select 1 from ${blobs} where ${blobs.digest} = ${digestSql(digest)} and ${blobs.size} is not null)`,
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
        sql`${blobs.digest} = ${digestSql(digest)}`,
        eq(organizationBlobs.organization, organizationStorage.id),
        eq(organizationBlobs.blob, blobs.id),
      ),
    );

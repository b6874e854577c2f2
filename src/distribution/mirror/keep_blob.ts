/** Gives bytes that were fetched from an upstream to the repository of the mirror. */
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { retryStale } from "../../aip/stale.ts";
import { commit, onlyIfChanged } from "../../outbox/commit.ts";
import { isSound, selectBlobState, storeBytes } from "../blobs/blob_state.ts";
import { giveWritten, Reservation } from "../blobs/objects.ts";
import { linkBlob, selectQuota } from "../blobs/rows.ts";
import type { Piece } from "../blobs/storage.ts";
import { limitOf } from "../blobs/upload_rows.ts";
import type { RegistryContext } from "../context.ts";
import { algorithmOf } from "../digest.ts";
import { storageLimitReached } from "../errors.ts";

/** The row of an object for bytes of a repository. Throws DENIED if the organization has reached its limit. */
export async function reserve(context: RegistryContext, repo: string): Promise<Reservation> {
  const [used] = await selectQuota(context.db, repo);
  const limit = limitOf(context, used?.limit);
  if (limit !== undefined && (used?.bytes ?? 0) >= limit) throw storageLimitReached(limit);
  return new Reservation(context, { repo, limit });
}

/** Links the blob to the repository. The object has its bytes, unless the registry has them already. */
export async function keepBlob(
  context: RegistryContext,
  repo: string,
  { digest, piece }: { digest: string; piece: Piece },
  reservation: Reservation,
): Promise<void> {
  const { db, now } = context;
  const { size } = piece;
  let isFirst = true;
  let isUsed = true;
  await retryStale(async () => {
    // Most blobs are new, so the first attempt does not look.
    const [state] = isFirst ? [] : await selectBlobState(db, digest);
    isFirst = false;
    const sound = await isSound(context, state);
    isUsed = !sound;
    const [first, ...rest] = [
      ...storeBytes(db, { digest, size }, { state, sound }, (blob) => [
        giveWritten(db, piece, { upload: null, start: 0, blob }),
        onlyIfChanged(db),
      ]),
      linkBlob(db, repo, ContentKind.blob, digest, now),
    ];
    if (first) await commit({ db }, [first, ...rest]);
  });
  if (!isUsed) await reservation.discard();
}

/** Stores the bytes of a small blob. */
export async function keepBytes(
  context: RegistryContext,
  repo: string,
  { digest, bytes }: { digest: string; bytes: Uint8Array },
): Promise<void> {
  const reservation = await reserve(context, repo);
  try {
    await reservation.extend(bytes.byteLength, null);
    const { key } = reservation;
    const sha256 = algorithmOf(digest) === "sha256" ? digest.slice(7) : undefined;
    const piece = { key, ...(await context.storage.put(key, bytes, sha256)) };
    await keepBlob(context, repo, { digest, piece }, reservation);
  } catch (thrown) {
    await reservation.discard();
    throw thrown;
  }
}

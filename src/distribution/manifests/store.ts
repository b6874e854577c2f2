/** Stores the bytes of a manifest: small ones in D1, and others in R2. */
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { type BlobState, isSound, storeBytes, storeInline } from "../blobs/blob_state.ts";
import { giveWritten, Reservation } from "../blobs/objects.ts";
import { linkBlob } from "../blobs/rows.ts";
import type { Piece } from "../blobs/storage.ts";
import type { RegistryContext } from "../context.ts";
import { algorithmOf } from "../digest.ts";
import type { HeldMemory } from "../memory.ts";
import type { ImageName } from "../repository.ts";
import type { ManifestDocument } from "./document.ts";
import { insertLateReferences, insertReferences, insertReferrer } from "./rows.ts";

/** A manifest with at most this many bytes is kept in D1, so that it can be read in one round trip. */
const maxInlineBytes = 64 * 1024;

/** A push of one manifest. */
export interface Push {
  image: ImageName;
  bytes: Uint8Array;
  document: ManifestDocument;
  digest: string;
  tags: string[];
  memory: HeldMemory;
  /** The documents that were read, by their digests. */
  documents: Map<string, Uint8Array<ArrayBuffer>>;
  /** The object with the bytes, if they are too many for D1. It is written once, however often the push is tried. */
  written?: { reservation: Reservation; piece: Piece; isUsed: boolean };
}

/** The facts that the statements of a push depend on. */
interface Storing {
  repo: string;
  push: Push;
  state: BlobState | undefined;
  limit: number | undefined;
}

/** The statements that store the bytes and what they name, and link them to the repository. */
export async function contentStatements(
  context: RegistryContext,
  { repo, push, state, limit }: Storing,
): Promise<Statement[]> {
  const { db } = context;
  const { bytes, digest, document } = push;
  const size = bytes.byteLength;
  const store =
    size <= maxInlineBytes
      ? [storeInline(db, { digest, size, content: textOf(bytes) })]
      : await objectStatements(context, { repo, push, state, limit });
  return [
    ...store,
    ...insertReferences(db, repo, digest, document.children),
    insertLateReferences(db, repo, digest),
    // The trigger of the link looks at what the manifest names.
    linkBlob(db, repo, ContentKind.manifest, digest, null),
    ...insertReferrer(db, repo, digest, document),
  ];
}

const textOf = (bytes: Uint8Array) =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/** The statements that store a manifest in R2, unless its bytes are there already. */
async function objectStatements(
  context: RegistryContext,
  { repo, push, state, limit }: Storing,
): Promise<Statement[]> {
  const { db } = context;
  const { digest, bytes } = push;
  const blob = { digest, size: bytes.byteLength };
  const sound = await isSound(context, state);
  if (push.written) push.written.isUsed = !sound;
  if (sound) {
    return storeBytes(db, blob, { state, sound: true }, () => []);
  }
  push.written ??= await writeObject(context, { repo, limit }, push);
  const { piece } = push.written;
  return storeBytes(db, blob, { state, sound: false }, (id) => [
    giveWritten(db, piece, { upload: null, start: 0, blob: id }),
    onlyIfChanged(db),
  ]);
}

async function writeObject(
  context: RegistryContext,
  owner: { repo: string; limit: number | undefined },
  { bytes, digest }: Push,
): Promise<NonNullable<Push["written"]>> {
  const reservation = new Reservation(context, owner);
  const { key } = reservation;
  try {
    await reservation.extend(bytes.byteLength, null);
    const sha256 = algorithmOf(digest) === "sha256" ? digest.slice(7) : undefined;
    const piece = { key, ...(await context.storage.put(key, bytes, sha256)) };
    return { reservation, piece, isUsed: true };
  } catch (thrown) {
    context.after(() => reservation.discard());
    throw thrown;
  }
}

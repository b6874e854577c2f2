/**
 * Reads documents of pushes after the response: large ones, and those that waited for their image. It reads one after
 * another, because each takes much memory.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Caller } from "../../auth/grants.ts";
import { codeName } from "../../telemetry/codes.ts";
import { logLine } from "../../telemetry/log.ts";
import type { RegistryBearer } from "../bearer.ts";
import { openContent } from "../blobs/contents.ts";
import { selectLinked } from "../blobs/rows.ts";
import { limitOf } from "../blobs/upload_rows.ts";
import { callOf } from "../calls.ts";
import type { RegistryContext } from "../context.ts";
import { HeldMemory } from "../memory.ts";
import type { ImageName } from "../repository.ts";
import { insertPush } from "../traffic.ts";
import { type NotedDocument, noteDocuments, recordReading, selectRoom } from "./document_rows.ts";
import {
  maxDocumentBytes,
  type PushedDocument,
  readAttachment,
  reasonOf,
  requireCapabilities,
  sendDocument,
} from "./read_document.ts";

/** The push after which documents are read. */
interface LatePush {
  bearer: RegistryBearer;
  caller: Caller;
  image: ImageName;
  repo: string;
  /** The digest of the pushed manifest. */
  digest: string;
  /** The kinds of documents that the push had already. */
  kinds: string[];
}

/**
 * Reads the documents. A document that has a fault is not read again, and an event of the push says why. One that could
 * not be read for another reason waits for the next push of its manifest or of its image.
 */
export async function readLate(
  context: RegistryContext,
  push: LatePush,
  documents: NotedDocument[],
): Promise<void> {
  const kinds = [...push.kinds];
  for (const noted of documents) {
    try {
      const document = await readOne(context, push, noted, kinds);
      if (document) kinds.push(document.kind);
    } catch (thrown) {
      // The message of an error can repeat a part of the document.
      const { name } = thrown as Error;
      const reason = thrown instanceof ConnectError ? codeName(thrown.code) : name;
      logLine("warn", "a document was not read after its push", { reason });
    }
  }
}

async function readOne(
  context: RegistryContext,
  push: LatePush,
  noted: NotedDocument,
  kinds: string[],
): Promise<PushedDocument | undefined> {
  const { bearer, image, repo } = push;
  const memory = new HeldMemory(context.config.uploadMemoryBytes, rootOf(repo));
  try {
    const { document, size } = await readBytes(context, push, noted, memory);
    const subject = document?.about;
    if (document && (await canSend(context, push, { document, size, kinds })))
      await sendDocument(document, repo, (method) =>
        callOf(context, bearer, { guards: new Map() }, method),
      );
    else if (document) return undefined;
    await recordReading(context, repo, { digest: noted.digest, subject });
    return document;
  } catch (thrown) {
    if (!isFaulty(thrown)) throw thrown;
    const unread = [`${noted.digest}: ${reasonOf(thrown)}`];
    const traffic = { image, repo, digest: push.digest, unread };
    await context.db.batch([
      recordReading(context, repo, { digest: noted.digest, subject: undefined }),
      insertPush(context, { caller: push.caller }, traffic),
    ]);
    return undefined;
  } finally {
    memory.release();
  }
}

/** A fault of the document itself, which another reading would find again. */
class DocumentFault extends Error {}

const isFaulty = (thrown: unknown): thrown is Error =>
  thrown instanceof DocumentFault ||
  (thrown instanceof ConnectError && thrown.code === Code.InvalidArgument);

async function readBytes(
  context: RegistryContext,
  { image }: LatePush,
  { digest, subject }: NotedDocument,
  memory: HeldMemory,
): Promise<{ document: PushedDocument | undefined; size: number }> {
  const [blob] = await selectLinked(context.db, image, ContentKind.blob, digest);
  const size = blob?.size ?? 0;
  if (!blob || size > maxDocumentBytes) throw new Error("the document is gone or too large");
  await memory.take(size);
  const body = await openContent(context, blob);
  if (typeof body === "string") throw new Error(`the bytes of the document are ${body}`);
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  try {
    return { document: readAttachment(context, image, { digest, bytes, subject }), size };
  } catch (thrown) {
    throw new DocumentFault(thrown instanceof Error ? thrown.message : "it cannot be read");
  }
}

/** Whether the document can be sent now. If its image is not there yet, it waits for that. */
async function canSend(
  { db, ...context }: RegistryContext,
  { caller, repo }: LatePush,
  { document, size, kinds }: { document: PushedDocument; size: number; kinds: string[] },
): Promise<boolean> {
  const { digest, about: subject, kind } = document;
  if (kinds.includes(kind))
    throw new DocumentFault("the manifest has another document of this kind");
  requireCapabilities(document, caller, repo);
  const [room] = await selectRoom(db, repo, subject);
  const limit = limitOf({ db, ...context }, room?.limit);
  if (limit !== undefined && (room?.bytes ?? 0) + size > limit) return false;
  if (room?.hasManifest) return true;
  for (const statement of noteDocuments(db, repo, [{ digest, subject }])) await statement;
  return false;
}

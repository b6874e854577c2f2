/**
 * The documents of a push that the platform uses: the configuration of an image, and SBOMs, VEX and vulnerability reports
 * that refer to an image. Small ones are read before the push, so that its event can say what was not read, and written
 * after it. Large ones are read after the response (`late_documents.ts`). A document about an image is read once in a
 * repository, and only if the repository has the image.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import {
  configTypes,
  readImageConfig,
  type StoredConfig,
} from "../../registry/images/image_config.ts";
import { codeName } from "../../telemetry/codes.ts";
import { logLine } from "../../telemetry/log.ts";
import { openContent } from "../blobs/contents.ts";
import type { BlobRow } from "../blobs/rows.ts";
import type { RegistryContext } from "../context.ts";
import { manifestBlobUnknown, RegistryError } from "../errors.ts";
import type { HeldMemory } from "../memory.ts";
import type { ImageName } from "../repository.ts";
import type { Child, ManifestDocument } from "./document.ts";
import {
  type DocumentRow,
  type NotedDocument,
  recordReading,
  selectRoom,
} from "./document_rows.ts";
import {
  check,
  maxDocumentBytes,
  type PushedDocument,
  readAttachment,
  reasonOf,
  requireCapabilities,
  sendDocument,
} from "./read_document.ts";

/** The most bytes of a configuration, as over the API. */
const maxConfigBytes = 1024 * 1024;

/** The most documents of one manifest. */
const maxDocuments = 4;

/** A document with more bytes is read after the response. */
const maxBytesAtOnce = 128 * 1024;

/** The documents of a push, and the reasons why others were not read. */
export interface PushedDocuments {
  image: StoredConfig | undefined;
  attachments: PushedDocument[];
  /** The documents to note with the push. */
  noted: NotedDocument[];
  /** Those among them that are read after the response. */
  late: NotedDocument[];
  unread: string[];
}

type StoredBlob = BlobRow & { kind: number };

interface Pushed {
  caller: Caller;
  image: ImageName;
  repo: string;
  document: ManifestDocument;
  /** The digest of the image that the documents are about, if the manifest says it. */
  subject: string | undefined;
  stored: StoredBlob[];
  /** The notes of the repository about the documents. */
  known: DocumentRow[];
  /** The bytes that the organization can still store. Undefined without a limit. */
  room: number | undefined;
  /** Holds the documents, and is released after the push. */
  memory: HeldMemory;
  /** The documents that were read, by their digests. A push that is tried again does not read them again. */
  documents: Map<string, Uint8Array<ArrayBuffer>>;
}

/** The digest in the tags of older clients: `sha256-….att`, `sha256-….sbom`. */
const tagPattern = /^sha256-([0-9a-f]{64})(?:\.\w+)?$/;

/** The digest of the image that the documents in a manifest are about, if the manifest or its tags say it. */
export function subjectOf({ subject }: ManifestDocument, tags: string[]): string | undefined {
  const [, hash] = tags.map((tag) => tagPattern.exec(tag)).find((match) => match) ?? [];
  return subject ?? (hash === undefined ? undefined : `sha256:${hash}`);
}

const isJson = ({ mediaType }: Child) => /[+/]json(?:$|;)|dsse\.envelope/.test(mediaType);

/** The digests of the layers that can be documents. */
export function documentDigests({ isIndex, children }: ManifestDocument): string[] {
  if (isIndex) return [];
  const digests = children.slice(1).filter(isJson).slice(0, maxDocuments);
  return [...new Set(digests.map(({ digest }) => digest))];
}

/** Reads the documents of a push. A document that cannot be read does not stop the push. */
export async function readDocuments(
  context: RegistryContext,
  pushed: Pushed,
): Promise<PushedDocuments> {
  const documents: PushedDocuments = {
    ...{ image: undefined, attachments: [], noted: [], late: [], unread: [] },
  };
  const attempt = async (what: string, read: () => Promise<void>) => {
    try {
      await read();
    } catch (thrown) {
      // If R2 fails, the client has to push again. All other errors are about the document.
      if (!(thrown instanceof Error) || thrown instanceof RegistryError) throw thrown;
      documents.unread.push(`${what}: ${reasonOf(thrown)}`);
    }
  };
  const { content, isIndex } = pushed.document;
  if (!isIndex && configTypes.includes(content.config?.mediaType as string)) {
    await attempt("config", async () => {
      const digest = String(content.config?.digest);
      const bytes = await readBlob(context, pushed, digest, maxConfigBytes);
      if (bytes) documents.image = readImageConfig(bytes, content.config?.mediaType);
    });
  }
  for (const digest of documentDigests(pushed.document)) {
    await attempt(digest, () => readOne(context, pushed, documents, digest));
  }
  return documents;
}

/** Reads one document, or notes that it waits for its image or for the end of the response. */
async function readOne(
  context: RegistryContext,
  pushed: Pushed,
  documents: PushedDocuments,
  digest: string,
): Promise<void> {
  const { subject, image, known, caller, repo } = pushed;
  const blob = blobOf(pushed, digest);
  const noted = known.find((row) => row.digest === digest);
  if (!blob || !noted) return;
  const size = blob.size ?? 0;
  if (size > maxDocumentBytes) throw new Error(`it has more than ${maxDocumentBytes} bytes`);
  if (noted.isRead) {
    if (subject === undefined || noted.subject === null || noted.subject === subject) return;
    throw new Error(`it was already read as a document about ${noted.subject}`);
  }
  if (subject !== undefined && !noted.hasSubject) {
    documents.noted.push({ digest, subject });
    throw new Error(waitsFor(subject));
  }
  if (size > maxBytesAtOnce) {
    documents.noted.push({ digest, subject });
    documents.late.push({ digest, subject });
    return;
  }
  const bytes = await readBlob(context, pushed, digest, maxDocumentBytes);
  const document = bytes && readAttachment(context, image, { digest, bytes, subject });
  if (!document) return;
  requireCapabilities(document, caller, repo);
  check(document);
  if (documents.attachments.some(({ kind }) => kind === document.kind))
    throw new Error(isOneTooMany);
  if (pushed.room !== undefined && size > pushed.room) throw new Error(isOverLimit);
  documents.noted.push({ digest, subject: document.about });
  if (subject === undefined && !(await hasImage(context, repo, document.about)))
    throw new Error(waitsFor(document.about));
  documents.attachments.push(document);
}

const isOneTooMany = "the manifest has another document of this kind";
const isOverLimit = "the organization has reached its limit of stored bytes";
const waitsFor = (subject: string) =>
  `the repository does not have ${subject}; the document is read when that is pushed`;

async function hasImage({ db }: RegistryContext, repo: string, digest: string): Promise<boolean> {
  const [room] = await selectRoom(db, repo, digest);
  return Boolean(room?.hasManifest);
}

const blobOf = ({ stored }: Pick<Pushed, "stored">, digest: string) =>
  stored.find((child) => child.kind === ContentKind.blob && child.digest === digest);

/** The parts of a push that the bytes of its layers are read with. */
export type LayerSource = Pick<Pushed, "stored" | "memory" | "documents">;

/** The bytes of a blob. Undefined if the repository does not have it. Throws an Error if it has more than `limit`. */
export async function readBlob(
  context: RegistryContext,
  pushed: LayerSource,
  digest: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { memory, documents } = pushed;
  const blob = blobOf(pushed, digest);
  if (!blob) return undefined;
  if ((blob.size ?? 0) > limit) throw new Error(`it has more than ${limit} bytes`);
  const known = documents.get(digest);
  if (known) return known;
  await memory.take(blob.size ?? 0);
  const body = await openContent(context, blob);
  // The client pushes the blob again, and then the manifest.
  if (typeof body === "string") throw manifestBlobUnknown([digest]);
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  documents.set(digest, bytes);
  return bytes;
}

/** Writes the documents after the push. `callFor` returns a call of an RPC for the caller. */
export async function writeAttachments(
  context: RegistryContext,
  { attachments }: PushedDocuments,
  repo: string,
  callFor: (method: DescMethod) => Call,
): Promise<void> {
  for (const attachment of attachments) {
    const { digest, about: subject } = attachment;
    try {
      await sendDocument(attachment, repo, callFor);
      await recordReading(context, repo, { digest, subject });
    } catch (thrown) {
      // The push has succeeded, and the documents are stored with it. The next push of the manifest tries again. The
      // message of an error can repeat a part of the document.
      const { name } = thrown as Error;
      const reason = thrown instanceof ConnectError ? codeName(thrown.code) : name;
      logLine("warn", "a pushed document was not read", { repo, about: subject, reason });
    }
  }
}

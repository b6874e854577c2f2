/**
 * Reads the documents of a push that the platform uses: the configuration of an image, and SBOMs, VEX and
 * vulnerability reports that refer to an image. They are read before the push, so that its event can say what
 * was not read. They are written after it, as if the caller had sent them to the API.
 */
import { create, type DescMethod, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import {
  CreateSbomRequestSchema,
  SbomsService,
} from "../../../schema/gen/platform/registry/v2/sboms_pb.js";
import {
  CreateVulnReportRequestSchema,
  VulnReportsService,
} from "../../../schema/gen/platform/registry/v2/vuln_reports_pb.js";
import { OpenVexDocumentsService } from "../../../schema/gen/platform/vulnerabilities/v2/openvex_documents_pb.js";
import { demandsOf } from "../../../schema/options.ts";
import { ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { missingCapabilities } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { imagePurl } from "../../packages/purls.ts";
import {
  configTypes,
  readImageConfig,
  type StoredConfig,
} from "../../registry/images/image_config.ts";
import { readSbom } from "../../registry/sboms/read_sbom.ts";
import { createSbom } from "../../registry/sboms/sboms.ts";
import { readGrypeReport } from "../../registry/vuln_reports/grype.ts";
import { createVulnReport } from "../../registry/vuln_reports/vuln_reports.ts";
import { codeName } from "../../telemetry/codes.ts";
import { logLine } from "../../telemetry/log.ts";
import { JsonReader } from "../../vulnerabilities/json_reader.ts";
import { importVexDocuments, type VexFormat } from "../../vulnerabilities/vex/import.ts";
import { openVex, readOpenVex } from "../../vulnerabilities/vex/openvex.ts";
import { openContent } from "../blobs/contents.ts";
import type { BlobRow } from "../blobs/rows.ts";
import type { RegistryContext } from "../context.ts";
import { manifestBlobUnknown, RegistryError } from "../errors.ts";
import type { HeldMemory } from "../memory.ts";
import type { ImageName } from "../repository.ts";
import { type Attachment, type AttachmentKind, findAttachment } from "./attachments.ts";
import type { Child, ManifestDocument } from "./document.ts";

/** The most bytes of a configuration and of another document, as over the API. */
const maxBytes = { config: 1024 * 1024, document: 8 * 1024 * 1024 };

/** The most documents of one manifest. */
const maxDocuments = 4;

/** The documents of a push, and the reasons why others were not read. */
export interface PushedDocuments {
  image: StoredConfig | undefined;
  attachments: (Attachment & { address: string })[];
  unread: string[];
}

type StoredBlob = BlobRow & { kind: number };

interface Pushed {
  caller: Caller;
  image: ImageName;
  repo: string;
  document: ManifestDocument;
  tags: string[];
  stored: StoredBlob[];
  /** Holds the documents, and is released after the push. */
  memory: HeldMemory;
  /** The documents that were read, by their digests. A push that is tried again does not read them again. */
  documents: Map<string, Uint8Array>;
}

/** The digest in the tags of older clients: `sha256-….att`, `sha256-….sbom`. */
const tagPattern = /^sha256-([0-9a-f]{64})(?:\.\w+)?$/;

/** The digest of the image that the documents in a manifest are about. */
function subjectOf({ document, tags }: Pushed): string | undefined {
  const [, hash] = tags.map((tag) => tagPattern.exec(tag)).find((match) => match) ?? [];
  return document.subject ?? (hash === undefined ? undefined : `sha256:${hash}`);
}

/** Reads the documents of a push. A document that cannot be read does not stop the push. */
export async function readDocuments(
  context: RegistryContext,
  pushed: Pushed,
): Promise<PushedDocuments> {
  const documents: PushedDocuments = { image: undefined, attachments: [], unread: [] };
  const attempt = async (what: string, read: () => Promise<void> | void) => {
    try {
      await read();
    } catch (thrown) {
      // If R2 fails, the client has to push again. All other errors are about the document.
      if (!(thrown instanceof Error) || thrown instanceof RegistryError) throw thrown;
      const text = thrown instanceof ConnectError ? thrown.rawMessage : thrown.message;
      documents.unread.push(
        `${what}: ${text.replace(/^[A-Z][a-z ]+: (?:\w+: )?/, "").slice(0, 300)}`,
      );
    }
  };
  const { content, isIndex, children } = pushed.document;
  if (!isIndex && configTypes.includes(content.config?.mediaType as string)) {
    await attempt("config", async () => {
      const bytes = await readBlob(
        context,
        pushed,
        String(content.config?.digest),
        maxBytes.config,
      );
      if (bytes) documents.image = readImageConfig(bytes, content.config?.mediaType);
    });
  }
  if (isIndex) return documents;
  const subject = subjectOf(pushed);
  for (const child of children.slice(1).filter(isJson).slice(0, maxDocuments)) {
    await attempt(child.digest, async () => {
      const bytes = await readBlob(context, pushed, child.digest, maxBytes.document);
      const attachment = bytes && findAttachment(parse(bytes), subject);
      if (!attachment) return;
      const address = `${new URL(context.config.registryUrl).host}/${pushed.image.full}`;
      const addressedAttachment = { ...attachment, address };
      check(addressedAttachment, pushed);
      documents.attachments.push(addressedAttachment);
    });
  }
  return documents;
}

const isJson = ({ mediaType }: Child) => /[+/]json(?:$|;)|dsse\.envelope/.test(mediaType);

function parse(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error("it is not JSON");
  }
}

/** The bytes of a blob. Undefined if the repository does not have it. */
async function readBlob(
  context: RegistryContext,
  { stored, memory, documents }: Pushed,
  digest: string,
  limit: number,
): Promise<Uint8Array | undefined> {
  const blob = stored.find((child) => child.kind === ContentKind.blob && child.digest === digest);
  if (!blob) return undefined;
  const known = documents.get(digest);
  if (known) return known;
  if ((blob.size ?? 0) > limit) throw new Error(`it has more than ${limit} bytes`);
  await memory.take(blob.size ?? 0);
  const body = await openContent(context, blob);
  // The client pushes the blob again, and then the manifest.
  if (typeof body === "string") throw manifestBlobUnknown([digest]);
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  documents.set(digest, bytes);
  return bytes;
}

/** The RPC that each kind of document is for. */
const methods: Record<AttachmentKind, DescMethod> = {
  sbom: SbomsService.method.createSbom,
  vulnReport: VulnReportsService.method.createVulnReport,
  vex: OpenVexDocumentsService.method.importOpenVexDocuments,
};

const bytesOf = (document: JsonObject) => new TextEncoder().encode(JSON.stringify(document));

/** The product of a VEX document that names none. */
const subjectComponent = ({ about, address }: { about: string; address: string }) => ({
  "@id": imagePurl(address, about),
});

/** Throws if the caller may not send the document to the API, or if the API would refuse it. */
function check(
  { kind, document, ...image }: PushedDocuments["attachments"][number],
  { caller, repo }: Pushed,
): void {
  const { capabilities } = demandsOf(methods[kind]);
  const scope = kind === "vex" ? parentOf(repo) : repo;
  if (!holds(caller, capabilities, scope)) throw missingCapabilities(capabilities, scope);
  if (kind === "sbom") readSbom(bytesOf(document));
  if (kind === "vulnReport") readGrypeReport(bytesOf(document));
  if (kind === "vex") {
    const reader = new JsonReader();
    reader.attempt(() => readOpenVex(reader, document, "document", subjectComponent(image)));
    const [violation] = reader.violations;
    if (violation) throw new Error(violation.description);
  }
}

/** Writes the documents after the push. `callFor` returns a call of an RPC for the caller. */
export async function writeAttachments(
  { attachments }: PushedDocuments,
  repo: string,
  callFor: (method: DescMethod) => Call,
): Promise<void> {
  for (const attachment of attachments) {
    try {
      await write(attachment, repo, callFor(methods[attachment.kind]));
    } catch (thrown) {
      // The push has succeeded, and the documents are stored with it.
      // Its message can repeat a part of the document.
      const { name } = thrown as Error;
      const reason = thrown instanceof ConnectError ? codeName(thrown.code) : name;
      logLine("warn", "a pushed document was not read", { repo, about: attachment.about, reason });
    }
  }
}

async function write(
  { kind, document, ...image }: PushedDocuments["attachments"][number],
  repo: string,
  call: Call,
): Promise<void> {
  const { about: digest } = image;
  const content = bytesOf(document);
  if (kind === "sbom") {
    await createSbom(
      create(CreateSbomRequestSchema, { parent: repo, sbom: { digest, content } }),
      call,
    );
  } else if (kind === "vulnReport") {
    const request = { parent: repo, vulnReport: { digest, content } };
    await createVulnReport(create(CreateVulnReportRequestSchema, request), call);
  } else {
    const request = { parent: parentOf(repo), documents: [document], strict: true };
    const read: VexFormat["read"] = (reader, vexDocument, path) =>
      readOpenVex(reader, vexDocument, path, subjectComponent(image));
    await importVexDocuments(call, request, { ...openVex, read });
  }
}

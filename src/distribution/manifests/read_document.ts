/** Reads one pushed document, and writes what it says as if the caller had sent it to the API. */
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
import { parentOf } from "../../aip/uid_path.ts";
import { missingCapabilities } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { imagePurl } from "../../packages/purls.ts";
import { readSbom } from "../../registry/sboms/read_sbom.ts";
import { createSbom } from "../../registry/sboms/sboms.ts";
import { readGrypeReport } from "../../registry/vuln_reports/grype.ts";
import { createVulnReport } from "../../registry/vuln_reports/vuln_reports.ts";
import { JsonReader } from "../../vulnerabilities/json_reader.ts";
import { importVexDocuments, type VexFormat } from "../../vulnerabilities/vex/import.ts";
import { openVex, readOpenVex } from "../../vulnerabilities/vex/openvex.ts";
import type { RegistryContext } from "../context.ts";
import type { ImageName } from "../repository.ts";
import { type Attachment, type AttachmentKind, findAttachment } from "./attachments.ts";

/** The most bytes of a document, as over the API. */
export const maxDocumentBytes = 8 * 1024 * 1024;

/** A document with its digest, and the address of the image in the registry. */
export interface PushedDocument extends Attachment {
  digest: string;
  address: string;
}

/** Finds the document in the bytes of a layer. `subject` is the image, if it is known. */
export function readAttachment(
  { config }: RegistryContext,
  image: ImageName,
  { digest, bytes, subject }: { digest: string; bytes: Uint8Array; subject: string | undefined },
): PushedDocument | undefined {
  const attachment = findAttachment(parse(bytes), subject);
  const address = `${new URL(config.registryUrl).host}/${image.full}`;
  return attachment && { ...attachment, digest, address };
}

function parse(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Error("it is not JSON");
  }
}

/** The text of an error about a document, for the event of the push. */
export function reasonOf(thrown: Error): string {
  const text = thrown instanceof ConnectError ? thrown.rawMessage : thrown.message;
  return text.replace(/^[A-Z][a-z ]+: (?:\w+: )?/, "").slice(0, 300);
}

/** The RPC that each kind of document is for. */
export const methods: Record<AttachmentKind, DescMethod> = {
  sbom: SbomsService.method.createSbom,
  vulnReport: VulnReportsService.method.createVulnReport,
  vex: OpenVexDocumentsService.method.importOpenVexDocuments,
};

const bytesOf = (document: JsonObject) => new TextEncoder().encode(JSON.stringify(document));

/** The product of a VEX document that names none. */
const subjectComponent = ({ about, address }: { about: string; address: string }) => ({
  "@id": imagePurl(address, about),
});

/** Throws if the caller may not send the document to the API. */
export function requireCapabilities({ kind }: PushedDocument, caller: Caller, repo: string): void {
  const { capabilities } = demandsOf(methods[kind]);
  const scope = kind === "vex" ? parentOf(repo) : repo;
  if (!holds(caller, capabilities, scope)) throw missingCapabilities(capabilities, scope);
}

/** Throws if the API would refuse the document. */
export function check({ kind, document, ...image }: PushedDocument): void {
  if (kind === "sbom") readSbom(bytesOf(document));
  if (kind === "vulnReport") readGrypeReport(bytesOf(document));
  if (kind === "vex") {
    const reader = new JsonReader();
    reader.attempt(() => readOpenVex(reader, document, "document", subjectComponent(image)));
    const [violation] = reader.violations;
    if (violation) throw new Error(violation.description);
  }
}

/** Sends the document to the API. `callFor` returns a call of an RPC for the caller. */
export async function sendDocument(
  { kind, document, ...image }: PushedDocument,
  repo: string,
  callFor: (method: DescMethod) => Call,
): Promise<void> {
  const call = callFor(methods[kind]);
  const { about: digest } = image;
  if (kind === "sbom") {
    const sbom = { digest, content: bytesOf(document) };
    await createSbom(create(CreateSbomRequestSchema, { parent: repo, sbom }), call);
  } else if (kind === "vulnReport") {
    const vulnReport = { digest, content: bytesOf(document) };
    const request = { parent: repo, vulnReport };
    await createVulnReport(create(CreateVulnReportRequestSchema, request), call);
  } else {
    const request = { parent: parentOf(repo), documents: [document], strict: true };
    const read: VexFormat["read"] = (reader, vexDocument, path) =>
      readOpenVex(reader, vexDocument, path, subjectComponent(image));
    await importVexDocuments(call, request, { ...openVex, read });
  }
}

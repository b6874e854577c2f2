/** Sends OpenVEX and CSAF documents from files of JSON to their services. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Client } from "../account/client.ts";
import { importInBatches, type LinesOutcome, type ParsedLine } from "./batches.ts";
import { readDocuments } from "./documents.ts";
import { jsonLineBytes, readLineObject } from "./json_line.ts";
import type { InputLine, InputSource } from "./lines.ts";

export type VexFormat = "openvex" | "csaf";

/** The result of an import, in advisories. `unit` says whether `lines` counts lines or documents. */
export type VexImport = LinesOutcome & {
  created: number;
  updated: number;
  unchanged: number;
  unit: string;
};

/** The API accepts 100 documents in 1.5 MiB, with 2,000 statements on one product each. */
const limits = { items: 100, bytes: 700 * 1024 };
const maxStatements = 2000;
const maxBytes = 1536 * 1024 - 4096;

/**
 * Sends the documents of a file to a group. You can repeat it: a document without new statements counts as unchanged.
 * Throws the same Failures as importInBatches.
 */
export async function importVex(
  format: VexFormat,
  request: {
    source: InputSource;
    group: string;
    client: Client;
    url: string;
    skipBadLines?: boolean;
    strict?: boolean;
    onBatch?: (sum: Pick<VexImport, "created" | "updated" | "unchanged">) => void;
  },
): Promise<VexImport> {
  const sum = { created: 0, updated: 0, unchanged: 0 };
  const { documents, unit } = readDocuments(request.source);
  const outcome = await importInBatches<JsonObject>({
    lines: documents,
    parse: (line) => parseDocument(format, line),
    list: "documents",
    unit,
    limits,
    skipBadLines: request.skipBadLines ?? false,
    strict: request.strict,
    url: request.url,
    onBatch: () => request.onBatch?.(sum),
    async send(batch) {
      const answer = await sendDocuments(format, request.client, {
        parent: request.group,
        documents: batch,
        strict: request.strict ?? false,
      });
      sum.created += answer.created;
      sum.updated += answer.updated;
      sum.unchanged += answer.unchanged;
      return answer.skipped ?? [];
    },
  });
  return { ...outcome, ...sum, unit: unit() };
}

type Documents = { parent: string; documents: JsonObject[]; strict: boolean };

function sendDocuments(format: VexFormat, client: Client, request: Documents) {
  const again = { idempotent: true };
  return format === "csaf"
    ? client.csafDocuments.importCsafDocuments(request, again)
    : client.openVexDocuments.importOpenVexDocuments(request, again);
}

/** Members without which a document has another format. The platform checks the rest. */
const requiredMembers: Record<VexFormat, string[]> = {
  openvex: ["@context"],
  csaf: ["document"],
};

/** Reads a document. Its size keeps a batch below the limit of statements, too. */
export function parseDocument(format: VexFormat, line: InputLine): ParsedLine<JsonObject> {
  const read = readLineObject(line);
  if ("message" in read) return { field: "", message: read.message };
  const { object } = read;
  for (const field of requiredMembers[format]) {
    if (object[field] === undefined) return { field, message: `${field} is missing` };
  }
  const bytes = jsonLineBytes(object);
  if (bytes > maxBytes) {
    return {
      field: "",
      message: `it has ${bytes} bytes, but the platform accepts at most ${maxBytes}`,
    };
  }
  const count = format === "csaf" ? csafStatements(object) : openVexStatements(object);
  return {
    item: object,
    bytes: Math.max(bytes, Math.ceil((count * limits.bytes) / maxStatements)),
  };
}

const objects = (value: JsonValue | undefined): JsonObject[] =>
  (Array.isArray(value) ? value : []).filter(
    (entry): entry is JsonObject =>
      typeof entry === "object" && entry !== null && !Array.isArray(entry),
  );

const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);

const openVexStatements = ({ statements }: JsonObject) =>
  total(
    objects(statements)
      .flatMap(({ products }) => objects(products))
      .map(({ subcomponents }) => Math.max(1, objects(subcomponents).length)),
  );

const csafStatements = ({ vulnerabilities }: JsonObject) =>
  total(
    objects(vulnerabilities)
      .flatMap(({ product_status }) => objects([product_status ?? null]))
      .flatMap((status) => Object.values(status))
      .map((ids) => (Array.isArray(ids) ? ids.length : 0)),
  );

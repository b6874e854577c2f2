/** Reads advisories from files: OSV records, OpenVEX documents and CSAF documents. */
import type { JsonObject } from "../../client/index.ts";

/** The formats that the platform imports. */
export type DocumentFormat = "osv" | "openvex" | "csaf";

export const formatNames: Record<DocumentFormat, string> = {
  osv: "OSV records",
  openvex: "OpenVEX documents",
  csaf: "CSAF documents",
};

/** A document, and the file that it comes from. */
export interface SourceDocument {
  format: DocumentFormat;
  document: JsonObject;
  source: string;
}

/** A file that cannot be imported. The message says which and why. */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}

/** Reads the documents in a text: one, a list of them, or one on each line. Throws an UnreadableFile. */
export function readDocuments(text: string, source: string): SourceDocument[] {
  const values = parse(text, source);
  if (values.length === 0) throw new UnreadableFile(`${source} is empty.`);
  return values.map((value, index) => {
    const name = values.length === 1 ? source : `${source}, document ${index + 1}`;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new UnreadableFile(`${name} is not a JSON object.`);
    const document = value as JsonObject;
    return { format: formatOf(document, name), document, source: name };
  });
}

function parse(text: string, source: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return parseLines(text, source);
  }
}

/** JSON Lines. A text that is only broken JSON has its fault in the first line. */
function parseLines(text: string, source: string): unknown[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UnreadableFile(`${source}, line ${index + 1}, is not JSON: ${reason}`);
    }
  });
}

function formatOf(document: JsonObject, name: string): DocumentFormat {
  const context = document["@context"];
  if (typeof context === "string" && context.includes("openvex")) return "openvex";
  const inner = document.document;
  if (typeof inner === "object" && inner !== null && "csaf_version" in inner) return "csaf";
  if (typeof document.id === "string" && typeof document.modified === "string") return "osv";
  throw new UnreadableFile(
    `${name} is neither an OSV record, nor an OpenVEX document, nor a CSAF document.`,
  );
}

/** The most documents and characters of one call. A call can have 1.5 MiB. */
const maxBatch = { documents: 100, length: 1_000_000 };

/** The documents in calls of one format each, in their order. */
export function batchesOf(documents: readonly SourceDocument[]): SourceDocument[][] {
  const batches: SourceDocument[][] = [];
  let length = 0;
  for (const source of documents) {
    const own = JSON.stringify(source.document).length;
    const last = batches.at(-1);
    const fits =
      last?.[0]?.format === source.format &&
      last.length < maxBatch.documents &&
      length + own <= maxBatch.length;
    if (last && fits) {
      last.push(source);
      length += own;
    } else {
      batches.push([source]);
      length = own;
    }
  }
  return batches;
}

/** Security advisories in the OSV format, from lines of JSON to OsvRecordsService. */
import { fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { createClient, type Transport } from "@connectrpc/connect";
import { OsvRecordsService } from "../schema/gen/platform/vulnerabilities/v2/osv_records_pb.js";
import { importLines, type Outcome, type Parsed } from "./import_batches.ts";
import { type Line, linesOf, type Source } from "./import_lines.ts";
import { readObject } from "./json_line.ts";

/** What an import of OSV records came to. */
export type OsvImport = Outcome & { created: number; updated: number; unchanged: number };

/** The API takes 500 records; fewer keep a call short, since each makes several rows. */
const limits = { items: 100, bytes: 700 * 1024 };

/**
 * Sends the records of a file to a group. Can be repeated: a record that is not newer is counted
 * as unchanged. Throws a Failure as importLines does.
 */
export async function importOsv(request: {
  source: Source;
  group: string;
  transport: Transport;
  url: string;
  skipBadLines?: boolean;
  onBatch?: (sum: Omit<OsvImport, keyof Outcome>) => void;
}): Promise<OsvImport> {
  const client = createClient(OsvRecordsService, request.transport);
  const sum = { created: 0, updated: 0, unchanged: 0 };
  const outcome = await importLines<JsonObject>({
    lines: linesOf(request.source),
    parse: parseOsvRecord,
    list: "records",
    limits,
    skipBadLines: request.skipBadLines ?? false,
    url: request.url,
    onBatch: () => request.onBatch?.(sum),
    async send(records) {
      const answer = await client.importOsvRecords({ parent: request.group, records });
      sum.created += answer.created;
      sum.updated += answer.updated;
      sum.unchanged += answer.unchanged;
    },
  });
  return { ...outcome, ...sum };
}

/** Reads a record; beyond `id` and `modified`, what makes it OSV is for the platform to judge. */
export function parseOsvRecord(line: Line): Parsed<JsonObject> {
  const read = readObject(line);
  if ("message" in read) return { field: "", message: read.message };
  const { object } = read;
  for (const field of ["id", "modified"]) {
    if (object[field] === undefined) return { field, message: `${field} is missing` };
    if (typeof object[field] !== "string") return { field, message: `${field} is not a string` };
  }
  // Every record gets a tag and a length of up to five bytes each around it.
  return {
    item: object,
    bytes: toBinary(StructSchema, fromJson(StructSchema, object)).length + 10,
  };
}

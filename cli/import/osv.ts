/** Sends security advisories in the OSV format from lines of JSON to OsvRecordsService. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { Client } from "../account/client.ts";
import { importInBatches, type LinesOutcome, type ParsedLine } from "./batches.ts";
import { jsonLineBytes, readLineObject } from "./json_line.ts";
import { type InputLine, type InputSource, readLines } from "./lines.ts";

/** The result of an import of OSV records. */
export type OsvImport = LinesOutcome & { created: number; updated: number; unchanged: number };

/** The API accepts 500 records. Fewer keep a call short, because each record creates several rows. */
const limits = { items: 100, bytes: 700 * 1024 };

/**
 * Sends the records of a file to a group. You can repeat it: a record that is not newer counts as unchanged. Throws the
 * same Failures as importInBatches.
 */
export async function importOsv(request: {
  source: InputSource;
  group: string;
  client: Client;
  url: string;
  skipBadLines?: boolean;
  strict?: boolean;
  onBatch?: (sum: Omit<OsvImport, keyof LinesOutcome>) => void;
}): Promise<OsvImport> {
  const sum = { created: 0, updated: 0, unchanged: 0 };
  const outcome = await importInBatches<JsonObject>({
    lines: readLines(request.source),
    parse: parseOsvRecord,
    list: "records",
    limits,
    skipBadLines: request.skipBadLines ?? false,
    strict: request.strict,
    url: request.url,
    onBatch: () => request.onBatch?.(sum),
    async send(records) {
      const answer = await request.client.osvRecords.importOsvRecords(
        { parent: request.group, records, strict: request.strict ?? false },
        { idempotent: true },
      );
      sum.created += answer.created;
      sum.updated += answer.updated;
      sum.unchanged += answer.unchanged;
      return answer.skipped ?? [];
    },
  });
  return { ...outcome, ...sum };
}

/**
 * A batch may name 20,000 versions of libraries with its aliases. A library itself counts as ten, and a fix as
 * two. Each version counts as the matching share of the bytes of a batch.
 */
const bytesPerVersion = Math.ceil(limits.bytes / 20_000);

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/**
 * Returns the number of versions that a record counts as, or more. A fixed version can be a fix and a version of its
 * library. A withdrawn record counts as one fix more.
 */
function versionsIn({ affected, aliases, upstream }: JsonObject): number {
  const packages: unknown[] = Array.isArray(affected) ? affected : [];
  const ofPackages = packages.map((entry) => {
    if (typeof entry !== "object" || entry === null) return 0;
    const { versions, ranges } = entry as JsonObject;
    // Each end, each range without an end and 1,000 of the versions can be a range of the package.
    const count = lengthOf(versions);
    return 10 + count + Math.min(count, 1_000) + 4 * endsIn(ranges) + lengthOf(ranges);
  });
  const ofRecord = 2 + lengthOf(aliases) + lengthOf(upstream);
  return ofPackages.reduce((sum, count) => sum + count, ofRecord);
}

/** The number of ends in ranges: an event of a range is its beginning or its end. */
function endsIn(ranges: unknown): number {
  const all: unknown[] = Array.isArray(ranges) ? ranges : [];
  const events = all.flatMap((range) => {
    if (typeof range !== "object" || range === null) return [];
    const { events: listed } = range as JsonObject;
    return Array.isArray(listed) ? listed : [];
  });
  return events.filter((event) => typeof event === "object" && event !== null && "fixed" in event)
    .length;
}

/** Reads a record. It checks only `id` and `modified`. The platform checks the rest. */
export function parseOsvRecord(line: InputLine): ParsedLine<JsonObject> {
  const read = readLineObject(line);
  if ("message" in read) return { field: "", message: read.message };
  const { object } = read;
  for (const field of ["id", "modified"]) {
    if (object[field] === undefined) return { field, message: `${field} is missing` };
    if (typeof object[field] !== "string") return { field, message: `${field} must be a string` };
  }
  return {
    item: object,
    bytes: Math.max(jsonLineBytes(object), versionsIn(object) * bytesPerVersion),
  };
}

/** Reads and checks the records of one import before any call to the database. */
import type { JsonObject } from "@bufbuild/protobuf";
import { invalidArgument } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { type AffectedRange, affectedRanges } from "../../packages/affected_ranges.ts";
import { canonicalJson } from "../canonical_json.ts";
import type { PublishedFacts } from "../catalog.ts";
import type { JsonReader } from "../json_reader.ts";
import { severityOf, wordOf } from "../severity.ts";
import { type Reading, readEach } from "../skipped.ts";
import { gatherLibraries, type LibraryClaim, readLibraries } from "./libraries.ts";
import { type OsvAdvisory, readOsvRecord } from "./record.ts";
import { readVulnerability } from "./vulnerability.ts";

/** A record as it was read: its advisory and its other data, its canonical JSON and the digest. */
export interface OsvRead extends OsvAdvisory {
  libraries: LibraryClaim[];
  /** The versions of packages that it is about, and their severity as a number of FindingSeverity. */
  ranges: AffectedRange[];
  severity: number;
  vulnerability: PublishedFacts;
  record: string;
  digest: string;
}

/**
 * The version of the conversion. Increase it when records produce more data: a record is then imported again,
 * even if it was imported before.
 */
const readingVersion = 4;

/** A larger import occupies the database for too long, and no one else can write in the meantime. */
const maxParts = 20_000;
/** A library, a fix, an alias and a range have rows with indexes, and count as so many versions, which have no rows. */
const weights = { library: 10, fix: 2, alias: 1, range: 1 };

/**
 * Reads all records. A record that cannot be read is left out, and with `strict` refuses the call with
 * INVALID_ARGUMENT. Throws INVALID_ARGUMENT if the records name too many versions, fixes, aliases and ranges.
 */
export async function readOsvRecords(
  records: JsonObject[],
  strict: boolean,
): Promise<Reading<OsvRead>> {
  const seen = new Set<string>();
  const { read, skipped } = readEach(records, {
    list: "records",
    strict,
    idOf: ({ id }) => id,
    read(reader, record, path) {
      const advisory = readOsvRecord(reader, record, path);
      const { id } = advisory;
      if (seen.has(id)) reader.refuse(`${path}.id`, "is also the id of an earlier record");
      const whole = readRest(reader, record, path, advisory);
      if (reader.violations.length === 0) seen.add(id);
      return whole;
    },
  });
  const libraries = gatherLibraries(read.flatMap((record) => record.libraries));
  const ofLibraries = libraries.map(({ versions }) => versions.size + weights.library);
  const ofRecords = read.map(
    // The first step is that the vulnerability was detected.
    ({ steps, aliases, ranges }) =>
      (steps.length - 1) * weights.fix +
      aliases.length * weights.alias +
      ranges.length * weights.range,
  );
  const weight = [...ofLibraries, ...ofRecords].reduce((sum, one) => sum + one, 0);
  if (weight > maxParts) {
    const text = `records name more than ${maxParts} versions, fixes, aliases and ranges; send fewer records in one call`;
    throw invalidArgument("records", text);
  }
  return { read: await Promise.all(read.map(withDigest)), skipped };
}

function readRest(reader: JsonReader, record: JsonObject, path: string, advisory: OsvAdvisory) {
  const { severities } = advisory;
  return {
    ...advisory,
    source: record,
    libraries: readLibraries(reader, record, path),
    ranges: affectedRanges(record),
    severity: severityOf(severities, wordOf(record)),
    vulnerability: { ...readVulnerability(reader, record, path), severities },
  };
}

/** Adds the SHA-256 of the scheme and the canonical JSON to a record, in hexadecimal. */
async function withDigest({ source, ...advisory }: ReturnType<typeof readRest>): Promise<OsvRead> {
  const record = canonicalJson(source);
  return { ...advisory, record, digest: await sha256(`${readingVersion}\n${record}`) };
}

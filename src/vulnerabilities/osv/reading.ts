/** Reads and checks the records of one import before any call to the database. */
import type { JsonObject } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArgument, invalidArguments } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { canonicalJson } from "../canonical_json.ts";
import type { PublishedFacts } from "../catalog.ts";
import { gatherLibraries, type LibraryClaim, readLibraries } from "./libraries.ts";
import { type OsvAdvisory, readOsvRecord } from "./record.ts";
import { readVulnerability } from "./vulnerability.ts";

/** A record as it was read: its advisory and its other data, its canonical JSON and the digest. */
export interface OsvRead extends OsvAdvisory {
  libraries: LibraryClaim[];
  vulnerability: PublishedFacts;
  record: string;
  digest: string;
}

/**
 * The version of the conversion. Increase it when records produce more data: a record is then imported again,
 * even if it was imported before.
 */
const readingVersion = 2;

/** A larger import occupies the database for too long, and no one else can write in the meantime. */
const maxVersions = 20_000;
/** A library has more columns and indexes than a version, so it counts as this many. */
const versionsPerLibrary = 10;

/** More would only make the response too large. */
const maxViolations = 1000;

/** Reads all records. Throws INVALID_ARGUMENT with every violation of every record. */
export function readOsvRecords(records: JsonObject[]): Promise<OsvRead[]> {
  const violations: FieldViolation[] = [];
  const seen = new Map<string, number>();
  const read = records.map((one, i) => {
    const path = `records[${i}]`;
    const { advisory, violations: found } = readOsvRecord(one, path);
    const { libraries, violations: inLibraries } = readLibraries(one, path);
    const { vulnerability, violations: inTexts } = readVulnerability(one, path, advisory);
    const refusedFields = new Set(found.map(({ field }) => field));
    violations.push(...found);
    violations.push(
      ...[...inLibraries, ...inTexts].filter(({ field }) => !refusedFields.has(field)),
    );
    if (violations.length >= maxViolations) throw invalidArguments(violations);
    const twin = seen.get(advisory.id);
    if (twin === undefined) seen.set(advisory.id, i);
    else if (advisory.id !== "") {
      const description = `records[${i}].id is also the id of records[${twin}]; send each record once`;
      violations.push({ field: `records[${i}].id`, description });
    }
    return { ...advisory, libraries, vulnerability };
  });
  if (violations.length > 0) throw invalidArguments(violations);
  const libraries = gatherLibraries(read.flatMap((one) => one.libraries));
  const weight = libraries.reduce((sum, one) => sum + one.versions.size + versionsPerLibrary, 0);
  if (weight > maxVersions) {
    const text = `records name more than ${maxVersions} versions of libraries; send fewer records in one call`;
    throw invalidArgument("records", text);
  }
  return digestAll(read, records);
}

/** Adds the SHA-256 of the scheme and the canonical JSON to each record, in hexadecimal. */
const digestAll = (read: Omit<OsvRead, "record" | "digest">[], records: JsonObject[]) =>
  Promise.all(
    read.map(async (one, i): Promise<OsvRead> => {
      const record = canonicalJson(records[i]);
      return { ...one, record, digest: await sha256(`${readingVersion}\n${record}`) };
    }),
  );

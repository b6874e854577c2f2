/** The records of one import, read and checked before anything is asked of the database. */
import type { JsonObject } from "@bufbuild/protobuf";
import { type FieldViolation, invalidArgument, invalidArguments } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { canonicalJson } from "../canonical_json.ts";
import type { PublishedFacts } from "../catalog.ts";
import { gatherLibraries, type LibraryClaim, readLibraries } from "./libraries.ts";
import { type OsvAdvisory, readOsvRecord } from "./record.ts";
import { readVulnerability } from "./vulnerability.ts";

/** A record as read: its advisory, and what else it tells of; its canonical JSON and the digest. */
export interface OsvRead extends OsvAdvisory {
  libraries: LibraryClaim[];
  vulnerability: PublishedFacts;
  record: string;
  digest: string;
}

/**
 * What is made of a record, counted up whenever more is: then a record is taken in again, though it
 * was taken in before.
 */
const readingVersion = 2;

/** More take the database too long, in which nobody else can write. */
const maxVersions = 20_000;
/** A library has more columns and indexes than a version: it counts as this many. */
const versionsPerLibrary = 10;

/** More would only make the answer too large. */
const maxViolations = 1000;

/** Reads all records; throws INVALID_ARGUMENT with every violation of every record. */
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
      const description = `records[${i}].id is the id of records[${twin}] too`;
      violations.push({ field: `records[${i}].id`, description });
    }
    return { ...advisory, libraries, vulnerability };
  });
  if (violations.length > 0) throw invalidArguments(violations);
  const libraries = gatherLibraries(read.flatMap((one) => one.libraries));
  const weight = libraries.reduce((sum, one) => sum + one.versions.size + versionsPerLibrary, 0);
  if (weight > maxVersions) {
    const text = `records name more than ${maxVersions} versions of libraries: send fewer at once`;
    throw invalidArgument("records", text);
  }
  return digestAll(read, records);
}

/** With the SHA-256 of the scheme and the canonical JSON of each record, in hex. */
const digestAll = (read: Omit<OsvRead, "record" | "digest">[], records: JsonObject[]) =>
  Promise.all(
    read.map(async (one, i): Promise<OsvRead> => {
      const record = canonicalJson(records[i]);
      return { ...one, record, digest: await sha256(`${readingVersion}\n${record}`) };
    }),
  );

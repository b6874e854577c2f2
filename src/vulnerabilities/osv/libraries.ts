/** Reads the libraries in OSV records, for the ecosystems whose libraries the platform lists. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Ecosystem } from "../../../schema/gen/platform/libraries/v2/artifacts_pb.js";
import { mavenSortKey } from "../../packages/maven_order.ts";
import { pypiName } from "../../packages/names.ts";
import { pypiSortKey } from "../../packages/pypi_order.ts";
import type { JsonReader } from "../json_reader.ts";
import { fixesOf } from "./record.ts";

/** A library in one record. Times are in milliseconds since 1970 in UTC. */
export interface LibraryClaim {
  ecosystem: Ecosystem;
  name: string;
  versions: string[];
  /** Whether a version fixes the vulnerability. */
  remediated: boolean;
  createTime: number;
  updateTime: number;
}

/** A library in several records together. */
export interface GatheredLibrary extends Omit<LibraryClaim, "versions"> {
  versions: Map<string, { createTime: number; updateTime: number }>;
  /** In the form that {@link cudaOf} returns, sorted. */
  cudaVersions: string[];
}

/** The sort key of a version in the order of its ecosystem. */
export const sortKeyOf = (ecosystem: Ecosystem, version: string): string =>
  ecosystem === Ecosystem.PYTHON ? pypiSortKey(version) : mavenSortKey(version);

/** OSV's names of the ecosystems. */
const ecosystems = new Map([
  ["PyPI", Ecosystem.PYTHON],
  ["Maven", Ecosystem.JAVA],
]);

/**
 * Reads the libraries in a record, including duplicates. `path` is the place of the record in the request.
 * Other ecosystems are skipped.
 */
export function readLibraries(
  reader: JsonReader,
  record: JsonObject,
  path: string,
): LibraryClaim[] {
  const updateTime = reader.time(`${path}.modified`, record.modified);
  const createTime = reader.optionalTime(`${path}.published`, record.published) ?? updateTime;
  const isWithdrawn = record.withdrawn !== undefined && record.withdrawn !== null;
  const affected = reader.objects(`${path}.affected`, record.affected);
  return affected.flatMap((entry, i): LibraryClaim[] => {
    const entryPath = `${path}.affected[${i}]`;
    const affectedPackage = reader.object(`${entryPath}.package`, entry.package);
    const ecosystem = ecosystemOf(affectedPackage.ecosystem);
    if (ecosystem === undefined) return [];
    const name = reader.text(`${entryPath}.package.name`, affectedPackage.name);
    const fixed = fixesOf(reader, entryPath, entry).map(({ version }) => version);
    return [
      {
        ecosystem,
        name: ecosystem === Ecosystem.PYTHON ? pypiName(name) : name,
        versions: [...reader.texts(`${entryPath}.versions`, entry.versions), ...fixed],
        remediated: fixed.length > 0 && !isWithdrawn,
        createTime,
        updateTime,
      },
    ];
  });
}

/** The name of an ecosystem can end in `:` and a repository. */
const ecosystemOf = (name: JsonValue | undefined) =>
  typeof name === "string" ? ecosystems.get(name.split(":")[0] ?? "") : undefined;

/**
 * The CUDA version that a Python version was built for, from its local version label: `cu118` of 2.0.0+cu118.
 * Undefined without one.
 */
const cudaOf = (version: string): string | undefined =>
  /\+(?:.*[-_.])?(cu\d+)(?:[-_.].*)?$/i.exec(version)?.[1]?.toLowerCase();

/**
 * Combines the data about each library and each version: the earliest publication of the records that name
 * it, and the latest change of one.
 */
export function gatherLibraries(claims: LibraryClaim[]): GatheredLibrary[] {
  const all = new Map<string, GatheredLibrary>();
  for (const { versions, ...claim } of claims) {
    const key = `${claim.ecosystem} ${claim.name}`;
    const library = all.get(key) ?? { ...claim, versions: new Map(), cudaVersions: [] };
    all.set(key, library);
    Object.assign(library, mergeSpans(library, claim));
    library.remediated ||= claim.remediated;
    for (const version of versions) {
      library.versions.set(version, mergeSpans(library.versions.get(version) ?? claim, claim));
    }
  }
  return [...all.values()].map((library) => ({
    ...library,
    cudaVersions: cudaVersionsOf(library),
  }));
}

interface Span {
  createTime: number;
  updateTime: number;
}

const mergeSpans = (span: Span, other: Span): Span => ({
  createTime: Math.min(span.createTime, other.createTime),
  updateTime: Math.max(span.updateTime, other.updateTime),
});

function cudaVersionsOf({ ecosystem, versions }: GatheredLibrary): string[] {
  if (ecosystem !== Ecosystem.PYTHON) return [];
  const cudaVersions = [...versions.keys()].flatMap((version) => cudaOf(version) ?? []);
  return [...new Set(cudaVersions)].sort();
}

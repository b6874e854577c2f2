/**
 * Converts OSV records (OSV schema 1.x) to the values of an advisory. The data about one package, the first
 * that the record names, becomes one advisory. A record that names no package is about a repository of source
 * code, and gives none.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import {
  AdvisoryEvent_FalsePositiveDetermination_Type,
  AdvisoryEvent_FalsePositiveDetermination_TypeSchema,
  EventTypeFilter,
  Severity_Type,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredSeverity } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { canonicalName } from "../../packages/names.ts";
import type { JsonReader } from "../json_reader.ts";

/**
 * One event of an advisory: the EventTypeFilter number, the milliseconds, and the JSON of the oneof's member.
 */
export interface AdvisoryStep {
  type: number;
  time: number;
  detail: JsonObject;
}

/** The result of reading a record. Times are in milliseconds since 1970 in UTC. */
export interface OsvAdvisory {
  id: string;
  createTime: number;
  updateTime: number;
  deleteTime: number | null;
  author: string;
  name: string;
  componentType: string;
  purl: string;
  aliases: string[];
  severities: StoredSeverity[];
  steps: AdvisoryStep[];
}

const idPattern = /^[\x21-\x7e]{1,255}$/;
const maxPurlLength = 1024;
/** More would make a page of advisories too large for a response. */
const maxFixes = 200;

const componentTypes = new Map(
  Object.entries({
    PyPI: "python",
    Maven: "java",
    npm: "javascript",
    Go: "go-module",
  }),
);

/** Ecosystem names can end in `:` and a release or repository. Only our own is always without it. */
const componentTypeOf = (ecosystem: string) =>
  componentTypes.get(ecosystem.split(":")[0] ?? "") ?? ecosystem.toLowerCase();

const severityTypes = new Map(
  Object.entries({
    CVSS_V2: Severity_Type.CVSS_V2,
    CVSS_V3: Severity_Type.CVSS_V3,
    CVSS_V4: Severity_Type.CVSS_V4,
  }),
);

const contestedByThirdParties =
  AdvisoryEvent_FalsePositiveDetermination_TypeSchema.value[
    AdvisoryEvent_FalsePositiveDetermination_Type.VULNERABILITY_RECORD_ANALYSIS_CONTESTED
  ]?.name ?? "";

interface Package {
  name: string;
  ecosystem: string;
  purl: string;
}

/**
 * Reads a record. `path` is its place in the request (`records[3]`), which the fields of violations begin
 * with. Use the advisory only if there are no violations.
 */
export function readOsvRecord(reader: JsonReader, record: JsonObject, path: string): OsvAdvisory {
  const modified = reader.time(`${path}.modified`, record.modified);
  const published = reader.optionalTime(`${path}.published`, record.published) ?? modified;
  const withdrawn = reader.optionalTime(`${path}.withdrawn`, record.withdrawn);
  const affected = reader.objects(`${path}.affected`, record.affected);
  const firstIndex = affected.findIndex(namesPackage);
  const first = affected[firstIndex];
  const { name, ecosystem, purl } = packageOf(reader, path, first, firstIndex);
  const componentType = componentTypeOf(ecosystem);
  const fixes = affected.flatMap((entry, i) =>
    isAbout(entry, name, ecosystem) ? fixesOf(reader, `${path}.affected[${i}]`, entry) : [],
  );
  const aliases = reader.texts(`${path}.aliases`, record.aliases);
  const upstream = reader.texts(`${path}.upstream`, record.upstream);
  return {
    id: idOf(reader, path, record),
    createTime: published,
    updateTime: modified,
    deleteTime: withdrawn ?? null,
    author: authorOf(record),
    name: canonicalName(componentType, name),
    componentType,
    purl,
    // A duplicate adds nothing. Distributions name the vulnerability as `upstream`. Several are different ones.
    aliases: [...new Set(upstream.length === 1 ? [...aliases, ...upstream] : aliases)],
    severities: severitiesOf(reader, path, record, first, firstIndex),
    steps: stepsOf(reader, path, fixes, published, withdrawn),
  };
}

/** Whether an entry of `affected` names a package: many name only a repository of source code. */
function namesPackage({ package: of }: JsonObject): boolean {
  if (typeof of !== "object" || of === null || Array.isArray(of)) return false;
  return Boolean(of.name) && Boolean(of.ecosystem);
}

function idOf(reader: JsonReader, path: string, record: JsonObject): string {
  const id = reader.text(`${path}.id`, record.id);
  if (id !== "" && !idPattern.test(id)) {
    reader.refuse(`${path}.id`, "must be printable ASCII without spaces");
  }
  return id;
}

function packageOf(
  reader: JsonReader,
  path: string,
  affected: JsonObject | undefined,
  index: number,
): Package {
  if (!affected) {
    reader.refuse(`${path}.affected`, "names no package");
    return { name: "", ecosystem: "", purl: "" };
  }
  const packagePath = `${path}.affected[${index}].package`;
  const affectedPackage = reader.object(packagePath, affected.package);
  return {
    name: reader.text(`${packagePath}.name`, affectedPackage.name),
    ecosystem: reader.text(`${packagePath}.ecosystem`, affectedPackage.ecosystem),
    purl: reader.optionalText(`${packagePath}.purl`, affectedPackage.purl, maxPurlLength),
  };
}

/** A package can be affected several times, in different ranges. Other packages are left out. */
function isAbout({ package: of }: JsonObject, name: string, ecosystem: string): boolean {
  if (typeof of !== "object" || of === null || Array.isArray(of)) return false;
  const type = componentTypeOf(ecosystem);
  const isSame = canonicalName(type, String(of.name)) === canonicalName(type, name);
  return isSame && of.ecosystem === ecosystem;
}

/** `database_specific` belongs to the database. Its author is used if it has one. */
function authorOf({ database_specific: own }: JsonObject): string {
  if (typeof own !== "object" || own === null || Array.isArray(own)) return "osv";
  const author = own.author;
  return typeof author === "string" && author !== "" && author.length <= 255 ? author : "osv";
}

/** The severities of a record are at the top or in its packages. Only CVSS is read. */
function severitiesOf(
  reader: JsonReader,
  path: string,
  record: JsonObject,
  affected: JsonObject | undefined,
  index: number,
): StoredSeverity[] {
  const top = reader
    .objects(`${path}.severity`, record.severity)
    .map(readSeverity(reader, `${path}.severity`));
  const severityPath = `${path}.affected[${index}].severity`;
  const own = reader
    .objects(severityPath, affected?.severity)
    .map(readSeverity(reader, severityPath));
  return (top.length > 0 ? top : own).filter(({ type }) => type !== Severity_Type.UNSPECIFIED);
}

const readSeverity = (reader: JsonReader, path: string) => (severity: JsonObject, i: number) => ({
  type:
    severityTypes.get(reader.text(`${path}[${i}].type`, severity.type)) ??
    Severity_Type.UNSPECIFIED,
  score: reader.text(`${path}[${i}].score`, severity.score),
});

interface Fix {
  version: string;
  note: string;
}

/**
 * The `fixed` versions in the ranges of versions. Ranges of commits are ignored, and so is an end that is also the
 * beginning: nothing is affected in between (OSV schema, `affected[].ranges[].events`).
 */
export function fixesOf(reader: JsonReader, path: string, affected: JsonObject): Fix[] {
  return reader.objects(`${path}.ranges`, affected.ranges).flatMap((range, i) => {
    const rangePath = `${path}.ranges[${i}]`;
    const type = reader.text(`${rangePath}.type`, range.type);
    let introduced = "";
    return reader.objects(`${rangePath}.events`, range.events).flatMap((event, j): Fix[] => {
      const opened = reader.optionalText(`${rangePath}.events[${j}].introduced`, event.introduced);
      const version = reader.optionalText(`${rangePath}.events[${j}].fixed`, event.fixed);
      introduced = opened || introduced;
      if (version === "" || version === introduced || !versionRanges.includes(type)) return [];
      const note = introduced === "" ? `${type} range` : `${type} range from ${introduced}`;
      return [{ version, note }];
    });
  });
}

const versionRanges = ["ECOSYSTEM", "SEMVER"];

/** The history of the advisory: detected, fixed in these versions, and possibly withdrawn. */
function stepsOf(
  reader: JsonReader,
  path: string,
  fixes: Fix[],
  published: number,
  withdrawn: number | undefined,
): AdvisoryStep[] {
  const distinct = new Map<string, Fix>();
  for (const fix of fixes) if (!distinct.has(fix.version)) distinct.set(fix.version, fix);
  if (distinct.size > maxFixes) {
    reader.refuse(`${path}.affected`, `must name at most ${maxFixes} fixed versions`);
  }
  const detected = { type: EventTypeFilter.DETECTION, time: published, detail: { manual: {} } };
  const fixed = [...distinct.values()].map(({ version, note }) => ({
    type: EventTypeFilter.FIXED,
    time: published,
    detail: { fixedVersion: version, note },
  }));
  if (withdrawn === undefined) return [detected, ...fixed];
  const note = `The record was withdrawn at ${new Date(withdrawn).toISOString()}.`;
  const detail = { type: contestedByThirdParties, note };
  const type = EventTypeFilter.FALSE_POSITIVE_DETERMINATION;
  return [detected, ...fixed, { type, time: Math.max(withdrawn, published), detail }];
}

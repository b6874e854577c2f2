/** The fields of a resource that make up a row of a table. */
import type { CatalogField } from "../../schema/describe/catalog.ts";
import { overrideOf, overrideText } from "../history/overrides.ts";
import { type CatalogResource, fieldNamed, fieldsOf } from "./catalog.ts";
import { type CellStyle, cellText, valueAt, withoutControls } from "./cells.ts";
import type { JsonObject } from "./flags.ts";
import {
  consumersOf,
  countOf,
  outcomeOf,
  resolvedOf,
  severityOf,
  statusOf,
  subscriptionStatusOf,
  summaryOf,
  warningsOf,
} from "./judgements.ts";
import { identityLabel } from "./people.ts";
import { whatOf, whoOf } from "./row_names.ts";
import { conditionOf, reposOf, tagsOf } from "./tag_rules.ts";
import { identitiesOf, keysOf } from "./trust_policies.ts";
import { verdictWord } from "./verdicts.ts";

/**
 * A column. On a narrow terminal, the column with the highest `rank` is left out first. `compute` derives the text from
 * the whole row, if it is not the value at the path.
 */
export type TableColumn = {
  title: string;
  path: string;
  field: CatalogField | undefined;
  rank: number;
  compute?: (row: JsonObject, style: CellStyle) => string;
  /** The text for a row without the value. By default none. */
  empty?: string;
};

/** Returns the text of a column of a row, on one line. */
export const columnText = (
  { path, field, compute, empty = "" }: TableColumn,
  row: JsonObject,
  style: CellStyle,
): string =>
  compute
    ? withoutControls(compute(row, style))
    : cellText(valueAt(row, path), field, style) || empty;

/** Returns a column that is not a field of its rows. */
export const computedColumn = (
  title: string,
  rank: number,
  compute: (row: JsonObject) => string,
): TableColumn => ({ title, path: title, field: undefined, rank, compute });

/** The fields of each resource, the most useful ones first. The uid is added at the end. */
const columnsByResource: Record<string, string[]> = {
  accountAssociation: ["name", "description", "updateTime"],
  advisory: [
    "advisoryId",
    "severities",
    "events",
    "artifactName",
    "aliases",
    "componentName",
    "updateTime",
  ],
  artifact: ["name", "ecosystem", "latestVersion", "versionCount", "updateTime"],
  artifactVersion: ["version", "name", "sizeBytes", "createTime"],
  delivery: ["createTime", "state", "eventType", "attempts"],
  document: ["id", "advisories", "updateTime"],
  event: ["createTime", "type", "subject", "actor.subject"],
  endOfLifeTag: [
    "repoName",
    "tag",
    "deprecatedTime",
    "consumers",
    "lastPullTime",
    "replacement.tag",
  ],
  expiryPlan: ["state", "creator", "tagCount", "manifestCount", "bytes", "undoExpireTime"],
  externalGroupRoleMapping: ["externalGroupId", "roleUid", "scope", "updateTime"],
  finding: [
    "vulnerabilityId",
    "severity",
    "repoName",
    "tags",
    "package.name",
    "package.version",
    "vex.status",
  ],
  group: ["name", "description", "verified", "updateTime"],
  groupInvite: ["keyId", "role.name", "email", "singleUse", "expirationTime"],
  identity: [
    ...["name", "description", "email", "claimMatch.subject", "lastUsedTime"],
    "staticKeys.expirationTime",
  ],
  identityProvider: ["name", "description", "oidc.issuer", "updateTime"],
  imageHold: ["name", "digests", "updateTime"],
  key: ["name", "actions", "networks", "expireTime", "lastUsedTime"],
  manifest: ["digest", "tags", "architectures", "size", "signatureCount", "verdicts", "createTime"],
  package: ["name", "version", "repoName", "tags", "type", "license"],
  pastTag: ["name", "digest", "updateTime"],
  recordedTagMove: [
    ...["updateTime", "image", "kind", "previousDigest", "digest", "identityName", "warnings"],
    "overriddenRule",
  ],
  repo: ["name", "description", "catalogTier", "updateTime"],
  repoUsage: ["name", "bytes", "sharedBytes"],
  repoReadme: ["content", "updateTime"],
  resolvedVulnsReport: ["date", "resolvedVulns"],
  role: ["name", "description", "updateTime"],
  roleBinding: ["identity.name", "role.name", "group.name", "updateTime", "lastUsedTime"],
  sbom: ["digest", "format", "packageCount", "name", "updateTime"],
  subscription: ["sink", "disabled", "updateTime"],
  tag: ["name", "digest", "deprecated", "updateTime"],
  tagRule: ["name", "includeTags", "keep", "includeRepos", "updateTime"],
  trustPolicy: ["name", "publicKeys", "identities", "notationSubjects", "updateTime"],
  termsAcceptance: ["docId", "acceptedBy", "createTime"],
  vulnReport: ["digest", "vulnerabilityCount", "scanner", "scannerVersion", "scanTime"],
  vulnerabilityMetadata: ["id", "severities", "summary", "updateTime"],
};

/** Columns that show more or less than the value at their path. */
const computedColumns: Record<string, Record<string, NonNullable<TableColumn["compute"]>>> = {
  advisory: { severities: severityOf, events: statusOf },
  delivery: { attempts: outcomeOf, eventType: ({ eventType }) => withoutVendor(eventType) },
  document: { advisories: countOf },
  endOfLifeTag: { consumers: consumersOf },
  event: {
    type: (row, { isExact }) => (isExact ? withoutVendor(row.type) : eventWord(row)),
    subject: (row, { isExact }) => (isExact ? String(row.subject ?? "") : whatOf(row)),
    "actor.subject": (row, { isExact }) => {
      const uid = (row.actor as JsonObject | undefined)?.subject;
      return isExact ? String(uid ?? "") : whoOf(row, uid);
    },
  },
  manifest: { verdicts: verdictWord },
  recordedTagMove: {
    image: ({ repo, tag }) => `${repo ?? "?"}:${tag}`,
    identityName: (row) => whoOf(row, row.identityName || row.identityUid),
    warnings: warningsOf,
    overriddenRule: (row) => overrideText(overrideOf(row)),
  },
  resolvedVulnsReport: { resolvedVulns: resolvedOf },
  roleBinding: { "identity.name": ({ identity }) => identityLabel((identity ?? {}) as JsonObject) },
  subscription: { disabled: subscriptionStatusOf },
  tagRule: { includeTags: tagsOf, keep: conditionOf, includeRepos: reposOf },
  trustPolicy: { publicKeys: keysOf, identities: identitiesOf },
  vulnerabilityMetadata: { severities: severityOf, summary: summaryOf },
};

/** The type of an event without its prefix `dev.{vendor}.`. */
const withoutVendor = (type: unknown) => String(type).replace(/^dev\.[^.]+\./, "");

/** A move of a tag has the type of its creation, because the followed API has no other. */
const eventWord = ({ type, previousDigest }: JsonObject) =>
  withoutVendor(type)
    .replace(/^api\./, "")
    .replace(/\.v\d+$/, "")
    .replace(previousDigest ? /tag\.created$/ : /$^/, "tag.moved");

/** Texts for rows without a value. */
const empties: Record<string, string> = { lastUsedTime: "never" };

/** Titles that differ from the last name of the path. */
const titles: Record<string, string> = {
  "claimMatch.subject": "subject",
  "group.name": "group",
  "package.name": "package",
  "package.version": "version",
  "vex.status": "vex",
  "identity.name": "identity",
  "oidc.issuer": "issuer",
  "replacement.tag": "replaced by",
  "role.name": "role",
  artifactName: "artifact",
  componentName: "component",
  confirmTime: "confirmed",
  consumers: "pulled by",
  attempts: "response",
  createTime: "created",
  creator: "made by",
  deprecatedTime: "deprecated",
  disabled: "status",
  docId: "document",
  events: "status",
  expirationTime: "expires",
  externalGroupId: "external group",
  includeRepos: "repos",
  includeTags: "tags",
  keep: "condition",
  lastPullTime: "last pull",
  lastSeenTime: "last seen",
  lastUsedTime: "last used",
  manifestCount: "images",
  "staticKeys.expirationTime": "expires",
  resolvedVulns: "resolved",
  roleUid: "role",
  sharedBytes: "shared",
  overriddenRule: "overrides",
  packageCount: "packages",
  repoName: "repo",
  scannerVersion: "version",
  severities: "severity",
  signatureCount: "signatures",
  tagCount: "tags",
  undoExpireTime: "undo until",
  updateTime: "updated",
  vulnerabilityId: "vulnerability",
  vulnerabilityCount: "vulnerabilities",
};

/** Titles of one resource. */
const ownTitles: Record<string, Record<string, string>> = {
  event: { "actor.subject": "who", createTime: "when", subject: "what", type: "event" },
  recordedTagMove: {
    ...{ updateTime: "when", kind: "move", previousDigest: "from", digest: "to" },
    ...{ identityName: "by", warnings: "warning" },
  },
};

/** Columns that a narrow terminal leaves out before others, after the uid. */
const spare: Record<string, number> = { description: 60, previousDigest: 40, summary: 60 };

/** Returns the columns of a resource. */
export function columnsOf(resource: CatalogResource): TableColumn[] {
  const { name, message, key } = resource;
  const paths = columnsByResource[name] ?? defaultColumns(message);
  const uid = fieldNamed(message, "uid") ? ["uid"] : [];
  return [...paths, ...uid].map((path, index) =>
    columnAt(resource, path, rankOf(path, index, key !== undefined || namedRows.includes(name))),
  );
}

/** Returns the column with the value at a path of the resource. */
export const columnAt = (
  { name, message }: CatalogResource,
  path: string,
  rank: number,
): TableColumn => ({
  title: ownTitles[name]?.[path] ?? titles[path] ?? path.split(".").map(spaced).join(" "),
  path,
  field: fieldAt(message, path),
  rank,
  ...(empties[path] && { empty: empties[path] }),
  ...(computedColumns[name]?.[path] && { compute: computedColumns[name][path] }),
});

/** Returns the columns of a resource that is not in the list: the name, plain texts and the time of the last change. */
function defaultColumns(message: string): string[] {
  const plain = fieldsOf(message).filter(
    ({ name, kind, many }) => name !== "uid" && !many && kind !== "message" && kind !== "time",
  );
  const time = fieldNamed(message, "updateTime") ? ["updateTime"] : [];
  return [...plain.slice(0, 3).map(({ name }) => name), ...time];
}

/** Resources without a name in their List request, whose rows people know by other columns than the uid. */
const namedRows = [
  ...["delivery", "endOfLifeTag", "event", "externalGroupRoleMapping", "manifest"],
  ...["roleBinding", "sbom", "vulnReport"],
];

/**
 * Uids are left out first on a narrow terminal, unless nothing else identifies the row. The uid of a delivery is too
 * long for most terminals.
 */
function rankOf(path: string, index: number, hasName: boolean): number {
  if (path === "uid") return hasName ? 50 : -1;
  if (index === 0) return 0;
  return spare[path] ?? 10 + index;
}

/** Returns the field at a dotted path. */
function fieldAt(message: string, path: string): CatalogField | undefined {
  const [first = "", ...rest] = path.split(".");
  const field = fieldNamed(message, first);
  if (rest.length === 0 || !field?.type) return rest.length === 0 ? field : undefined;
  return fieldAt(field.type, rest.join("."));
}

/** Returns the label of a field in front of its value: `Created` for createTime. */
export function labelOf(name: string): string {
  if (name === "uid") return "UID";
  const text = name.endsWith("Time") ? (titles[name] ?? spaced(name)) : spaced(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns `last seen` for lastSeen. */
const spaced = (name: string) =>
  name
    .replace(/_/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase();

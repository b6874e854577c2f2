/** The current state of an advisory: its newest approved event, and the package that it is about. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type AdvisoryEvent,
  ReviewState,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type {
  StoredComponent,
  vexSubjects,
} from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { inRelease, readPurl, toPurl } from "../../packages/purls.ts";

/** The stored data about the statements of an advisory. */
export type StoredSubject = typeof vexSubjects.$inferSelect;

/** The published data about the vulnerability in the group of the advisory. */
export interface PublishedVulnerability {
  summary: string;
  details: string;
  references: { type: number; url: string }[];
}

/** An advisory, and the other data for its documents. */
export interface KnownAdvisory {
  advisory: Advisory;
  subject: StoredSubject | undefined;
  published: PublishedVulnerability | undefined;
}

/**
 * The approved events that describe the status of the vulnerability, oldest first. The location of a
 * component is not one of them.
 */
export const approvedEvents = ({ events }: Advisory): AdvisoryEvent[] =>
  events.filter(
    ({ reviewState, type }) =>
      reviewState === ReviewState.APPROVED && type.case !== "componentLocationChanged",
  );

/**
 * Every version that an approved event calls fixed, once each. Numbers in versions are in ascending order.
 */
export function fixedVersions(advisory: Advisory): string[] {
  const versions = approvedEvents(advisory).flatMap(({ type }) => {
    if (type.case === "fixed") return [type.value.fixedVersion];
    return type.case === "patched" ? type.value.patchedVersions : [];
  });
  return [...new Set(versions)]
    .filter((version) => version !== "")
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

/** RFC 3339 in UTC with milliseconds. The beginning of 1970 if there is no time. */
export const rfc3339 = (time: Parameters<typeof timestampMs>[0] | undefined) =>
  new Date(time ? timestampMs(time) : 0).toISOString();

/** The package URL of the product. Undefined if documents identify it only in other ways. */
export function productPurl({ advisory, subject }: KnownAdvisory): string | undefined {
  if (subject) return componentPurl(subject.product);
  const { artifactName, artifactType, artifactArchitecture, componentName } = advisory;
  const { componentLocation, componentType } = advisory;
  const isItself = artifactName === componentName;
  const located = isItself ? readPurl(componentLocation)?.purl : undefined;
  // The type of a library is that of its ecosystem.
  const type = artifactType === "library" ? componentType : artifactType;
  return located
    ? inRelease(located, componentType)
    : toPurl({ type, name: artifactName, architecture: artifactArchitecture });
}

/** The package URL that identifies a component. */
export const componentPurl = ({
  identifiers,
  "@id": id = "",
}: StoredComponent): string | undefined => identifiers?.purl ?? (readPurl(id) ? id : undefined);

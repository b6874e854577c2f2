/** Converts the events of advisories to the form of the public feed. */
import type { JsonObject } from "@bufbuild/protobuf";
import {
  type DocumentEvent,
  DocumentEventSchema,
} from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { EventTypeFilter } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { messageFromStored } from "../aip/well_formed.ts";

/**
 * The published part of a stored event: its time in milliseconds, its EventTypeFilter number, and the JSON of
 * the member.
 */
export interface PublishedEvent {
  time: number;
  type: number;
  detail: JsonObject;
}

/**
 * Oldest first. Events of the same moment are in the order in which their types follow each other. The feed
 * has no type for a patch: the vulnerability is fixed in each patched version.
 */
export const toDocumentEvents = (events: PublishedEvent[]): DocumentEvent[] =>
  events
    .toSorted((a, b) => a.time - b.time || a.type - b.type)
    .flatMap(({ time, type, detail }) =>
      eventData(type, detail).map((data) =>
        messageFromStored(DocumentEventSchema, {
          timestamp: new Date(time).toISOString(),
          ...data,
        }),
      ),
    );

function eventData(type: number, detail: JsonObject): JsonObject[] {
  switch (type) {
    case EventTypeFilter.DETECTION:
      return [{ detection: detectionOf(detail) }];
    case EventTypeFilter.TRUE_POSITIVE_DETERMINATION:
      return [{ truePositiveDetermination: detail }];
    case EventTypeFilter.FIXED:
      return [{ fixed: detail }];
    case EventTypeFilter.FALSE_POSITIVE_DETERMINATION:
      return [{ falsePositiveDetermination: detail }];
    case EventTypeFilter.ANALYSIS_NOT_PLANNED:
      return [{ analysisNotPlanned: detail }];
    case EventTypeFilter.FIX_NOT_PLANNED:
      return [{ fixNotPlanned: detail }];
    case EventTypeFilter.PENDING_UPSTREAM_FIX:
      return [{ pendingUpstreamFix: detail }];
    case EventTypeFilter.PATCHED:
      return versionsOf(detail).map((fixedVersion) => ({ fixed: { fixedVersion } }));
    default:
      return [];
  }
}

/** The feed has longer names for two fields of a scanner's match. */
function detectionOf(detail: JsonObject): JsonObject {
  const { scanv1 } = detail;
  if (typeof scanv1 !== "object" || scanv1 === null || Array.isArray(scanv1)) return detail;
  const { subpackage, component, ...same } = scanv1;
  const names = {
    ...(subpackage === undefined ? {} : { subpackageName: subpackage }),
    ...(component === undefined ? {} : { componentName: component }),
  };
  return { scanv1: { ...same, ...names } };
}

const versionsOf = ({ patchedVersions }: JsonObject): string[] =>
  Array.isArray(patchedVersions)
    ? patchedVersions.filter((version) => typeof version === "string")
    : [];

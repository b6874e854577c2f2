/** Converts advisories and their events from messages of version 2 to those of version 1, and back. */

import { create, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryEvent,
  type AdvisoryEvent_Detection,
  AdvisoryEventSchema,
  AdvisorySchema,
} from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import {
  type Advisory as AdvisoryV2,
  type AdvisoryEvent_Detection as DetectionV2,
  type AdvisoryEvent as EventV2,
  AdvisoryEventSchema as EventV2Schema,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import { eventMembers } from "./advisories.ts";

const detectionToV1 = ({ type }: DetectionV2) => {
  if (type.case !== "scanv1") return { type };
  const { subpackage: subpackageName, component: componentName, ...same } = type.value;
  return { type: { case: type.case, value: { ...same, subpackageName, componentName } } };
};

const detectionToV2 = ({ type }: AdvisoryEvent_Detection) => {
  if (type.case !== "scanv1") return { type };
  const { subpackageName: subpackage, componentName: component, ...same } = type.value;
  return { type: { case: type.case, value: { ...same, subpackage, component } } };
};

/** The numbers of the enums are those of version 2, and so are the members of the other types. */
export function toEventV1(event: EventV2): AdvisoryEvent {
  const { uid: id, createTime: timestamp, findings, author, reviewer, issue, type } = event;
  const eventType =
    type.case === "detection" ? { case: type.case, value: detectionToV1(type.value) } : type;
  return create(AdvisoryEventSchema, {
    id,
    findings,
    author,
    reviewer,
    type: eventType as AdvisoryEvent["type"],
    ...(timestamp ? { timestamp } : {}),
    ...(issue ? { issue } : {}),
    status: event.reviewState as number,
  });
}

/** The stored form of an event's type: its number, and the JSON of the member in version 2. */
export function toStoredDetail({ type }: AdvisoryEvent): { type: number; detail: JsonValue } {
  const eventType =
    type.case === "detection" ? { case: type.case, value: detectionToV2(type.value) } : type;
  const event = create(EventV2Schema, { type: eventType as EventV2["type"] });
  const json = toJson(EventV2Schema, event) as JsonObject;
  for (const [number, member] of eventMembers) {
    if (json[member] !== undefined) return { type: number, detail: json[member] };
  }
  throw new Error("an event without a type passed the rules");
}

/** The advisory in the form of version 1. An unknown component is left out. */
export function toAdvisoryV1(advisory: AdvisoryV2): Advisory {
  const { uid: id, createTime, updateTime, deleteTime, legacyAdvisoryId, events } = advisory;
  const { artifactType, artifactName, artifactArchitecture, aliases, advisoryId, author } =
    advisory;
  const { componentName, componentLocation, componentType } = advisory;
  return wholeMessage(AdvisorySchema, {
    id,
    artifactType,
    artifactName,
    artifactArchitecture,
    aliases,
    advisoryId,
    author,
    componentName: componentName || undefined,
    componentLocation: componentLocation || undefined,
    componentType: componentType || undefined,
    createdAt: createTime,
    updatedAt: updateTime,
    deletedAt: deleteTime,
    legacyAdvisoryID: legacyAdvisoryId || undefined,
    events: events.map(toEventV1),
  });
}

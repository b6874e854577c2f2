import { create } from "@bufbuild/protobuf";
import {
  Advisories,
  type Advisory,
  type AdvisoryFilter,
  AdvisorySchema,
  type CreateAdvisoryRequest,
  type DeleteAdvisoryRequest,
  DeleteAdvisoryRequestSchema,
  OrderBy,
} from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { alreadyExists, invalidArgument } from "../../aip/errors.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import type { Call, CallAnywhere } from "../../auth/call.ts";
import { commit, nextTime } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { callV2, filterOf } from "../../rpc/version1.ts";
import { type AdvisoryRow, advisoriesService, toAdvisory } from "./advisories.ts";
import { createAdvisoryEvent, listAdvisoryEvents, updateAdvisoryEvent } from "./events.v1.ts";
import { toAdvisoryV1 } from "./message.v1.ts";
import { checkEventsSize, defaultAuthor, reviewedEvent } from "./review.v1.ts";
import {
  checkNotDeletedRow,
  documentStatements,
  findAdvisory,
  selectSeverities,
  upsertEvents,
  writeChange,
} from "./rows.v1.ts";
import {
  advisoryChange,
  checkNotDeleted,
  checkUpdate,
  newAdvisoryId,
  toAdvisoryColumns,
} from "./values.v1.ts";

const toV1 = (row: AdvisoryRow) => toAdvisoryV1(toAdvisory(row));

const eventBody = (message: Advisory) => ({ desc: AdvisorySchema, message });

async function createAdvisory(
  { parentId, advisory = create(AdvisorySchema) }: CreateAdvisoryRequest,
  call: Call,
) {
  checkNotDeleted(advisory, "advisory.");
  const advisoryId = advisory.advisoryId || newAdvisoryId(call.config.vendor);
  const { db, now } = call;
  const severities = selectSeverities(call, parentId, [advisoryId, ...advisory.aliases]);
  const { caller, extraReads } = await find(call, parentGroup, parentId, {
    extraReads: [severities],
  });
  const [[published]] = extraReads;
  const uid = newUid(parentId);
  const events = advisory.events.map((event, i) =>
    reviewedEvent(event, { call, caller, uid: newUid(uid), path: `advisory.events[${i}].` }),
  );
  checkEventsSize(uid, events);
  const values = {
    uid,
    advisoryId,
    createTime: now,
    updateTime: now,
    editTime: now,
    ...toAdvisoryColumns(advisory),
    author: advisory.author || defaultAuthor(call, caller),
    origin: advisory.artifactName,
    severities: published?.severities ?? [],
  };
  const unordered = { aliasOrder: null, deleteOrder: null };
  const message = toV1({ ...values, ...unordered, deleteTime: null, removeTime: null, events });
  await commit(
    call,
    [
      db.insert(advisories).values(values),
      insertEvent(call, caller, { subject: uid, group: parentId, body: eventBody(message) }),
      ...upsertEvents(call, uid, events),
      ...(await documentStatements(call, uid, [values.origin])),
    ],
    () => alreadyExists("vulnerabilities/Advisory", advisoryId),
  );
  return message;
}

async function updateAdvisory(sentAdvisory: Advisory, call: Call) {
  const { id } = sentAdvisory;
  if (id === "") throw invalidArgument("id", "id is required");
  const group = parentOf(id);
  const ids = [sentAdvisory.advisoryId, ...sentAdvisory.aliases];
  const { foundAdvisory, rest } = await findAdvisory(call, id, [
    selectSeverities(call, group, ids),
  ]);
  const { row, sourceDigest, origin } = foundAdvisory;
  checkNotDeletedRow(foundAdvisory);
  const before = toV1(row);
  checkUpdate(sentAdvisory, before);
  const change = advisoryChange(sentAdvisory, foundAdvisory);
  if (!change) return before;
  // The imported record contained the severity.
  const severities = (sourceDigest === "" && rest[0][0]?.severities) || row.severities;
  const values = { ...change, severities, editTime: call.now };
  const message = toV1({ ...row, ...values, updateTime: nextTime(call, row.updateTime) });
  await writeChange(call, foundAdvisory, {
    values,
    event: { subject: id, group, body: eventBody(message) },
    origins: [origin, change.origin],
  });
  return message;
}

async function deleteAdvisory(request: DeleteAdvisoryRequest, call: Call) {
  const { id } = request;
  const { now: removeTime } = call;

  const { foundAdvisory } = await findAdvisory(call, id, []);
  const { row, origin } = foundAdvisory;
  if (row.removeTime !== null) return {};
  const deleteTime = row.deleteTime ?? removeTime;
  const body = { desc: DeleteAdvisoryRequestSchema, message: request };
  await writeChange(call, foundAdvisory, {
    values: { deleteTime, removeTime },
    event: { subject: id, group: parentOf(id), body },
    origins: [origin],
  });
  return {};
}

/** `order_by` of version 2. */
const orders: Record<OrderBy, string> = {
  [OrderBy.ORDER_BY_UNSPECIFIED]: "uid",
  [OrderBy.ID_ASC]: "uid",
  [OrderBy.ID_DESC]: "uid desc",
  [OrderBy.CREATED_AT_ASC]: "create_time",
  [OrderBy.CREATED_AT_DESC]: "create_time desc",
  [OrderBy.ALIASES_ASC]: "aliases",
  [OrderBy.ALIASES_DESC]: "aliases desc",
  [OrderBy.UPDATED_AT_ASC]: "update_time",
  [OrderBy.UPDATED_AT_DESC]: "update_time desc",
  [OrderBy.DELETED_AT_ASC]: "delete_time",
  [OrderBy.DELETED_AT_DESC]: "delete_time desc",
};

/** The fields of ListAdvisories under their names in version 1. */
const fieldNames = {
  artifact_types: "artifact_type",
  artifact_names: "artifact_name",
  artifact_architectures: "artifact_architecture",
  component_names: "component_name",
  component_types: "component_type",
  component_locations: "component_location",
  event_review_states: "event_statuses",
  event_authors: "event_author",
  event_reviewers: "event_reviewer",
  exclude_event_authors: "exclude_event_author",
};

const maxInt32 = 2n ** 31n - 1n;

function toRequest(filter: AdvisoryFilter) {
  const { advisoryIds, legacyAdvisoryIds, aliases, pageToken, pageSize, orderBy } = filter;
  const { eventTypes, latestEventType, origin } = filter;
  if (orders[orderBy] === undefined) {
    throw invalidArgument(
      "order_by",
      `order_by must be a value of the enum OrderBy; you sent ${orderBy}`,
    );
  }
  const size = pageSize > maxInt32 ? maxInt32 : pageSize;
  return {
    advisoryIds,
    legacyAdvisoryIds,
    aliases,
    pageToken,
    pageSize: Number(size < -maxInt32 ? -maxInt32 : size),
    orderBy: orders[orderBy],
    artifactTypes: filter.artifactType,
    artifactNames: filter.artifactName,
    artifactArchitectures: filter.artifactArchitecture,
    componentNames: filter.componentName,
    componentTypes: filter.componentType,
    componentLocations: filter.componentLocation,
    // The numbers of the enums are those of version 2.
    eventReviewStates: filter.eventStatuses as number[],
    eventTypes: eventTypes as number[],
    ...(latestEventType === undefined ? {} : { latestEventType: latestEventType as number }),
    eventAuthors: filter.eventAuthor,
    eventReviewers: filter.eventReviewer,
    excludeEventAuthors: filter.excludeEventAuthor,
    ...(origin === undefined ? {} : { origin }),
  };
}

async function listAdvisories(filter: AdvisoryFilter, call: CallAnywhere) {
  const { keeps, uidp, names: idNames } = filterOf(filter.id, filter.uidp);
  const request = { ...toRequest(filter), ...(uidp ? { uidp } : {}) };
  const mapping = { names: { ...fieldNames, ...idNames } };
  const page = await callV2(advisoriesService, "listAdvisories", request, call, mapping);
  const items = page.advisories.filter(({ uid }) => keeps(uid));
  const [parent = "", ...others] = new Set(items.map(({ uid }) => parentOf(uid)));
  // An id selects one row, and the other filters can still exclude it.
  const total = filter.id === "" ? page.totalCount : BigInt(items.length);
  return {
    id: others.length > 0 ? "" : parent,
    items: items.map(toAdvisoryV1),
    nextPageToken: page.nextPageToken,
    ...(total === undefined ? {} : { totalCount: total }),
  };
}

/** Version 2 serves the reads. It has no writes, so they are here (contract: v1-operations). */
export const advisoriesV1 = service(Advisories, {
  create: createAdvisory,
  list: listAdvisories,
  update: updateAdvisory,
  delete: deleteAdvisory,
  createAdvisoryEvent,
  listAdvisoryEvents,
  updateAdvisoryEvent,
});

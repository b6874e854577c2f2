import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import { EventTypeFilterSchema } from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import {
  AdvisoriesService,
  type Advisory,
  type AdvisoryEvent,
  AdvisoryEventSchema,
  AdvisorySchema,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import {
  advisories,
  type advisoryEvents,
  eventsOfAdvisory,
} from "../../../schema/tables/vulnerabilities/advisories.ts";
import { findField } from "../../aip/field_mask.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Database } from "../../auth/call.ts";
import { list } from "../../paging/list.ts";
import { defineListing, times } from "../../paging/listing.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { service } from "../../rpc/service.ts";
import { advisoryFilters, hasSelectiveFilter } from "./filters.ts";

const columns = {
  uid: advisories.uid,
  createTime: advisories.createTime,
  updateTime: advisories.updateTime,
  deleteTime: advisories.deleteTime,
  advisoryId: advisories.advisoryId,
  legacyAdvisoryId: advisories.legacyAdvisoryId,
  author: advisories.author,
  artifactName: advisories.artifactName,
  artifactType: advisories.artifactType,
  artifactArchitecture: advisories.artifactArchitecture,
  componentName: advisories.componentName,
  componentLocation: advisories.componentLocation,
  componentType: advisories.componentType,
  aliases: advisories.aliases,
  severities: advisories.severities,
  editTime: advisories.editTime,
  removeTime: advisories.removeTime,
  aliasOrder: advisories.aliasOrder,
  deleteOrder: advisories.deleteOrder,
};

/** An event within the row of its advisory: the columns of the event, with times in milliseconds. */
export type StoredAdvisoryEvent = Omit<
  typeof advisoryEvents.$inferSelect,
  "advisoryUid" | "detail" | "byHand"
> & {
  detail: JsonValue;
  /** 1 if a call of version 1 wrote the event. */
  byHand: number;
};

/** An advisory as it is read, with its events. */
export type AdvisoryRow = Pick<RowOf<typeof advisories>, keyof typeof columns> & {
  events: StoredAdvisoryEvent[];
};

const readEvents = (text: string) => JSON.parse(text) as StoredAdvisoryEvent[];

/** The statement that reads advisories with their events, which are not sorted. */
export const selectAdvisories = (db: Database, from = advisories) =>
  db
    .select({
      ...columns,
      events: sql<StoredAdvisoryEvent[]>`${eventsOfAdvisory}`.mapWith(readEvents).as("events"),
    })
    .from(from);

const listing = defineListing({
  table: advisories,
  select: selectAdvisories,
  orders: {
    uid: "uid",
    advisory_id: "advisoryId",
    artifact_name: "artifactName",
    ...times,
    aliases: "aliasOrder",
    delete_time: "deleteOrder",
  },
});

/**
 * Maps a stored type to the JSON name of the member in the event's oneof. The types are those of the
 * EventTypeFilter of version 1, which has all of them.
 */
export const eventMembers = new Map(
  EventTypeFilterSchema.values.flatMap(({ number, name }) => {
    const member = name.replace(/^EVENT_TYPE_FILTER_/, "").toLowerCase();
    const field = findField(AdvisoryEventSchema, member);
    return field ? [[number, field.jsonName]] : [];
  }),
);

const toRfc3339 = (time: number) => new Date(time).toISOString();

/** Converts a stored event to a message. Fields of `detail` that this version does not know are left out. */
function toEvent(row: StoredAdvisoryEvent): AdvisoryEvent {
  const { type, detail, createTime, updateTime, byHand: _, ...rest } = row;
  const member = eventMembers.get(type);
  const json: JsonObject = {
    ...rest,
    createTime: toRfc3339(createTime),
    updateTime: toRfc3339(updateTime),
    ...(member ? { [member]: detail } : {}),
  };
  return messageFromStored(AdvisoryEventSchema, json);
}

/** Oldest first. Events of the same moment are in the order in which their types follow each other. */
const compareAge = (a: StoredAdvisoryEvent, b: StoredAdvisoryEvent) =>
  a.createTime - b.createTime || a.type - b.type || (a.uid < b.uid ? -1 : 1);

/** Converts a stored row to a message. */
export function toAdvisory(row: AdvisoryRow): Advisory {
  const { createTime, updateTime, deleteTime, legacyAdvisoryId, events, ...rest } = row;
  return wholeMessage(AdvisorySchema, {
    ...rest,
    createTime: timestampFromMs(createTime),
    updateTime: timestampFromMs(updateTime),
    deleteTime: deleteTime === null ? undefined : timestampFromMs(deleteTime),
    legacyAdvisoryId: legacyAdvisoryId ?? undefined,
    events: events.toSorted(compareAge).map(toEvent),
  });
}

/** Imports and version 1 write advisories. Version 2 only reads them. */
export const advisory: Readable<AdvisoryRow> = {
  type: "vulnerabilities/Advisory",
  select: (db, uid) => selectAdvisories(db).where(eq(advisories.uid, uid)),
};

export const advisoriesService = service(AdvisoriesService, {
  async getAdvisory({ uid }, call) {
    return toAdvisory((await find(call, advisory, uid)).row);
  },

  async listAdvisories(request, call) {
    // The database only builds subqueries here.
    const filters = advisoryFilters(call.databases.first, request).filter(
      (filter) => filter !== undefined,
    );
    const isSelective = hasSelectiveFilter(request);
    const page = await list(call, request, listing, {
      filters,
      index: isSelective ? "filter_index" : filters.length > 0 ? "no_index" : "order_index",
      ...(isSelective ? {} : { total: "few" }),
    });
    return { advisories: page.rows.map(toAdvisory), ...page.envelope };
  },
});

/** Stores the event of a change in the same batch as the change (contract: events). */
import { create, type DescMethod, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { sql } from "drizzle-orm";
import { eventAttributes, httpRules } from "../../schema/options.ts";
import { events } from "../../schema/tables/events/events.ts";
import { insertFrom } from "../aip/insert_from.ts";
import { toResponseJson } from "../aip/json.ts";
import { fromParameter, groupBySize } from "../aip/json_parameters.ts";
import { requestIdOf } from "../aip/request_id.ts";
import { wireJson } from "../aip/vendor_names.ts";
import type { Call, Database, EventDraft, WriteContext } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import type { Config } from "../config.ts";
import { firstSpanIn } from "../telemetry/request_trace.ts";
import {
  readTraceparent,
  traceparentHeader,
  tracestateHeader,
} from "../telemetry/trace_context.ts";
import { locationOf, partitionOf } from "./partition.ts";
import { packText } from "./stored_data.ts";

/** The literal part of the REST path before its first variable. */
export function sourcePath(method: DescMethod): string {
  const [rule] = httpRules(method);
  return (rule?.path ?? "").replace(/\/?\{.*$/, "");
}

/** An event as it is stored, either of an RPC or of something that happened outside an RPC. */
export interface CompleteEvent extends EventDraft {
  /** Without the prefix `dev.<vendor>.`. */
  type: string;
  /** The path in `ce-source`. */
  path: string;
  /** The origin in `ce-source`. By default that of the API. */
  source?: string;
  audience: "customer" | "internal";
  /** The identity that made the change. */
  actor: { identity: string; act: Record<string, string> };
}

/** The statement that writes the event of the RPC. Put it after the change, in the same batch. */
export const insertEvent = (call: Call, caller: Caller, draft: EventDraft) =>
  insertCompleteEvent(call, eventOf(call, caller, draft));

/** Like {@link insertEvent}, but writes no event if the previous statement changed no row. */
export const insertEventIfChanged = (call: Call, caller: Caller, draft: EventDraft) =>
  insertCompleteEventIfChanged(call, eventOf(call, caller, draft));

function eventOf(
  { origin, method: called }: Call,
  caller: Caller,
  draft: EventDraft,
): CompleteEvent {
  const method = origin && eventAttributes(origin.method) ? origin.method : called;
  const event = eventAttributes(method);
  if (!event) throw new Error(`the proto of ${method.name} must declare an event`);
  return {
    ...(origin ? origin.event(draft) : draft),
    ...event,
    path: sourcePath(method),
    actor: caller,
  };
}

/** Like {@link insertCompleteEvents}. `method` is the RPC of these events. */
export function insertEvents(call: Call, caller: Caller, method: DescMethod, all: EventDraft[]) {
  const event = eventAttributes(method);
  if (!event) throw new Error(`the proto of ${method.name} must declare an event`);
  const path = sourcePath(method);
  return insertCompleteEvents(
    call,
    all.map((draft) => ({ ...draft, ...event, path, actor: caller })),
  );
}

/** The statements that write many events. There are only a few, whatever the number of events. */
export const insertCompleteEvents = (context: WriteContext, all: CompleteEvent[]) =>
  insertEventRows(
    context.db,
    all.map((event) => rowOfEvent(context, event)),
  );

/** Like {@link insertCompleteEvents}, for rows of {@link rowOfEvent}. An event that is there already is left out. */
export function insertEventRows(db: Database, rows: EventRow[]) {
  const of = (property: keyof EventRow) => sql`"given"."value" ->> ${sql.raw(`'${property}'`)}`;
  const row = {
    id: of("id"),
    type: of("type"),
    source: of("source"),
    subject: of("subject"),
    group: of("group"),
    audience: of("audience"),
    extensions: of("extensions"),
    bodyType: of("bodyType"),
    data: of("data"),
    time: of("time"),
    uid: of("uid"),
    requestId: of("requestId"),
    address: of("address"),
    pool: of("pool"),
    partition: of("partition"),
    repo: of("repo"),
    tag: of("tag"),
    digest: of("digest"),
    previousDigest: of("previousDigest"),
    recipient: of("recipient"),
  };
  return groupBySize(rows, (eventRow) => JSON.stringify(eventRow).length).map((group) =>
    insertFrom(db, events, row, fromParameter(packedJson(group))).onConflictDoNothing({
      target: events.uid,
    }),
  );
}

/** The JSON array of the rows. Packed data is shorter, so a group that fits into a parameter still fits. */
async function packedJson(rows: EventRow[]): Promise<string> {
  const packed = rows.map(async (row) => ({ ...row, data: await packText(row.data) }));
  return JSON.stringify(await Promise.all(packed));
}

function bodyJson(
  { desc, message, only }: NonNullable<EventDraft["body"]>,
  { vendor }: Config,
): JsonValue {
  const json = wireJson(desc, toResponseJson(desc, create(desc, message)), vendor);
  if (!only) return json;
  return Object.fromEntries(
    Object.entries(json as JsonObject).filter(([key]) => only.includes(key)),
  );
}

/** Like {@link insertEvent}, for an event that does not belong to an RPC. */
export const insertCompleteEvent = (context: WriteContext, event: CompleteEvent) =>
  context.db.insert(events).values(packedRow(context, event));

/** Like {@link insertEventIfChanged}, for an event that does not belong to an RPC. */
export const insertCompleteEventIfChanged = (context: WriteContext, event: CompleteEvent) =>
  insertFrom(context.db, events, packedRow(context, event), sql`where changes() > 0`);

function packedRow(context: WriteContext, event: CompleteEvent) {
  const row = rowOfEvent(context, event);
  return { ...row, data: sql`${packText(row.data)}` };
}

/** The last step in the uid of an event, and in the uids of its deliveries. */
export const lastStepOf = (id: string) => `/${id.replaceAll("-", "").slice(-16)}`;

/**
 * The attributes of the trace of a request (CloudEvents, "Distributed Tracing"). None if the id of the request says which
 * trace it is, which is so unless the caller has chosen its id or its trace.
 */
function traceExtensions(headers: Headers): Record<string, string> {
  const traceparent = headers.get(traceparentHeader);
  const context = readTraceparent(traceparent);
  if (traceparent === null || !context) return {};
  const tracestate = headers.get(tracestateHeader);
  const known = firstSpanIn(requestIdOf(headers));
  const isKnown = known?.traceId === context.traceId && known.spanId === context.spanId;
  if (isKnown && tracestate === null) return {};
  return { traceparent, ...(tracestate === null ? {} : { tracestate }) };
}

/** The digest that a tag pointed to before its move or its deletion, for receivers that know no tag history. */
const digestBefore = (image?: CompleteEvent["image"]) =>
  image?.previousDigest && image.previousDigest !== image.digest
    ? { previousdigest: image.previousDigest }
    : {};

/** The row of an event, with the JSON of its data, which is not packed yet. It can be written later, from its JSON. */
export type EventRow = ReturnType<typeof rowOfEvent>;

export function rowOfEvent({ config, now, headers }: WriteContext, event: CompleteEvent) {
  const { body, actor, image, recipient = "", id = crypto.randomUUID() } = event;
  const location = locationOf(event);
  const act = Object.keys(actor.act).length > 0 ? { act: actor.act } : {};
  const data = {
    actor: { subject: actor.identity, ...act },
    ...(body ? { body: bodyJson(body, config) } : {}),
  };
  return {
    id,
    uid: `${location === "/" ? "" : location}${lastStepOf(id)}`,
    type: `dev.${config.vendor}.${event.type}`,
    source: `${event.source ?? config.baseUrl}${event.path}`,
    subject: event.subject,
    group: event.group,
    audience: event.audience,
    extensions: { ...event.extensions, ...digestBefore(image), ...traceExtensions(headers) },
    bodyType: body?.desc.typeName ?? "",
    data: JSON.stringify(data),
    time: now,
    requestId: requestIdOf(headers),
    address: headers.get("cf-connecting-ip") ?? "",
    recipient,
    ...partitionOf(event),
    repo: image?.repo ?? "",
    tag: image?.tag ?? "",
    digest: image?.digest ?? "",
    previousDigest: image?.previousDigest ?? "",
  };
}

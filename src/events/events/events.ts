import type { JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import {
  type Event,
  EventSchema,
  EventsService,
  type ListEventsRequest,
} from "../../../schema/gen/platform/events/v2/events_pb.js";
import type { EventData } from "../../../schema/tables/events/event_data.ts";
import { events } from "../../../schema/tables/events/events.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { missingCapabilities, readWithGrants } from "../../auth/access.ts";
import { type Call, callAt, callAtCaller, uidOfCaller } from "../../auth/call.ts";
import { isSpread } from "../../auth/databases.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { DamagedData, unpackData } from "../../outbox/stored_data.ts";
import type { Scope } from "../../paging/listing.ts";
import {
  byDatabase,
  type RequestedScope,
  requestedScope,
  requireFewScopes,
  singleScope,
  visibleScopes,
} from "../../paging/requested_scope.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { service } from "../../rpc/service.ts";
import { pageOf, type ScopeAnswer } from "./page.ts";
import { type EventQuery, eventColumns, readEventQuery, selectEvents } from "./query.ts";
import { cursorsOf, pageOfParts, refuseAfter } from "./spread.ts";
import { isLook, nameIdentity } from "./stream.ts";

type EventRow = ScopeAnswer["rows"][number];

/** The most scopes of a list, and of a stream, which lists each second. Each scope costs statements of its own. */
const maxScopes = 50;
const maxStreamScopes = 5;

/** An event, or the row behind the last one. */
type FoundRow = EventRow | { uid: null; seq: number | null };

/** Throws DamagedData with the uid of the event. */
async function toEvent(row: EventRow): Promise<Event> {
  const { actor, body } = (await dataOf(row)) as { actor: Actor; body?: JsonObject };
  const { uid, id, type, source, subject, group, bodyType, requestId, address } = row;
  const { repo, tag, digest, previousDigest } = row;
  return wholeMessage(EventSchema, {
    uid,
    id,
    type,
    source,
    subject,
    group,
    bodyType,
    requestId,
    address,
    createTime: timestampFromMs(row.time),
    actor: actor.subject ? { subject: actor.subject, act: textsOf(actor.act) } : undefined,
    body,
    repoUid: repo,
    tag,
    digest,
    previousDigest,
  });
}

async function dataOf({ uid, data }: EventRow): Promise<EventData> {
  try {
    return await unpackData(data);
  } catch (thrown) {
    if (!(thrown instanceof DamagedData)) throw thrown;
    const text = `the data of the event ${uid} is damaged; platformctl fsck --repair removes its body`;
    throw new DamagedData(text, { cause: thrown.cause });
  }
}

type Actor = { subject?: string; act?: Record<string, unknown> };

/** Claims that are not texts are shown as JSON. */
const textsOf = (act: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries(act).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );

/** Events for the operator alone do not exist for customers. */
const event: Readable<EventRow> = {
  type: "events/Event",
  select: (db, uid) =>
    db
      .select(eventColumns)
      .from(events)
      .where(and(eq(events.uid, uid), eq(events.audience, "customer"))),
};

/** The scopes that a list merges. Throws PERMISSION_DENIED if there are none, and INVALID_ARGUMENT if they are many. */
function scopesFor(call: Call, caller: Caller, requested: RequestedScope | undefined): Scope[] {
  const scopes: Scope[] = visibleScopes(caller, call.capabilities, requested);
  if (scopes.length === 0)
    throw missingCapabilities(call.capabilities, singleScope(requested)?.uid ?? "");
  if (isLook(call)) requireFewScopes(scopes, maxStreamScopes, "a stream");
  else requireFewScopes(scopes, maxScopes);
  return scopes;
}

/** A page of events from all databases with a part of the scopes. */
async function readSpread(call: Call, request: ListEventsRequest, query: EventQuery) {
  const requested = requestedScope(request.uidp);
  const single = singleScope(requested);
  const around = single && { around: single.uid };
  const { caller } = await readWithGrants(
    callAt(call, single?.uid ?? uidOfCaller(call)),
    around,
    [],
  );
  if (isLook(call)) nameIdentity(call, caller);
  const isWhole = single && holds(caller, call.capabilities, single.uid);
  const scopes: Scope[] = isWhole ? [single.scope] : scopesFor(call, caller, requested);
  const parts = await byDatabase(call, scopes);
  if (parts.length > 1) refuseAfter(request.after);
  const cursors = cursorsOf(
    call,
    query,
    parts.map(({ name }) => name),
  );
  const answersByDatabase = await Promise.all(
    parts.map(async ({ db, name, scopes: here }) => {
      const queryHere = { ...query, cursor: cursors.get(name) };
      const [first, ...rest] = selectEvents(db, queryHere, here, ["here", "moved"]);
      const rows = first ? await db.batch([first, ...rest]) : [];
      return { name, answers: answersOf(request, rows) };
    }),
  );
  return pageOfParts(call, query, cursors, answersByDatabase);
}

/** Reads the events of the scopes in the round trip of the caller's grants if one grant covers them all. */
async function readEvents(
  call: Call,
  request: ListEventsRequest,
  query: EventQuery,
): Promise<ScopeAnswer[]> {
  const requested = requestedScope(request.uidp);
  const single = singleScope(requested);
  const hoped = single ? selectEvents(call.db, query, [single.scope]) : [];
  const { caller, rows } = await readWithGrants(call, single && { around: single.uid }, hoped);
  if (isLook(call)) nameIdentity(call, caller);
  if (single && holds(caller, call.capabilities, single.uid)) return answersOf(request, rows);
  const scopes = scopesFor(call, caller, requested);
  const [first, ...rest] = selectEvents(call.db, query, scopes);
  return answersOf(request, first ? await call.db.batch([first, ...rest]) : []);
}

const noSuchEvent = (after: string) =>
  invalidArgument(
    "after",
    `after must be the uid of an event that exists in the scope of the list; you sent ${quoted(after)}`,
  );

/** Reads the results of {@link selectEvents}. Throws INVALID_ARGUMENT if the scopes have no event of `after`. */
function answersOf({ after }: ListEventsRequest, results: unknown[]): ScopeAnswer[] {
  const [afterRows, ...answers] = results as [{ seq: number }[], ...FoundRow[][]];
  if (after !== "" && afterRows.length === 0) throw noSuchEvent(after);
  return answers.map((rows) => {
    const last = rows.at(-1);
    return last?.uid === null
      ? { rows: rows.slice(0, -1) as EventRow[], end: last.seq ?? undefined }
      : { rows: rows as EventRow[], end: undefined };
  });
}

export const eventsService = service(EventsService, {
  async getEvent({ uid }, call) {
    return toEvent((await find(call, event, uid)).row);
  },

  async listEvents(request, anywhere) {
    const call = callAtCaller(anywhere);
    const query = await readEventQuery(call, request);
    const { rows, nextPageToken } = isSpread(call.databases)
      ? await readSpread(call, request, query)
      : await pageOf(call, query, await readEvents(call, request, query));
    return { events: await Promise.all(rows.map(toEvent)), nextPageToken };
  },
});

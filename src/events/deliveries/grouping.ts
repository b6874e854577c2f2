/**
 * Makes one event of those that a subscription gets together. They are collected for a while (`fan_out.ts`). One batch then
 * deletes their rows and writes an event for this subscription alone, which is delivered like any other.
 */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { and, asc, eq, lte, min, type SQL, sql } from "drizzle-orm";
import {
  type AffectedImage,
  AffectedImageSchema,
  AffectedImagesSchema,
} from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { events } from "../../../schema/tables/events/events.ts";
import { groupedEvents } from "../../../schema/tables/events/grouped_events.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { StaleError } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { type Database, isWritable } from "../../auth/databases.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import { type CompleteEvent, insertCompleteEvents } from "../../outbox/outbox.ts";
import { DamagedData, unpackData } from "../../outbox/stored_data.ts";
import { logLine } from "../../telemetry/log.ts";
import { groupedTypes } from "../subscriptions/filters.ts";
import type { SenderContext } from "./context.ts";

/** How long events are collected after the first one, in milliseconds. */
const collectTime = 20_000;

/** The groups of one batch, and the most batches of one run. */
const maxGroups = 20;
const maxBatches = 50;

/** The most events of one group. With more, the sink gets several events. */
const maxEvents = 5_000;

/** The images that an event shows. */
const maxImages = 20;

/** The first events whose data is read, so that the images are known. An image can have several. */
const maxRead = 2 * maxImages;

type Context = Pick<SenderContext, "db" | "config">;

/** The common attributes of the events in a group. */
interface Group {
  subscriptionUid: string;
  type: string;
  vulnerability: string;
}

const isOfGroup = ({ subscriptionUid, type, vulnerability }: Group): SQL | undefined =>
  and(
    eq(groupedEvents.subscriptionUid, subscriptionUid),
    eq(groupedEvents.type, type),
    eq(groupedEvents.vulnerability, vulnerability),
  );

const isHere = isWritable(sql`${groupedEvents.subscriptionUid}`);

/** Writes the events about groups that are complete. */
export async function closeGroups(context: Context, now: number): Promise<void> {
  const { subscriptionUid, type, vulnerability, time } = groupedEvents;
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const groups = await context.db
      .select({ subscriptionUid, type, vulnerability, first: min(time) })
      .from(groupedEvents)
      .where(and(lte(time, now - collectTime), isHere))
      .groupBy(subscriptionUid, type, vulnerability)
      .orderBy(sql`min(${time})`, asc(type))
      .limit(maxGroups);
    if (groups.length === 0) return;
    try {
      await closeEach(context, groups, now);
    } catch (thrown) {
      // Another run has closed one of them.
      if (!(thrown instanceof StaleError)) throw thrown;
    }
  }
}

/** The statement that reads when the first of the collected events came. */
export const selectCollected = (db: Database) =>
  db
    .select({ time: groupedEvents.time })
    .from(groupedEvents)
    .where(isHere)
    .orderBy(asc(groupedEvents.time))
    .limit(1);

/** When events are complete whose first one came at a time. In milliseconds, like the time. */
export const completeTime = (first: number): number => first + collectTime;

/** The rows of a group in the order of their events. Only the first have data. */
const selectRows = ({ db }: Context, group: Group) =>
  db
    .select({
      uid: groupedEvents.eventUid,
      subject: sql<string | null>`${events.subject}`.as("event_subject"),
      repo: sql<string | null>`${events.repo}`.as("event_repo"),
      severity: sql<string | null>`${events.extensions} ->> 'severity'`.as("severity"),
      data: sql<
        string | null
      >`iif(row_number() over (order by ${events.seq}) <= ${maxRead}, ${events.data}, null)`.as(
        "event_data",
      ),
    })
    .from(groupedEvents)
    .leftJoin(events, eq(events.uid, groupedEvents.eventUid))
    .where(isOfGroup(group))
    .orderBy(asc(events.seq))
    .limit(maxEvents);

type Row = Awaited<ReturnType<typeof selectRows>>[number];

async function closeEach(context: Context, groups: Group[], now: number): Promise<void> {
  const { db, config } = context;
  const [first, ...rest] = groups.map((group) => selectRows(context, group));
  if (!first) return;
  const read: Row[][] = await db.batch([first, ...rest]);
  const statements: Statement[] = [];
  const made: CompleteEvent[] = [];
  for (const [at, group] of groups.entries()) {
    const rows = read[at] ?? [];
    const isRead = and(
      isOfGroup(group),
      sql`${groupedEvents.eventUid} in ${valuesSubselect(rows.map(({ uid }) => uid))}`,
    );
    const left = sql`(select count(*) from ${groupedEvents} where ${isRead})`;
    statements.push(
      onlyIf(db, sql`${left} = ${rows.length}`),
      db.delete(groupedEvents).where(isRead),
    );
    const event = await eventOf(group, rows, config.vendor);
    if (event) made.push(event);
  }
  statements.push(...insertCompleteEvents({ db, config, now, headers: new Headers() }, made));
  await commit({ db }, statements as [Statement, ...Statement[]]);
}

/** The event about a group. Undefined if its events do not exist any more. */
async function eventOf(
  { subscriptionUid, type, vulnerability }: Group,
  rows: Row[],
  vendor: string,
): Promise<CompleteEvent | undefined> {
  const known = rows.filter(({ subject }) => subject !== null);
  const own = type.slice(`dev.${vendor}.`.length) as keyof typeof groupedTypes;
  if (known.length === 0) return undefined;
  const bodies = await readBodies(known);
  const severities = known.map(({ severity }) => severityOf(severity ?? ""));
  const severity = Math.max(...severities);
  const id = bodies[0]?.vulnerabilityId ?? vulnerability;
  return {
    ...{ type: groupedTypes[own], path: "/registry/v2/findings", audience: "customer" },
    actor: { identity: "", act: {} },
    subject: subscriptionUid,
    group: parentOf(subscriptionUid),
    recipient: subscriptionUid,
    extensions: { vulnerability, severity: (FindingSeverity[severity] ?? "").toLowerCase() },
    body: {
      desc: AffectedImagesSchema,
      message: {
        vulnerabilityId: id,
        aliases: [...new Set(bodies.flatMap(({ aliases }) => aliases))]
          .filter((alias) => alias !== id)
          .sort(),
        severity,
        imageCount: new Set(known.map(({ subject }) => subject)).size,
        repoCount: new Set(known.map(({ repo }) => repo)).size,
        images: bodies.slice(0, maxImages),
      },
    },
  };
}

/** The number of a severity in the attribute of an event. */
const severityOf = (name: string): number =>
  FindingSeverity[name.toUpperCase() as keyof typeof FindingSeverity] ?? FindingSeverity.UNKNOWN;

/** The bodies of the first events, without damaged ones. An image is there once, with its last one. */
async function readBodies(rows: Row[]): Promise<AffectedImage[]> {
  const bodies = new Map<string, AffectedImage>();
  for (const { subject, data } of rows) {
    if (data === null || subject === null) continue;
    const message = await readBody(data);
    if (message) bodies.set(subject, message);
  }
  return [...bodies.values()];
}

async function readBody(data: string): Promise<AffectedImage | undefined> {
  try {
    const { body } = await unpackData(JSON.parse(data));
    // A cast, because the outbox writes the data.
    return fromJson(AffectedImageSchema, body as JsonValue, { ignoreUnknownFields: true });
  } catch (thrown) {
    if (!(thrown instanceof DamagedData)) throw thrown;
    logLine("error", "the data of an event that is sent together with others is damaged");
    return undefined;
  }
}

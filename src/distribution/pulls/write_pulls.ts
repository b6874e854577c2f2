/** Writes pulls to D1: their sums, for last pulls, ListEndOfLifeTags, expiry plans and usage, and their events. */
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { expiryPlans } from "../../../schema/tables/registry/expiry_plans.ts";
import { pullHours, tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import { pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { toJsonParameters } from "../../aip/json_parameters.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { type Database, type Databases, isSpread } from "../../auth/databases.ts";
import type { Env } from "../../config.ts";
import type { Statement } from "../../outbox/commit.ts";
import { insertEventRows } from "../../outbox/outbox.ts";
import { openDatabase } from "../../rpc/database.ts";
import { logFailure } from "../../rpc/database_failure.ts";
import type { Execution } from "../../rpc/runtime.ts";
import type { PullMessage, PullSum } from "./pull_message.ts";

const hourMs = 3_600_000;

/** The tags of one digest that are looked at. */
const maxTags = 20;

/** How long a message that cannot be written waits in the queue, in seconds. Its organization may be moving. */
const retryDelay = 30;

/**
 * How long a message with plans that came together with one that failed waits, in seconds. It comes later than the other
 * one, and not with it each time.
 */
const retryDelayOfPlans = 40;

/**
 * The queue does not promise an order, and a message that could not be written comes back later. So what comes this long
 * after a message with plans was sent before it at the latest, in milliseconds.
 */
const lateness = 45_000;

interface QueuedMessage {
  body: PullMessage;
  retry(options: { delaySeconds: number }): void;
}

/**
 * Writes a batch of the queue: one batch of D1 for all messages, or one for each organization with several databases. If
 * that fails, each message is written alone, so that one that cannot be written holds up no other. It returns to the queue.
 */
export async function handlePulls(batch: unknown, env: Env, execution: Execution): Promise<void> {
  const { messages } = batch as { messages: QueuedMessage[] };
  const { databases } = openDatabase(env, execution);
  for (const part of Map.groupBy(messages, ({ body }) => partOf(databases, body)).values()) {
    const bodies = part.map(({ body }) => body);
    const isWritten = await writePulls(databases, bodies, lateness).then(
      () => true,
      () => false,
    );
    if (!isWritten) await writeEach(databases, part);
  }
}

/** Writes the messages with plans last, and only if no other one has failed: the plans must know of its pulls. */
async function writeEach(databases: Databases, messages: QueuedMessage[]): Promise<void> {
  let hasFailed = false;
  for (const message of messages.toSorted((one, other) => planned(one) - planned(other))) {
    if (hasFailed && planned(message) > 0) {
      message.retry({ delaySeconds: retryDelayOfPlans });
      continue;
    }
    try {
      await writePulls(databases, [message.body], lateness);
    } catch (thrown) {
      hasFailed = true;
      logFailure("pulls wait in the queue", thrown, { level: "warn" });
      message.retry({ delaySeconds: retryDelay });
    }
  }
}

const planned = ({ body: { plans } }: QueuedMessage): number => (plans ? 1 : 0);

/** With several databases, the organization of a message, which {@link messagesOf} makes sure is one. Otherwise empty. */
function partOf(databases: Databases, { sums, events, plans = [] }: PullMessage): string {
  const [uid] = [...[...sums, ...events].map(({ repo }) => repo), ...plans];
  return uid !== undefined && isSpread(databases) ? rootOf(uid) : "";
}

/** The messages with some sums. With several databases, each organization has its own, because one that moves refuses it. */
export const messagesOf = (databases: Databases, sums: PullSum[]): PullMessage[] =>
  [...Map.groupBy(sums, (sum) => partOf(databases, { sums: [sum], events: [] })).values()].map(
    (own) => ({ sums: own, events: [] }),
  );

/**
 * Writes messages of one part in one batch. Their plans know all pulls after some milliseconds: without a queue at once,
 * because no message can be late.
 */
export async function writePulls(
  databases: Databases,
  messages: PullMessage[],
  late = 0,
): Promise<void> {
  const all = {
    sums: messages.flatMap(({ sums }) => sums),
    events: messages.flatMap(({ events }) => events),
    plans: messages.flatMap(({ plans = [] }) => plans),
  };
  const part = partOf(databases, all);
  const db = part === "" ? databases.first : databases.databaseOf(part);
  const marks = markPlans(db, all.plans, Date.now() + late);
  const [first, ...rest] = [...statementsOf(db, all), ...marks];
  if (first) await db.batch([first, ...rest]);
}

/** A client that pulls by a tag reads the same manifest by its digest next, so tags are written before digests. */
function statementsOf(db: Database, { sums, events }: PullMessage): Statement[] {
  const byTag = sums.filter(({ tag }) => tag !== "");
  const byDigest = sums.filter(({ tag }) => tag === "");
  // An image's events are in the order of their pulls, as far as one batch has them.
  const inOrder = events.toSorted((one, other) => one.time - other.time);
  return [
    ...insertSums(db, byTag, sql`true`),
    ...insertSums(db, byDigest, isNotPulledByTag),
    ...insertHours(db, sums),
    ...insertEventRows(db, inOrder),
  ];
}

/** The plans that are marked already keep their time: a message can be delivered twice. */
const markPlans = (db: Database, plans: string[], time: number): Statement[] =>
  plans.length === 0
    ? []
    : [
        db
          .update(expiryPlans)
          .set({ pullsKnownTime: time })
          .where(
            sql`${expiryPlans.uid} in (select "value" from json_each(${JSON.stringify(plans)}))
              and ${expiryPlans.pullsKnownTime} is null`,
          ),
      ];

const given = (place: number) => sql`"given"."value" ->> ${sql.raw(String(place))}`;

/** The rows of a JSON parameter, with the repositories that have content. */
const fromGiven = (parameter: string, condition: SQL): SQL =>
  sql`from json_each(${parameter}) as "given" cross join ${repoStorage}
    where ${repoStorage.uid} = ${given(0)} and ${condition}`;

function insertSums(db: Database, sums: PullSum[], condition: SQL): Statement[] {
  const rows = sums.map(({ repo, tag, digest, identity, identityName, time, pulls }) =>
    JSON.stringify([repo, tag || digest, identity, identityName, time, pulls]),
  );
  const row = {
    ...{ repo: sql`${repoStorage.id}`, reference: given(1), identity: given(2) },
    ...{ identityName: given(3), time: given(4), days: 1, pulls: given(5) },
  };
  const dayOf = (time: SQL) => sql`${time} / ${sql.raw(String(DAY_MS))}`;
  const isLater = sql`${dayOf(sql`excluded.time`)} > ${dayOf(sql`${tagPulls.time}`)}`;
  return toJsonParameters(rows).map((parameter) =>
    insertFrom(db, tagPulls, row, fromGiven(parameter, condition)).onConflictDoUpdate({
      target: [tagPulls.repo, tagPulls.reference, tagPulls.identity],
      set: {
        time: sql`max(${tagPulls.time}, excluded.time)`,
        identityName: sql`excluded.identity_name`,
        days: sql`${tagPulls.days} + (${isLater})`,
        pulls: sql`${tagPulls.pulls} + excluded.pulls`,
      },
    }),
  );
}

/** That the identity has not pulled by a tag that points to the digest on the same day. */
const isNotPulledByTag = sql`not exists (
  select 1 from (select "tag"."name" as "name" from ${tags} as "tag"
    where ${pointsTo(sql`${repoStorage.uid}`, given(1), "tag")} limit ${sql.raw(String(maxTags))}) as "pointing_tag"
  cross join ${tagPulls} as "pull"
  where "pull"."repo_id" = ${repoStorage.id} and "pull"."reference" = "pointing_tag"."name"
    and "pull"."identity" = ${given(2)} and "pull"."time" >= ${given(4)} - ${given(4)} % ${sql.raw(String(DAY_MS))})`;

function insertHours(db: Database, sums: PullSum[]): Statement[] {
  const rows = sums.map(({ repo, time, pulls }) =>
    JSON.stringify([repo, Math.floor(time / hourMs), pulls]),
  );
  const row = { repo: sql`${repoStorage.id}`, hour: given(1), pulls: given(2) };
  return toJsonParameters(rows).map((parameter) =>
    insertFrom(db, pullHours, row, fromGiven(parameter, sql`true`)).onConflictDoUpdate({
      target: [pullHours.repo, pullHours.hour],
      set: { pulls: sql`${pullHours.pulls} + excluded.pulls` },
    }),
  );
}

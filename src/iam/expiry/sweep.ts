/**
 * Writes the events about static keys, keys and SCIM tokens that expire soon. A row has the time of its next event.
 * The event and the time of the one after it are written in one batch, and only if both times of the row are
 * as they were read. Each event is therefore written once, even if a sweep is interrupted or runs twice.
 */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, asc, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { ExpiringCredentialSchema } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { keys } from "../../../schema/tables/iam/keys.ts";
import { runBatches } from "../../aip/batches.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Database, WriteContext } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import type { Statement } from "../../outbox/commit.ts";
import { insertCompleteEventIfChanged } from "../../outbox/outbox.ts";
import { announcedDays, nextNoticeTime } from "./notice_times.ts";

/** The rows of one batch. */
const batchSize = 50;

/** A kind of credential: the columns with its expiry and with the time of its next event. */
interface Kind {
  type: string;
  path: string;
  table: typeof identities | typeof identityProviders | typeof keys;
  /** The group of the event, from the uid of the row. */
  groupOf: (uid: string) => string;
  expires: SQLiteColumn;
  notice: SQLiteColumn;
  advance: (db: Database, next: number | null, asRead: SQL | undefined) => Statement;
}

const kinds: Kind[] = [
  {
    type: "api.iam.identity.static_keys.expiring.v1",
    path: "/iam/v2/identities",
    table: identities,
    groupOf: parentOf,
    expires: identities.keyExpireTime,
    notice: identities.keyNoticeTime,
    advance: (db, keyNoticeTime, asRead) =>
      db.update(identities).set({ keyNoticeTime }).where(asRead),
  },
  {
    type: "api.iam.identity_providers.scim_token.expiring.v1",
    path: "/iam/v2/identityProviders",
    table: identityProviders,
    groupOf: parentOf,
    expires: identityProviders.scimTokenExpireTime,
    notice: identityProviders.scimTokenNoticeTime,
    advance: (db, scimTokenNoticeTime, asRead) =>
      db.update(identityProviders).set({ scimTokenNoticeTime }).where(asRead),
  },
  {
    type: "api.iam.key.expiring.v1",
    path: "/iam/v2/keys",
    table: keys,
    groupOf: (uid) => parentOf(parentOf(uid)),
    expires: keys.expireTime,
    notice: keys.noticeTime,
    advance: (db, noticeTime, asRead) => db.update(keys).set({ noticeTime }).where(asRead),
  },
];

/** Writes the events that are due, in bounded batches. */
export async function writeNotices(context: WriteContext): Promise<void> {
  for (const kind of kinds) await runBatches(batchSize, () => writeBatch(context, kind));
}

/** Returns the number of events that were due. */
async function writeBatch(context: WriteContext, kind: Kind): Promise<number> {
  const due = await selectDue(context, kind);
  const [first, ...rest] = due.flatMap((row) => noticeStatements(context, kind, row));
  if (first) await context.db.batch([first, ...rest]);
  return due.length;
}

type Due = Awaited<ReturnType<typeof selectDue>>[number];

const selectDue = ({ db, now }: WriteContext, { table, expires, notice }: Kind) =>
  db
    .select({
      uid: table.uid,
      name: table.name,
      expires: sql<number>`${expires}`,
      notice: sql<number>`${notice}`,
    })
    .from(table)
    .where(and(lte(notice, now), isNotNull(expires), isWritable(sql`${table.uid}`)))
    .orderBy(asc(notice))
    .limit(batchSize);

function noticeStatements(context: WriteContext, kind: Kind, row: Due): Statement[] {
  const { db, now } = context;
  const { uid, name, expires, notice } = row;
  const asRead = and(eq(kind.table.uid, uid), eq(kind.expires, expires), eq(kind.notice, notice));
  const message = {
    uid,
    name,
    expireTime: timestampFromMs(expires),
    noticeDays: announcedDays(expires, now),
  };
  const event = insertCompleteEventIfChanged(context, {
    type: kind.type,
    path: kind.path,
    audience: "customer",
    subject: uid,
    group: kind.groupOf(uid),
    // No identity caused the event.
    actor: { identity: "", act: {} },
    body: { desc: ExpiringCredentialSchema, message },
  });
  return [kind.advance(db, nextNoticeTime(expires, now), asRead), event];
}

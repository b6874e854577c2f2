/** Where people are signed in: their sessions, and the end of them. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type Session,
  SessionSchema,
  SessionsService,
} from "../../../schema/gen/platform/iam/v2/sessions_pb.js";
import { refreshTokens } from "../../../schema/tables/issuer/refresh_tokens.ts";
import { sessions } from "../../../schema/tables/issuer/sessions.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { isUid, parentOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { missingCapabilities, readWithGrants } from "../../auth/access.ts";
import {
  type Call,
  type CallAnywhere,
  type Credential,
  callAt,
  callAtCaller,
  callerUid,
  type Database,
} from "../../auth/call.ts";
import { isServed, isSpread } from "../../auth/databases.ts";
import { type Caller, holds, isWithin } from "../../auth/grants.ts";
import { commitIfChanged } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { isBelow } from "../../paging/scope.ts";
import { service } from "../../rpc/service.ts";

/** The most sessions in a response. */
const maxSessions = 200;

type Row = typeof sessions.$inferSelect;

const toSession = (row: Row, current: boolean): Session =>
  wholeMessage(SessionSchema, {
    uid: row.uid,
    identityUid: row.identityUid,
    kind: row.kind,
    client: row.client,
    userAgent: row.userAgent,
    createTime: timestampFromMs(row.createTime),
    lastUsedTime: timestampFromMs(row.lastUsedTime),
    expireTime: timestampFromMs(row.expireTime),
    current,
  });

/** The people behind a token: its bearer, and those before it in its chain. */
const peopleBehind = (credential: Credential | undefined): string[] => [
  callerUid(credential),
  ...(credential?.chain ?? []).map(({ sub }) => sub),
];

const sessionsIn = (credential: Credential | undefined): Set<string | undefined> =>
  new Set((credential?.chain ?? []).map(({ sid }) => sid));

const selectSessions = (db: Database, now: number, condition: SQL | undefined) =>
  db
    .select()
    .from(sessions)
    .where(and(condition, gt(sessions.expireTime, now)))
    .orderBy(desc(sessions.lastUsedTime))
    .limit(maxSessions);

/** The caller's own sessions, in all databases. The token of a login reaches only those of its organization. */
async function findOwn(anywhere: CallAnywhere): Promise<Row[]> {
  const call = callAtCaller(anywhere);
  const { credential, now, databases } = call;
  const isOwn = and(
    inArray(sessions.identityUid, valuesSubselect(peopleBehind(credential))),
    isSpread(databases) ? isServed(sql`${sessions.uid}`) : undefined,
  );
  const [{ rows }, ...others] = await Promise.all([
    readWithGrants(call, undefined, [selectSessions(call.db, now, isOwn)]),
    ...(await databases.othersThan(call.db)).map((db) => selectSessions(db, now, isOwn)),
  ]);
  return [...rows[0], ...others.flat()].filter(
    ({ uid }) => credential !== undefined && isWithin(credential, uid),
  );
}

async function findInGroup(call: Call, group: string, identity: string): Promise<Row[]> {
  const isOf = identity === "" ? undefined : eq(sessions.identityUid, identity);
  const { caller, rows } = await readWithGrants(call, group, [
    selectSessions(call.db, call.now, and(isBelow(sessions.uid, group), isOf)),
  ]);
  const needed = [Capability.CAP_IAM_IDENTITY_LIST];
  if (!holds(caller, needed, group)) throw missingCapabilities(needed, group);
  return rows[0];
}

/** Throws PERMISSION_DENIED unless the caller may end the session. The error does not depend on whether it exists. */
function requireMayEnd(call: Call, caller: Caller, uid: string, row: Row | undefined): void {
  const { credential } = call;
  const isOwn =
    row !== undefined &&
    credential !== undefined &&
    credential.capabilities === undefined &&
    peopleBehind(credential).includes(row.identityUid) &&
    isWithin(credential, uid);
  const needed = [Capability.CAP_IAM_IDENTITY_UPDATE];
  if (!isOwn && !holds(caller, needed, parentOf(uid))) throw missingCapabilities(needed, uid);
}

/** Ends one session, with its refresh tokens. Returns whether it was there. */
async function endSession(anywhere: CallAnywhere, uid: string): Promise<boolean> {
  const call = callAt(anywhere, uid);
  const { db, now } = call;
  const select = db.select().from(sessions).where(eq(sessions.uid, uid));
  const { caller, rows } = await readWithGrants(call, uid, [select]);
  const [[row]] = rows;
  // An answer only repeats uids that the same caller has sent.
  await call.idempotency?.replay();
  requireMayEnd(call, caller, uid, row);
  if (!row) return false;
  await commitIfChanged(call, [
    db.delete(sessions).where(eq(sessions.uid, uid)),
    insertEvent(call, caller, {
      subject: uid,
      group: parentOf(parentOf(uid)),
      body: { desc: SessionSchema, message: toSession(row, false) },
    }),
    db
      .update(refreshTokens)
      .set({ revokeTime: now })
      .where(and(eq(refreshTokens.family, uid), isNull(refreshTokens.revokeTime))),
  ]);
  return true;
}

export const sessionsService = service(SessionsService, {
  async searchSessions({ groupUid, identityUid }, anywhere) {
    if (groupUid !== "" && !isUid(groupUid))
      throw invalidArgument("group_uid", "group_uid must be the uid of a group");
    const found =
      groupUid === ""
        ? await findOwn(anywhere)
        : await findInGroup(callAt(anywhere, groupUid), groupUid, identityUid);
    const current = sessionsIn(anywhere.credential);
    return {
      sessions: found
        .toSorted((a, b) => b.lastUsedTime - a.lastUsedTime)
        .slice(0, maxSessions)
        .map((row) => toSession(row, current.has(row.uid))),
    };
  },

  /** The session of the call comes last, because its token ends with it. */
  async endSessions({ uids }, anywhere) {
    const current = sessionsIn(anywhere.credential);
    const ordered = uids.toSorted((a, b) => Number(current.has(a)) - Number(current.has(b)));
    const ended: string[] = [];
    for (const uid of ordered) if (await endSession(anywhere, uid)) ended.push(uid);
    return { uids: ended };
  },
});

/** The session of a login. Its tokens contain the uid of the session, and end with its row (src/auth/token_chain.ts). */
import { eq, sql } from "drizzle-orm";
import { Session_Kind } from "../../schema/gen/platform/iam/v2/sessions_pb.js";
import { sessions } from "../../schema/tables/issuer/sessions.ts";
import { newUid } from "../aip/uid_path.ts";
import { toWellFormed } from "../aip/well_formed.ts";
import type { Database } from "../auth/call.ts";
import { isWritable } from "../auth/databases.ts";
import type { ChainLink } from "../auth/token_chain.ts";
import { deleteExpired } from "./expired_rows.ts";
import type { LoginContext } from "./login/context.ts";
import type { LoginParameters } from "./login/parameters.ts";

type Row = typeof sessions.$inferInsert;

const maxUserAgent = 200;

/** The row of a new login, without its expiry. */
export function newSession(
  { request, now }: LoginContext,
  { parameters, provider }: { parameters: LoginParameters; provider: string },
  identityUid: string,
): Omit<Row, "expireTime"> {
  const { authorization, device, redirect, headlessCode } = parameters;
  const address = authorization?.redirectUri ?? redirect;
  const host = URL.canParse(address) ? new URL(address).host : "";
  let kind = Session_Kind.LOGIN;
  if (authorization) kind = Session_Kind.PROGRAM;
  else if (device || headlessCode !== "") kind = Session_Kind.HEADLESS;
  const userAgent = (request.headers.get("user-agent") ?? "").slice(0, maxUserAgent);
  return {
    uid: newUid(provider),
    identityUid,
    kind,
    client: device?.clientName ?? host,
    userAgent: toWellFormed(userAgent),
    createTime: now,
    lastUsedTime: now,
  };
}

/** The chain of a login with its session. */
export const withSession = ([login, ...rest]: ChainLink[], sid: string): ChainLink[] =>
  login ? [{ ...login, sid }, ...rest] : [];

/** The uid of the session in a chain. Undefined if the login has none. */
export const sessionOf = (chain: ChainLink[]): string | undefined => chain[0]?.sid;

/** The statements that store a session, and delete expired ones, but not of an organization that moves. */
export const sessionStatements = (db: Database, row: Row, now: number) => [
  db.insert(sessions).values(row),
  deleteExpired(db, sessions, sessions.uid, now, isWritable(sql`${sessions.uid}`)),
];

/** The statement that records that a session got a token, and until when it can get more. */
export const renewSession = (db: Database, uid: string, now: number, expireTime: number) =>
  db.update(sessions).set({ lastUsedTime: now, expireTime }).where(eq(sessions.uid, uid));

/** The statement that ends a session, and with it its access tokens. */
export const deleteSession = (db: Database, uid: string) =>
  db.delete(sessions).where(eq(sessions.uid, uid));

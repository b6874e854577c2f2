/**
 * Refresh tokens (contract: hosts and tokens) are base64 of JSON with `exp` and a secret. Only a digest of
 * the secret is stored. Each token is used once and returns the next one. All tokens of one login are a
 * family. It ends after thirty days, or when a used token is sent again (RFC 9700 section 4.14.2).
 */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, getTableColumns, gt, isNull, type SQL, sql } from "drizzle-orm";
import { base64url } from "jose";
import {
  RefreshTokenRevocation_Reason,
  TokenExchange_Kind,
} from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import type {
  ExchangeRefreshTokenRequest,
  SecurityTokenService,
} from "../../schema/gen/platform/oidc/security_token_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { identityProviders } from "../../schema/tables/iam/identity_providers.ts";
import { scimUsers } from "../../schema/tables/iam/scim_users.ts";
import { refreshTokens } from "../../schema/tables/issuer/refresh_tokens.ts";
import { sha256 } from "../aip/sha256.ts";
import { toWellFormed } from "../aip/well_formed.ts";
import {
  type Call,
  type CallAnywhere,
  callAt,
  callAtCaller,
  type Database,
  type WriteContext,
} from "../auth/call.ts";
import { isServed, isSpread, isWritable, rowsOfEach } from "../auth/databases.ts";
import { bearerToken } from "../auth/token.ts";
import { chainOf } from "../auth/token_chain.ts";
import { identityUse } from "../auth/use.ts";
import { namedUids } from "../auth/verified_names.ts";
import { commit, commitIfChanged, type Statement } from "../outbox/commit.ts";
import type { Handlers } from "../rpc/service.ts";
import { signAccessToken } from "./access_token.ts";
import {
  readExchangeParameters,
  resolveScopes,
  selectOrganizations,
} from "./exchange_parameters.ts";
import { deleteExpired } from "./expired_rows.ts";
import { requireActiveLogin } from "./identity_provider.ts";
import { narrowClaims } from "./narrowing.ts";
import { deleteSession, renewSession, sessionOf } from "./session.ts";
import type { LoginClaims } from "./sign_in.ts";
import { insertExchangeEvent, insertRevocationEventIfChanged } from "./token_events.ts";
import { tokenRefusal } from "./upstream.ts";

/** The lifetime of a family, in milliseconds. */
export const familyLifetime = 30 * 24 * 3600 * 1000;

type Row = typeof refreshTokens.$inferSelect;

/**
 * Reads the stored claims. The platform wrote them, but their texts can be older than its rules for texts.
 */
// A cast, because JSON has lost the type.
const loginClaimsOf = ({ claims }: Pick<Row, "claims">) =>
  toWellFormed(claims) as unknown as LoginClaims;

/** A token that is not stored yet. */
export interface NewRefreshToken {
  token: string;
  row: Row;
}

/** The first token of a login's family. */
export const newTokenFamily = (
  claims: LoginClaims,
  now: number,
  lifetime = familyLifetime,
): Promise<NewRefreshToken> =>
  newToken({
    family: sessionOf(claims.chain) ?? crypto.randomUUID(),
    identityUid: claims.sub,
    identityProviderUid: claims.idp,
    claims: { ...claims },
    createTime: now,
    expireTime: Math.floor((now + lifetime) / 1000) * 1000,
  });

async function newToken(
  columns: Omit<Row, "digest" | "useTime" | "revokeTime">,
): Promise<NewRefreshToken> {
  const secret = base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
  const token = btoa(JSON.stringify({ exp: columns.expireTime / 1000, secret }));
  const row = { ...columns, digest: await sha256(secret), useTime: null, revokeTime: null };
  return { token, row };
}

/** The digest of the secret in a token. Undefined if the text is not a refresh token. */
async function digestOf(token: string): Promise<string | undefined> {
  try {
    const { secret } = JSON.parse(atob(token)) as { secret?: unknown };
    return typeof secret === "string" ? await sha256(secret) : undefined;
  } catch {
    return undefined;
  }
}

/** The statements that store the first token of a family. */
export const storeStatements = (db: Database, { row }: NewRefreshToken, now: number) => [
  db.insert(refreshTokens).values(row),
  sweep(db, now),
];

/** The rows of an organization that moves stay until it is there. */
const sweep = (db: Database, now: number) =>
  deleteExpired(
    db,
    refreshTokens,
    refreshTokens.digest,
    now,
    isWritable(sql`${refreshTokens.identityProviderUid}`),
  );

/** The row of the token, and the state of its login. Deleted rows are null. */
const selectRefreshToken = (db: Database, digest: string, served?: SQL) =>
  db
    .select({
      ...getTableColumns(refreshTokens),
      issuer: sql<string | null>`${identityProviders.issuer}`.as("provider_issuer"),
      clientId: sql<string | null>`${identityProviders.clientId}`.as("provider_client_id"),
      scimEnabled: sql<number | null>`${identityProviders.scimEnabled}`.as("scim_enabled"),
      person: sql<string | null>`${identities.uid}`.as("person"),
      isActive: sql<number>`exists (select 1 from ${scimUsers}
        where ${scimUsers.parent} = ${refreshTokens.identityProviderUid}
        and ${scimUsers.identityUid} = ${refreshTokens.identityUid}
        and ${scimUsers.active} = 1)`.as("is_active"),
    })
    .from(refreshTokens)
    .leftJoin(identityProviders, eq(identityProviders.uid, refreshTokens.identityProviderUid))
    .leftJoin(identities, eq(identities.uid, refreshTokens.identityUid))
    .where(and(eq(refreshTokens.digest, digest), served));

/** A refresh token is in the database of its login's provider. A token does not say which one that is. */
const isTokenServed = isServed(sql`${refreshTokens.identityProviderUid}`);

/** Finds the token, and returns the context in its database. */
async function locateToken<Context extends Pick<CallAnywhere, "databases">>(
  context: Context,
  digest: string,
): Promise<{ row: RefreshTokenRow | undefined; tokenContext: Context & Pick<Call, "db"> }> {
  const { databases } = context;
  const [row] = await rowsOfEach(databases, (db) =>
    selectRefreshToken(db, digest, isSpread(databases) ? isTokenServed : undefined),
  );
  return { row, tokenContext: callAt(context, row?.identityProviderUid ?? "") };
}

type RefreshTokenRow = Awaited<ReturnType<typeof selectRefreshToken>>[number];

/**
 * The ExchangeRefreshToken RPC. Throws PERMISSION_DENIED for a token that is unknown, expired, used or
 * revoked, and for a person who can no longer come in.
 */
export const exchangeRefreshToken: Handlers<typeof SecurityTokenService>["exchangeRefreshToken"] =
  async (request: ExchangeRefreshTokenRequest, anywhere: CallAnywhere) => {
    const parameters = readExchangeParameters(request);
    const asked = { ...parameters, scopes: await namedUids(anywhere.databases, parameters.scopes) };
    const digest = await digestOf(bearerToken(anywhere.headers));
    if (digest === undefined) throw tokenRefusal("the token is not a refresh token");
    const exchange = await readExchange(anywhere, digest, asked.scopes);
    const { organizations, tokenContext: call } = exchange;
    const row = await requireUsable(call, exchange.row);
    const login = loginClaimsOf(row);
    const claims = { ...login, chain: chainOf(login) };
    const scopes = resolveScopes(asked.scopes, organizations);
    const narrowed = { ...claims, ...narrowClaims(claims, scopes, asked.capabilities) };
    const access = await signAccessToken(call, narrowed, asked.audiences, row.expireTime);
    const event = insertExchangeEvent(call, exchangePath, claims, {
      kind: TokenExchange_Kind.REFRESH_TOKEN,
      audiences: asked.audiences,
      scopes: asked.scopes,
      capabilities: [...new Set(request.cap)],
      expireTime: timestampFromMs(access.expires),
    });
    const next = await rotate(call, row, event);
    call.responseHeaders.set("cache-control", "no-store");
    const refresh = { token: next.token, expiry: timestampFromMs(row.expireTime) };
    return {
      token: { token: access.token, expiry: timestampFromMs(access.expires) },
      refreshToken: refresh,
    };
  };

/** Reads the token and the organizations that the request names. It takes one round trip. */
async function readExchange(call: CallAnywhere, digest: string, scopes: string[]) {
  // With several databases, the names are uids already.
  if (isSpread(call.databases)) return { ...(await locateToken(call, digest)), organizations: [] };
  const tokenContext = callAtCaller(call);
  const { db } = tokenContext;
  const [[row], organizations] = await db.batch([
    selectRefreshToken(db, digest),
    selectOrganizations(db, scopes),
  ]);
  return { row, organizations, tokenContext };
}

/**
 * Reads a refresh token that is not used yet, and the claims of its login. Returns the context in its database. Throws
 * PERMISSION_DENIED.
 */
export async function findLogin<Context extends LocatedContext>(
  context: Context,
  token: string,
  path: string,
) {
  const { row: tokenRow, tokenContext } = await locateToken(context, (await digestOf(token)) ?? "");
  const row = await requireUsable(tokenContext, tokenRow, path);
  const login = loginClaimsOf(row);
  return { row, claims: { ...login, chain: chainOf(login) }, tokenContext };
}

type LocatedContext = WriteContext & Pick<Call, "databases">;

const exchangePath = "/sts/exchange_refresh_token";

async function requireUsable(
  call: WriteContext,
  row: RefreshTokenRow | undefined,
  path = exchangePath,
): Promise<RefreshTokenRow> {
  if (!row) throw tokenRefusal("the refresh token is unknown");
  if (row.revokeTime !== null) throw tokenRefusal("the refresh token was revoked; log in again");
  if (row.useTime !== null) throw await refuseReuse(call, row, path);
  if (row.expireTime <= call.now) throw tokenRefusal("the refresh token is expired; log in again");
  if (row.person === null) throw tokenRefusal("the identity of the token no longer exists");
  const { scimEnabled, isActive, issuer, clientId } = row;
  requireActiveLogin(scimEnabled === null ? [] : [{ scimEnabled: scimEnabled === 1, isActive }]);
  const { iss, aud } = loginClaimsOf(row).act;
  if (iss !== issuer || aud !== clientId) {
    throw tokenRefusal("the identity provider was changed after the login; log in again");
  }
  return row;
}

/**
 * Uses the token and stores the next one. Of two calls with the same token, one succeeds. The other runs
 * again and finds that the token is used. It could come from a thief, so it ends the family.
 */
export async function rotate(
  call: WriteContext,
  { digest, ...row }: RefreshTokenRow,
  event: Statement,
  expireTime = row.expireTime,
  sessionExpires = expireTime,
): Promise<NewRefreshToken> {
  const { db, now } = call;
  const { family, identityUid, identityProviderUid, claims } = row;
  const successor = { family, identityUid, identityProviderUid, claims, expireTime };
  const next = await newToken({ ...successor, createTime: now });
  const isUnused = and(
    eq(refreshTokens.digest, digest),
    isNull(refreshTokens.useTime),
    isNull(refreshTokens.revokeTime),
    gt(refreshTokens.expireTime, now),
    sql`exists (select 1 from ${identityProviders} where ${identityProviders.uid} = ${identityProviderUid})`,
  );
  await commitIfChanged(call, [
    db.update(refreshTokens).set({ useTime: now }).where(isUnused),
    db.insert(refreshTokens).values(next.row),
    db.update(identities).set({ lastSeenTime: now }).where(eq(identities.uid, identityUid)),
    identityUse(db, [identityUid], now),
    renewSession(db, family, now, sessionExpires),
    event,
    sweep(db, now),
  ]);
  return next;
}

/** Ends the family of a token that was used before, and returns the error. */
async function refuseReuse(call: WriteContext, row: Row, path: string) {
  await revokeFamily(call, path, row, RefreshTokenRevocation_Reason.REUSED);
  return tokenRefusal(
    "the refresh token was used before, so every refresh token of its login was revoked; log in again",
  );
}

/** Ends the family of a token. The event says so once. */
async function revokeFamily(
  context: WriteContext,
  path: string,
  row: Row,
  reason: RefreshTokenRevocation_Reason,
): Promise<void> {
  const isOfFamily = eq(refreshTokens.family, row.family);
  await commit(context, [
    context.db
      .update(refreshTokens)
      .set({ revokeTime: context.now })
      .where(and(isOfFamily, isNull(refreshTokens.revokeTime))),
    insertRevocationEventIfChanged(context, path, loginClaimsOf(row), reason),
    deleteSession(context.db, row.family),
  ]);
}

/** Ends the family of a token, if it is one. The response does not depend on that (RFC 7009). */
export async function revokeTokenFamily(context: LocatedContext, token: string): Promise<void> {
  const digest = await digestOf(token);
  if (digest === undefined) return;
  const { row, tokenContext } = await locateToken(context, digest);
  if (!row) return;
  await revokeFamily(tokenContext, "/oauth/revoke", row, RefreshTokenRevocation_Reason.REQUESTED);
}

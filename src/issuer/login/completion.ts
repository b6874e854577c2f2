/** The last step of a login in a browser: the person is signed in, and their program gets its tokens or its code. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TokenExchange_Kind } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { NEVER_USED } from "../../../schema/tables/iam/identities.ts";
import { permissionDenied } from "../../aip/errors.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { callAt } from "../../auth/call.ts";
import type { Claims } from "../../auth/claims.ts";
import { isSpread } from "../../auth/databases.ts";
import { identityUse } from "../../auth/use.ts";
import { commit, type Statement } from "../../outbox/commit.ts";
import { signAccessToken, tokenLifetime } from "../access_token.ts";
import { assumeByOwnToken, selectIdentitiesByUid, toChainLink } from "../identity.ts";
import type { LoginProvider } from "../identity_provider.ts";
import { narrowClaims } from "../narrowing.ts";
import { newCode } from "../oauth/codes.ts";
import { decide, deviceCodeLifetime } from "../oauth/device_codes.ts";
import { capabilitiesOf } from "../oauth/parameters.ts";
import {
  familyLifetime,
  newTokenFamily,
  revokeTokenFamily,
  storeStatements,
} from "../refresh_token.ts";
import { newSession, sessionStatements, withSession } from "../session.ts";
import { type InviteAnswer, type LoginClaims, signIn } from "../sign_in.ts";
import { insertExchangeEvent } from "../token_events.ts";
import { type LoginContext, toLoginRefusal } from "./context.ts";
import { storeSealedToken } from "./headless.ts";
import { deliverCode, deliverOAuthError, deliverRefusal, deliverTokens } from "./outcome.ts";
import type { LoginParameters } from "./parameters.ts";

/** A person whom their provider has confirmed. */
export interface ConfirmedLogin {
  parameters: LoginParameters;
  provider: LoginProvider;
  claims: Claims;
}

/** Signs the person in, and redirects to their program. `scopes` are the uids of the groups that the login is limited to, if it is. */
export async function completeLogin(
  context: LoginContext,
  { parameters, provider, claims }: ConfirmedLogin,
  scopes: string[] | undefined,
  answer?: InviteAnswer,
): Promise<Response> {
  let issued: Issued = { statements: [] };
  const { db, now } = context;
  const { authorization, device } = parameters;
  const program = authorization ?? device;
  const capabilities = program && capabilitiesOf(program.scope);
  const login = await signIn(context, provider, claims, {
    answer,
    async moreStatements(whole) {
      const session = newSession(context, { parameters, provider: provider.uid }, whole.sub);
      const chain = withSession(whole.chain, session.uid);
      const narrowed = { ...whole, ...narrowClaims(whole, scopes, capabilities), chain };
      if (authorization) issued = await newCode(context, authorization, narrowed);
      else if (device) issued = await newGrant(context, narrowed);
      else issued = await issueTokens(context, { parameters, provider: provider.uid }, narrowed);
      const expireTime = now + (issued.lifetime ?? 0);
      return [...issued.statements, ...sessionStatements(db, { ...session, expireTime }, now)];
    },
  });
  await writeElsewhere(context, parameters.identity, issued.elsewhere ?? []);
  const { code = "", token = "", refreshToken = "" } = issued;
  if (authorization) return deliverCode(context.config, authorization, code);
  if (device && !(await decide(context, device, refreshToken))) {
    await revokeTokenFamily(context, refreshToken);
    throw answeredBefore();
  }
  const who = login.email ?? claims.sub;
  return deliverTokens(parameters.redirect, { token, refreshToken }, who);
}

const answeredBefore = () =>
  permissionDenied(
    "the code was answered before or has expired; start the login in your program again",
  );

/** The login of a program on another machine, which fetches its token itself. */
async function newGrant({ db, now }: LoginContext, claims: LoginClaims): Promise<Issued> {
  const fresh = await newTokenFamily(claims, now, deviceCodeLifetime);
  const statements = storeStatements(db, fresh, now);
  return { statements, refreshToken: fresh.token, lifetime: deviceCodeLifetime };
}

/** Reports to the program of the login, or on a page, that it failed. */
export function deliverFailure(
  context: LoginContext,
  { authorization, redirect }: LoginParameters,
  thrown: unknown,
): Response {
  const refusal = toLoginRefusal(thrown, context.request.headers);
  return authorization
    ? deliverOAuthError(context.config, authorization, "access_denied", refusal.reason)
    : deliverRefusal(context, redirect, refusal);
}

/** The token or code of a login, and the statements that record it. */
interface Issued {
  statements: Statement[];
  /** How long the tokens of the login can be renewed or used, in milliseconds. */
  lifetime?: number;
  /** These belong to the organization of an identity that the person assumes. */
  elsewhere?: Statement[];
  code?: string;
  token?: string;
  refreshToken?: string;
}

/** Issues the token of a login without an OAuth client: for the person, or for the identity that they assume. */
async function issueTokens(
  context: LoginContext,
  { parameters, provider }: { parameters: LoginParameters; provider: string },
  narrowed: LoginClaims,
): Promise<Issued> {
  const { db, now } = context;
  const bearer = await assumeIdentity(context, parameters, narrowed);
  const signed = await signAccessToken(context, bearer, parameters.audiences);
  const events =
    bearer.sub === narrowed.sub
      ? []
      : [identityUse(db, [bearer.sub], now), assumptionEvent(context, parameters, bearer, signed)];
  const isElsewhere = rootOf(bearer.sub) !== rootOf(provider) && isSpread(context.databases);
  const [here, elsewhere] = isElsewhere ? [[], events] : [events, []];
  const { token } = signed;
  const { headlessCode } = parameters;
  if (headlessCode !== "") {
    const stored = await storeSealedToken(context, headlessCode, token);
    return { statements: [...here, ...stored], elsewhere, token, lifetime: tokenLifetime };
  }
  if (!issuesRefreshToken(parameters, narrowed))
    return { statements: here, elsewhere, token, lifetime: tokenLifetime };
  const fresh = await newTokenFamily(narrowed, now);
  const statements = [...here, ...storeStatements(db, fresh, now)];
  const lifetime = familyLifetime;
  return { statements, elsewhere, token, refreshToken: fresh.token, lifetime };
}

async function writeElsewhere(context: LoginContext, uid: string, statements: Statement[]) {
  const [first, ...rest] = statements;
  if (first) await commit(callAt(context, uid), [first, ...rest]);
}

/** The event of a login whose token is for another identity. The event of the login is about the person. */
const assumptionEvent = (
  context: LoginContext,
  { audiences, scopes }: LoginParameters,
  { sub, act, email }: Omit<LoginClaims, "idp">,
  { expires }: { expires: number },
) =>
  insertExchangeEvent(
    context,
    "/oauth",
    { sub, act, email },
    {
      kind: TokenExchange_Kind.LOGIN,
      audiences,
      scopes,
      expireTime: timestampFromMs(expires),
    },
  );

/**
 * A refresh token if the login requested one. There is never one if roles come from groups, because the
 * groups are read again at each login (contract). There is also none for a program elsewhere, so that a login
 * under false pretenses lasts an hour at most.
 */
const issuesRefreshToken = (
  { createRefreshToken, headlessCode }: LoginParameters,
  { groups }: LoginClaims,
) => createRefreshToken && headlessCode === "" && !groups;

/**
 * The claims of the requested identity, which must name the person. Without one, the claims of the person.
 */
async function assumeIdentity(
  { config, databases, now }: LoginContext,
  { identity }: LoginParameters,
  login: LoginClaims,
): Promise<Omit<LoginClaims, "idp">> {
  if (identity === "" || identity === login.sub) return login;
  const rows = await selectIdentitiesByUid(databases.databaseOf(identity), identity);
  // The row of the person may be written only with this login.
  const self = {
    uid: login.sub,
    createTime: now,
    relationship: null,
    issuer: null,
    relationshipTime: 0,
    firstUsedTime: NEVER_USED,
  };
  const own = { ...login, aud: config.issuerUrl };
  const row = assumeByOwnToken(config, own, [...rows, self], identity);
  // Mapped groups belong to the person, and to no other identity.
  const { idp: _, groups: __, ...rest } = login;
  const act = { iss: config.issuerUrl, sub: login.sub, aud: own.aud };
  return { ...rest, sub: row.uid, chain: [...login.chain, toChainLink(row)], act };
}

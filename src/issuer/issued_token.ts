/** Issues the access token of an exchange, and writes down that it did. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, lt, or, sql } from "drizzle-orm";
import type { TokenExchange_Kind } from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import { identities, NEVER_USED } from "../../schema/tables/iam/identities.ts";
import type { WriteContext } from "../auth/call.ts";
import type { ActClaims, Narrowing, ProfileClaims } from "../auth/claims.ts";
import type { ChainLink } from "../auth/token_chain.ts";
import { identityUse } from "../auth/use.ts";
import type { Statement } from "../outbox/commit.ts";
import { signAccessToken } from "./access_token.ts";
import { type ExchangeParameters, resolveScopes } from "./exchange_parameters.ts";
import { narrowClaims } from "./narrowing.ts";
import { insertExchangeEvent } from "./token_events.ts";

/** The claims that a new token takes from the old one. */
type CarriedClaims = Narrowing &
  Pick<ProfileClaims, "email" | "email_verified"> & { act: ActClaims; idp?: string };

/** The identity and the claims of an exchange, before they are narrowed as the caller requests. */
export interface Exchanged {
  kind: TokenExchange_Kind;
  identity: string;
  /** The uid of the identity whose own token was exchanged, if it was a token of the platform. */
  bearer?: string;
  claims: CarriedClaims;
  /** Milliseconds since 1970 in UTC. */
  until: number;
  organizations: { uid: string; name: string }[];
}

/** A signed token. */
export interface IssuedToken {
  token: string;
  /** Milliseconds since 1970 in UTC. */
  expires: number;
  /** The limits of the token. */
  narrowing: Narrowing;
}

/** Signs the token of an exchange. The statements must be written before the token is returned. */
export type Issue = (
  exchanged: Exchanged,
) => Promise<IssuedToken & { statements: [Statement, ...Statement[]] }>;

/** Narrows the claims and signs the token. Throws if the call requests more than the claims contain. */
export async function issueToken(
  context: WriteContext,
  path: string,
  { audiences, scopes, capabilities, cap }: ExchangeParameters,
  exchanged: Exchanged,
): ReturnType<Issue> {
  const { identity, claims, until, organizations } = exchanged;
  const narrowing = narrowClaims(claims, resolveScopes(scopes, organizations), capabilities);
  const narrowed = { ...claims, ...narrowing, sub: identity };
  const signed = await signAccessToken(context, narrowed, audiences, until);
  const issued = { audiences, scopes, cap, expires: signed.expires };
  const statements = noteExchange(context, path, { ...exchanged, claims: narrowed }, issued);
  return { ...signed, narrowing: narrowed, statements };
}

/** The statements that record an exchange: that the identity was assumed and used, and the event. */
export function noteExchange(
  context: WriteContext,
  path: string,
  { kind, identity, bearer = identity, claims }: Omit<Exchanged, "organizations" | "until">,
  {
    audiences,
    scopes,
    cap,
    expires,
  }: Omit<ExchangeParameters, "capabilities"> & Pick<IssuedToken, "expires">,
): [Statement, ...Statement[]] {
  const last = claims.chain?.at(-1) ?? { sub: identity };
  const expireTime = timestampFromMs(expires);
  const event = { kind, audiences, scopes, capabilities: cap, expireTime };
  return [
    noteAssumption(context, last),
    identityUse(context.db, [identity, bearer], context.now),
    insertExchangeEvent(context, path, { ...claims, sub: identity }, event),
  ];
}

/**
 * Records that the identity is assumed, if its matchers are still those that accepted the bearer. This does not
 * change the identity, and its update time stays the same.
 */
const noteAssumption = (call: WriteContext, { sub, at: relationshipTime }: ChainLink) =>
  call.db
    .update(identities)
    .set({
      lastSeenTime: call.now,
      firstUsedTime: sql`min(${identities.firstUsedTime}, ${call.now})`,
    })
    .where(
      and(
        eq(identities.uid, sub),
        relationshipTime === undefined
          ? undefined
          : eq(identities.relationshipTime, relationshipTime),
        or(lt(identities.lastSeenTime, call.now), eq(identities.firstUsedTime, NEVER_USED)),
      ),
    );

/** Issues the access token of an exchange, and writes down that it did. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, lt, or, sql } from "drizzle-orm";
import type { TokenExchange_Kind } from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import type { ExchangeRequest } from "../../schema/gen/platform/oidc/security_token_pb.js";
import { identities, NEVER_USED } from "../../schema/tables/iam/identities.ts";
import type { Call } from "../auth/call.ts";
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
}

/** Signs the token of an exchange. The statements must be written before the token is returned. */
export type Issue = (
  exchanged: Exchanged,
) => Promise<IssuedToken & { statements: [Statement, ...Statement[]] }>;

/** Narrows the claims and signs the token. Throws if the call requests more than the claims contain. */
export async function issueToken(
  call: Call,
  { cap }: ExchangeRequest,
  { audiences, scopes, capabilities }: ExchangeParameters,
  { kind, identity, bearer = identity, claims, until, organizations }: Exchanged,
): ReturnType<Issue> {
  const narrowing = narrowClaims(claims, resolveScopes(scopes, organizations), capabilities);
  const narrowed = { ...claims, ...narrowing, sub: identity };
  const signed = await signAccessToken(call, narrowed, audiences, until);
  const event = insertExchangeEvent(call, "/sts/exchange", narrowed, {
    kind,
    audiences,
    scopes,
    capabilities: [...new Set(cap)],
    expireTime: timestampFromMs(signed.expires),
  });
  const last = claims.chain?.at(-1) ?? { sub: identity };
  const use = identityUse(call.db, [identity, bearer], call.now);
  return { ...signed, statements: [noteAssumption(call, last), use, event] };
}

/**
 * Records that the identity is assumed, if its matchers are still those that accepted the bearer. This does not
 * change the identity, and its update time stays the same.
 */
const noteAssumption = (call: Call, { sub, at: relationshipTime }: ChainLink) =>
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

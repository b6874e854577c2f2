/** Exchanges tokens (contract: STS exchange; modeled on RFC 8693). */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, lt, or, sql } from "drizzle-orm";
import {
  type ExchangeRequest,
  SecurityTokenService,
} from "../../schema/gen/platform/oidc/security_token_pb.js";
import { identities, NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { failedPrecondition } from "../aip/errors.ts";
import type { Call } from "../auth/call.ts";
import type { ActClaims, Claims, Narrowing, ProfileClaims } from "../auth/claims.ts";
import { personUid } from "../auth/person.ts";
import { bearerToken } from "../auth/token.ts";
import { type ChainLink, chainOf, isChainValid, maxChainLength } from "../auth/token_chain.ts";
import { service } from "../rpc/service.ts";
import { signAccessToken } from "./access_token.ts";
import { assumeByAws } from "./aws_identity.ts";
import { readSignedRequest, type SignedRequest } from "./aws_request.ts";
import {
  readExchangeParameters,
  resolveScopes,
  selectOrganizations,
} from "./exchange_parameters.ts";
import {
  assumeByForeignToken,
  assumeByOwnToken,
  selectIdentitiesBySubject,
  selectIdentitiesByUid,
  selectPerson,
  toChainLink,
} from "./identity.ts";
import { requireActiveLogin, selectLoginStatus } from "./identity_provider.ts";
import { narrowClaims } from "./narrowing.ts";
import { exchangeAtProvider } from "./provider_token.ts";
import { exchangeRefreshToken } from "./refresh_token.ts";
import { readUnverifiedToken, tokenRefusal, verifyOwnToken } from "./upstream.ts";

/** The claims that a new token takes from the old one. */
type CarriedClaims = Narrowing &
  Pick<ProfileClaims, "email" | "email_verified"> & { act: ActClaims };

/** The result of an exchange before the requested narrowing. */
interface Exchanged {
  identity: string;
  claims: CarriedClaims;
  /** Milliseconds since 1970 in UTC. */
  until: number;
  organizations: { uid: string; name: string }[];
}

export const securityTokenService = service(
  SecurityTokenService,
  {
    async exchange(request, call) {
      const parameters = readExchangeParameters(request);
      const token = bearerToken(call.headers);
      const narrow: Narrow = (claims, organizations) =>
        narrowClaims(
          claims,
          resolveScopes(parameters.scopes, organizations),
          parameters.capabilities,
        );
      const exchanged = await exchange(call, request, token, { scopes: parameters.scopes, narrow });
      const narrowing = narrow(exchanged.claims, exchanged.organizations);
      const claims = { ...exchanged.claims, ...narrowing, sub: exchanged.identity };
      const { until } = exchanged;
      const signed = await signAccessToken(call, claims, parameters.audiences, until);
      const last = exchanged.claims.chain?.at(-1);
      await noteIdentityUse(call, last ?? { sub: exchanged.identity });
      call.responseHeaders.set("cache-control", "no-store");
      return { token: signed.token, expiry: timestampFromMs(signed.expires) };
    },

    exchangeRefreshToken,
  },
  [],
  ["exchange", "exchangeRefreshToken"],
);

/** Narrows claims as the call requests. Throws if the call requests more than they contain. */
type Narrow = (claims: Narrowing, organizations: Exchanged["organizations"]) => Narrowing;

async function exchange(
  call: Call,
  { identity, identityProvider }: ExchangeRequest,
  token: string,
  { scopes, narrow }: { scopes: string[]; narrow: Narrow },
): Promise<Exchanged> {
  const organizationsQuery = selectOrganizations(call.db, scopes);
  if (identityProvider !== "") {
    return exchangeAtProvider(
      call,
      { identityProvider, identity },
      token,
      organizationsQuery,
      narrow,
    );
  }
  const signed = readSignedRequest(token);
  if (signed) return exchangeAwsRequest(call, identity, signed, organizationsQuery);
  const { issuer, claims: given } = await readUnverifiedToken(token);
  if (issuer === call.config.issuerUrl)
    return exchangeOwn(call, identity, token, organizationsQuery);
  const select =
    identity === ""
      ? selectIdentitiesBySubject(call.db, issuer, given.sub, scopes)
      : selectIdentitiesByUid(call.db, identity);
  const person = selectPerson(call.db, issuer, given.sub, await personUid(issuer, given.sub));
  const [rows, organizations, people] = await call.db.batch([select, organizationsQuery, person]);
  const foreign = { token, issuer, claims: given };
  const { row, claims, expires } = await assumeByForeignToken(
    call.config,
    foreign,
    rows,
    identity,
    call.now,
  );
  // A person who is blocked in a group must not come back as an identity of that group.
  const chain = [...people.filter(({ uid }) => uid !== row.uid).slice(0, 1), row].map(toChainLink);
  const carried = { ...actOf(issuer, claims), ...emailClaimsOf(claims), chain };
  return { identity: row.uid, claims: carried, until: expires, organizations };
}

/** The exchange of our own token. The new token is valid while everything in its chain is. */
async function exchangeOwn(
  call: Call,
  identity: string,
  token: string,
  organizationsQuery: ReturnType<typeof selectOrganizations>,
): Promise<Exchanged> {
  const claims = await verifyOwnToken(call.config, token, call.now);
  const uids = identity === "" ? [claims.sub] : [claims.sub, identity];
  const before = chainOf(claims);
  const login = before.find(({ idp }) => idp !== undefined);
  const [rows, organizations, standing, unbroken] = await call.db.batch([
    selectIdentitiesByUid(call.db, ...uids),
    organizationsQuery,
    selectLoginStatus(call.db, login?.idp ?? "", login?.sub ?? ""),
    call.db
      .select({ uid: identities.uid })
      .from(identities)
      .where(and(eq(identities.uid, claims.sub), isChainValid(before))),
  ]);
  if (login) requireActiveLogin(standing);
  const row = assumeByOwnToken(call.config, claims, rows, identity);
  if (unbroken.length === 0) throw brokenChain();
  const { uid } = row;
  const isSelf = uid === claims.sub;
  const chain = isSelf ? before : [...before, toChainLink(row)];
  if (chain.length > maxChainLength) throw chainTooLong();
  const act = isSelf && claims.act ? { act: claims.act } : actOf(call.config.issuerUrl, claims);
  const { scopes, capabilities, idp, groups } = claims;
  const kept = {
    ...(scopes && { scopes }),
    ...(capabilities && { capabilities }),
    // Roles from groups belong to the person, and to no other identity.
    ...(isSelf && idp && { idp, ...(groups && { groups }) }),
  };
  const carried = { ...act, ...emailClaimsOf(claims), ...kept, chain };
  return { identity: uid, claims: carried, until: claims.exp * 1000, organizations };
}

const brokenChain = () =>
  tokenRefusal(
    "a login or identity behind the token was deleted or changed; start again with the first token",
  );

const chainTooLong = () =>
  failedPrecondition(
    "CHAIN_TOO_LONG",
    `the token was exchanged from identity to identity ${maxChainLength} times, which is the limit; start again with the first token`,
  );

/** The exchange of a request that an AWS principal has signed. */
async function exchangeAwsRequest(
  call: Call,
  identity: string,
  signed: SignedRequest,
  organizationsQuery: ReturnType<typeof selectOrganizations>,
): Promise<Exchanged> {
  let organizations: Exchanged["organizations"] = [];
  let chain: ChainLink[] = [];
  const binding = { config: call.config, identity, now: call.now };
  const claims = await assumeByAws(signed, binding, async () => {
    const [[row], found] = await call.db.batch([
      selectIdentitiesByUid(call.db, identity),
      organizationsQuery,
    ]);
    organizations = found;
    chain = row ? [toChainLink(row)] : [];
    return row;
  });
  return { identity, claims: { ...claims, chain }, until: Number.POSITIVE_INFINITY, organizations };
}

const actOf = (issuer: string, { sub, aud }: Claims) => ({ act: { iss: issuer, sub, aud } });

function emailClaimsOf({ email, email_verified: isVerified }: Claims) {
  if (email === undefined) return {};
  return { email, ...(isVerified === undefined ? {} : { email_verified: isVerified }) };
}

/**
 * Records that the identity is used, if its matchers are still those that accepted the bearer. This does not
 * change the identity: there is no event, and the update time stays the same.
 */
const noteIdentityUse = (call: Call, { sub, at }: ChainLink) =>
  call.db
    .update(identities)
    .set({
      lastSeenTime: call.now,
      firstUsedTime: sql`min(${identities.firstUsedTime}, ${call.now})`,
    })
    .where(
      and(
        eq(identities.uid, sub),
        at === undefined ? undefined : eq(identities.relationshipTime, at),
        or(lt(identities.lastSeenTime, call.now), eq(identities.firstUsedTime, NEVER_USED)),
      ),
    );

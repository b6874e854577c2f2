/** Exchanges tokens (contract: STS exchange; modeled on RFC 8693). */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import { TokenExchange_Kind } from "../../schema/gen/platform/events/v2/occurrences_pb.js";
import {
  type ExchangeRequest,
  SecurityTokenService,
} from "../../schema/gen/platform/oidc/security_token_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { failedPrecondition } from "../aip/errors.ts";
import type { Call } from "../auth/call.ts";
import type { Claims } from "../auth/claims.ts";
import { personUid } from "../auth/person.ts";
import { bearerToken } from "../auth/token.ts";
import { type ChainLink, chainOf, isChainValid, maxChainLength } from "../auth/token_chain.ts";
import { commit } from "../outbox/commit.ts";
import { findDatabaseFailure } from "../rpc/database_failure.ts";
import { service } from "../rpc/service.ts";
import { assumeByAws } from "./aws_identity.ts";
import { readSignedRequest, type SignedRequest } from "./aws_request.ts";
import { readExchangeParameters, selectOrganizations } from "./exchange_parameters.ts";
import {
  assumeByForeignToken,
  assumeByOwnToken,
  selectIdentitiesBySubject,
  selectIdentitiesByUid,
  selectPerson,
  toChainLink,
} from "./identity.ts";
import { requireActiveLogin, selectLoginStatus } from "./identity_provider.ts";
import { type Exchanged, type Issue, type IssuedToken, issueToken } from "./issued_token.ts";
import { exchangeAtProvider } from "./provider_token.ts";
import { exchangeRefreshToken } from "./refresh_token.ts";
import { readUnverifiedToken, tokenRefusal, verifyOwnToken } from "./upstream.ts";

export const securityTokenService = service(
  SecurityTokenService,
  {
    async exchange(request, call) {
      const parameters = readExchangeParameters(request);
      const token = bearerToken(call.headers);
      const { scopes } = parameters;
      const issue: Issue = (exchanged) => issueToken(call, request, parameters, exchanged);
      const issued =
        request.identityProvider === ""
          ? await issueAndWrite(call, await exchange(call, request, token, scopes), issue)
          : await exchangeAtProvider(call, request, token, scopes, issue);
      call.responseHeaders.set("cache-control", "no-store");
      return { token: issued.token, expiry: timestampFromMs(issued.expires) };
    },

    exchangeRefreshToken,
  },
  [],
  ["exchange", "exchangeRefreshToken"],
);

/** A full database still serves reads, which need tokens. Only then a token is issued without its event. */
async function issueAndWrite(call: Call, exchanged: Exchanged, issue: Issue): Promise<IssuedToken> {
  const issued = await issue(exchanged);
  try {
    await commit(call, issued.statements);
  } catch (error) {
    if (findDatabaseFailure(error)?.kind !== "full") throw error;
  }
  return issued;
}

/** The exchange of a token that does not come from the identity provider of an organization. */
async function exchange(
  call: Call,
  { identity }: ExchangeRequest,
  token: string,
  scopes: string[],
): Promise<Exchanged> {
  const organizationsQuery = selectOrganizations(call.db, scopes);
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
  const kind = TokenExchange_Kind.FOREIGN_TOKEN;
  return { kind, identity: row.uid, claims: carried, until: expires, organizations };
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
  const kind = TokenExchange_Kind.ACCESS_TOKEN;
  const until = claims.exp * 1000;
  return { kind, identity: uid, bearer: claims.sub, claims: carried, until, organizations };
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
  return {
    kind: TokenExchange_Kind.AWS_REQUEST,
    ...{ identity, claims: { ...claims, chain }, organizations },
    until: Number.POSITIVE_INFINITY,
  };
}

const actOf = (issuer: string, { sub, aud }: Claims) => ({ act: { iss: issuer, sub, aud } });

function emailClaimsOf({ email, email_verified: isVerified }: Claims) {
  if (email === undefined) return {};
  return { email, ...(isVerified === undefined ? {} : { email_verified: isVerified }) };
}

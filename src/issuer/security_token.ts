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
import { callAt, callAtCaller } from "../auth/call.ts";
import { inEach, isSpread } from "../auth/databases.ts";
import { exchangeAudiences } from "../auth/identity_matchers.ts";
import { bearerToken } from "../auth/token.ts";
import {
  type ChainLink,
  chainOf,
  isChainValid,
  maxChainLength,
  selectValidLinks,
} from "../auth/token_chain.ts";
import { identityUse } from "../auth/use.ts";
import { namedUids } from "../auth/verified_names.ts";
import { commit } from "../outbox/commit.ts";
import { findDatabaseFailure } from "../rpc/database_failure.ts";
import { service } from "../rpc/service.ts";
import { assumeByAws } from "./aws_identity.ts";
import { readSignedRequest, type SignedRequest } from "./aws_request.ts";
import {
  type ExchangeParameters,
  readExchangeParameters,
  selectOrganizations,
} from "./exchange_parameters.ts";
import {
  actOf,
  type ExchangeContext,
  emailClaimsOf,
  exchangeForeignToken,
} from "./foreign_token.ts";
import {
  assumeByOwnToken,
  selectIdentitiesByUid,
  selectServedIdentities,
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
    async exchange(request, anywhere) {
      const call = callAtCaller(anywhere);
      const parameters = readExchangeParameters(request);
      const { identity, identityProvider } = request;
      const asked = { token: bearerToken(call.headers), identity, identityProvider };
      const issued = await exchangeToken(call, asked, parameters, "/sts/exchange");
      call.responseHeaders.set("cache-control", "no-store");
      return { token: issued.token, expiry: timestampFromMs(issued.expires) };
    },

    exchangeRefreshToken,
  },
  [],
  ["exchange", "exchangeRefreshToken"],
);

/** The token to exchange, and the uids of the identity and of the identity provider, or empty. */
type Asked = Pick<ExchangeRequest, "identity" | "identityProvider"> & { token: string };

/**
 * Exchanges a token, at every endpoint that does. `path` is that of the endpoint, for the event. Throws
 * PERMISSION_DENIED if the token proves nothing, and what {@link issueToken} throws.
 */
export async function exchangeToken(
  context: ExchangeContext,
  { token, identity, identityProvider }: Asked,
  asked: ExchangeParameters,
  path: string,
): Promise<IssuedToken> {
  const scopes = await namedUids(context.databases, asked.scopes);
  const parameters = { ...asked, scopes };
  const issue: Issue = (exchanged) => issueToken(context, path, parameters, exchanged);
  if (identityProvider === "")
    return issueAndWrite(context, await exchange(context, identity, token, scopes), issue);
  const login = { identityProvider, identity, path };
  return exchangeAtProvider(callAt(context, identityProvider), login, token, scopes, issue);
}

/** A full database still serves reads, which need tokens. Only then a token is issued without its event. */
async function issueAndWrite(
  call: ExchangeContext,
  exchanged: Exchanged,
  issue: Issue,
): Promise<IssuedToken> {
  const issued = await issue(exchanged);
  // The event belongs to the organization of the login or of the identity.
  const eventCall = callAt(call, exchanged.claims.idp ?? exchanged.identity);
  try {
    await commit(eventCall, issued.statements);
    const { bearer, identity } = exchanged;
    // The bearer can be in another database than the identity.
    if (isSpread(call.databases) && bearer !== undefined && bearer !== identity)
      await identityUse(call.databases.databaseOf(bearer), [bearer], call.now);
  } catch (error) {
    if (findDatabaseFailure(error)?.kind !== "full") throw error;
  }
  return issued;
}

/** The exchange of a token that does not come from the identity provider of an organization. */
async function exchange(
  call: ExchangeContext,
  identity: string,
  token: string,
  scopes: string[],
): Promise<Exchanged> {
  const organizationsQuery = selectOrganizations(call.db, scopes);
  const signed = readSignedRequest(token);
  if (signed) return exchangeAwsRequest(call, identity, signed, organizationsQuery);
  const { issuer, claims } = await readUnverifiedToken(token);
  if (issuer === call.config.issuerUrl)
    return exchangeOwn(call, identity, token, organizationsQuery);
  const audiences = exchangeAudiences(call.config);
  const foreign = { token, issuer, claims, audiences, identity, scopes };
  return exchangeForeignToken(call, foreign);
}

/** The exchange of our own token. The new token is valid while everything in its chain is. */
async function exchangeOwn(
  call: ExchangeContext,
  identity: string,
  token: string,
  organizationsQuery: ReturnType<typeof selectOrganizations>,
): Promise<Exchanged> {
  const claims = await verifyOwnToken(call.config, token, call.now);
  const uids = identity === "" ? [claims.sub] : [claims.sub, identity];
  const before = chainOf(claims);
  const login = before.find(({ idp }) => idp !== undefined);
  const asked = { uids, login, chain: before };
  const { rows, organizations, standing, isUnbroken } = isSpread(call.databases)
    ? await readOriginInEach(call, asked)
    : await readOrigin(call, asked, organizationsQuery);
  if (login) requireActiveLogin(standing);
  const row = assumeByOwnToken(call.config, claims, rows, identity);
  if (!isUnbroken) throw brokenChain();
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

/** The token to exchange: the identities that it is about, its login and its chain. */
interface Origin {
  uids: string[];
  login: ChainLink | undefined;
  chain: ChainLink[];
}

async function readOrigin(
  { db }: ExchangeContext,
  { uids, login, chain }: Origin,
  organizationsQuery: ReturnType<typeof selectOrganizations>,
) {
  const [rows, organizations, standing, unbroken] = await db.batch([
    selectIdentitiesByUid(db, ...uids),
    organizationsQuery,
    selectLoginStatus(db, login?.idp ?? "", login?.sub ?? ""),
    db
      .select({ uid: identities.uid })
      .from(identities)
      .where(and(eq(identities.uid, uids[0] ?? ""), isChainValid(chain))),
  ]);
  return { rows, organizations, standing, isUnbroken: unbroken.length > 0 };
}

/** Like {@link readOrigin}, with several databases. The names of organizations are uids already. */
async function readOriginInEach({ databases }: ExchangeContext, { uids, login, chain }: Origin) {
  const { idp = "", sub = "" } = login ?? {};
  const answers = await inEach(databases, (db) =>
    db.batch([selectServedIdentities(db, uids), selectValidLinks(db, chain)]),
  );
  const valid = new Set(answers.flatMap(([, links]) => links.map(({ position }) => position)));
  return {
    rows: answers.flatMap(([rows]) => rows),
    organizations: [],
    standing: idp === "" ? [] : await selectLoginStatus(databases.databaseOf(idp), idp, sub),
    isUnbroken: chain.every((_, position) => valid.has(position)),
  };
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
  call: ExchangeContext,
  identity: string,
  signed: SignedRequest,
  organizationsQuery: ReturnType<typeof selectOrganizations>,
): Promise<Exchanged> {
  let organizations: Exchanged["organizations"] = [];
  let chain: ChainLink[] = [];
  const binding = { config: call.config, identity, now: call.now };
  const claims = await assumeByAws(signed, binding, async () => {
    const [[row], organizationRows] = await callAt(call, identity).db.batch([
      selectIdentitiesByUid(call.db, identity),
      organizationsQuery,
    ]);
    organizations = organizationRows;
    chain = row ? [toChainLink(row)] : [];
    return row;
  });
  return {
    kind: TokenExchange_Kind.AWS_REQUEST,
    identity,
    claims: { ...claims, chain },
    organizations,
    until: Number.POSITIVE_INFINITY,
  };
}

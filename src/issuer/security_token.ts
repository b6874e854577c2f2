/** Tokens for tokens (contract: STS exchange; RFC 8693 in spirit). */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, lt } from "drizzle-orm";
import type { JWTPayload } from "jose";
import {
  type ExchangeRequest,
  SecurityTokenService,
} from "../../schema/gen/platform/oidc/security_token_pb.js";
import { identities } from "../../schema/tables/identities.ts";
import type { Call } from "../auth/call.ts";
import { saysVerified } from "../auth/email.ts";
import { bearerToken, type Narrowing } from "../auth/token.ts";
import { service } from "../rpc/service.ts";
import { signAccessToken } from "./access_token.ts";
import { readAsked, resolveScopes, selectOrganizations } from "./asked.ts";
import { assumedByAws } from "./aws_identity.ts";
import { readSignedRequest, type SignedRequest } from "./aws_request.ts";
import { assumedByForeign, assumedByOwn, selectBySubject, selectByUid } from "./identity.ts";
import { requireStanding, selectStanding } from "./identity_provider.ts";
import { narrow } from "./narrowing.ts";
import { exchangeAtProvider } from "./provider_token.ts";
import { exchangeRefreshToken } from "./refresh_token.ts";
import { open, proveOwn } from "./upstream.ts";

/** What an exchange found out, before the narrowing that it was asked for. */
interface Exchanged {
  identity: string;
  /** Claims that the new token takes from the old one. */
  claims: JWTPayload & Narrowing;
  /** Milliseconds since 1970 UTC. */
  until: number;
  organizations: { uid: string; name: string }[];
}

export const securityTokenService = service(SecurityTokenService, {
  async exchange(request, call) {
    const asked = readAsked(request);
    const token = bearerToken(call.headers);
    const narrowed: Narrow = (claims, organizations) =>
      narrow(claims, resolveScopes(asked.scopes, organizations), asked.capabilities);
    const exchanged = await exchange(call, request, token, { scopes: asked.scopes, narrowed });
    const narrowing = narrowed(exchanged.claims, exchanged.organizations);
    const claims = { ...exchanged.claims, ...narrowing, sub: exchanged.identity };
    const { until } = exchanged;
    const signed = await signAccessToken(call, claims, asked.audiences, until);
    await see(call, exchanged.identity);
    call.answer.set("cache-control", "no-store");
    return { token: signed.token, expiry: timestampFromMs(signed.expires) };
  },

  exchangeRefreshToken,
});

/** Narrows claims as the call asks. Throws where it asks for more than they have. */
type Narrow = (
  claims: JWTPayload & Narrowing,
  organizations: Exchanged["organizations"],
) => Narrowing;

async function exchange(
  call: Call,
  { identity, identityProvider }: ExchangeRequest,
  token: string,
  { scopes, narrowed }: { scopes: string[]; narrowed: Narrow },
): Promise<Exchanged> {
  const names = selectOrganizations(call.db, scopes);
  if (identityProvider !== "") {
    return exchangeAtProvider(call, { identityProvider, identity }, token, names, narrowed);
  }
  const signed = readSignedRequest(token);
  if (signed) return exchangeSigned(call, identity, signed, names);
  const { issuer, claims: given } = await open(token);
  if (issuer === call.config.issuerUrl) return exchangeOwn(call, identity, token, names);
  const select =
    identity === ""
      ? selectBySubject(call.db, issuer, given.sub ?? "")
      : selectByUid(call.db, identity);
  const [rows, organizations] = await call.db.batch([select, names]);
  const foreign = { token, issuer, claims: given };
  const { row, claims, until } = await assumedByForeign(
    call.config,
    foreign,
    rows,
    identity,
    call.now,
  );
  const carried = { ...actOf(issuer, claims), ...emailOf(claims) };
  return { identity: row.uid, claims: carried, until, organizations };
}

/** For a token of ours. One that comes from a login is good while the person may come in. */
async function exchangeOwn(
  call: Call,
  identity: string,
  token: string,
  names: ReturnType<typeof selectOrganizations>,
): Promise<Exchanged> {
  const claims = await proveOwn(call.config, token, call.now);
  const uids = identity === "" ? [claims.sub] : [claims.sub, identity];
  const [rows, organizations, standing] = await call.db.batch([
    selectByUid(call.db, ...uids),
    names,
    selectStanding(call.db, claims.idp ?? "", claims.sub),
  ]);
  if (claims.idp) requireStanding(standing);
  const { uid } = assumedByOwn(call.config, claims, rows, identity);
  const isSelf = uid === claims.sub;
  const act = isSelf && claims.act ? { act: claims.act } : actOf(call.config.issuerUrl, claims);
  const { scopes, capabilities, idp, groups } = claims;
  const kept = {
    ...(scopes && { scopes }),
    ...(capabilities && { capabilities }),
    // Roles of groups are the person's, and no other identity's.
    ...(isSelf && idp && { idp, ...(groups && { groups }) }),
  };
  const carried = { ...act, ...emailOf(claims), ...kept };
  return { identity: uid, claims: carried, until: claims.exp * 1000, organizations };
}

/** For a request that a principal of AWS has signed. */
async function exchangeSigned(
  call: Call,
  identity: string,
  signed: SignedRequest,
  names: ReturnType<typeof selectOrganizations>,
): Promise<Exchanged> {
  let organizations: Exchanged["organizations"] = [];
  const binding = { config: call.config, identity, now: call.now };
  const claims = await assumedByAws(signed, binding, async () => {
    const [[row], found] = await call.db.batch([selectByUid(call.db, identity), names]);
    organizations = found;
    return row;
  });
  return { identity, claims, until: Number.POSITIVE_INFINITY, organizations };
}

const actOf = (issuer: string, { sub, aud }: JWTPayload) => ({ act: { iss: issuer, sub, aud } });

function emailOf(claims: JWTPayload): JWTPayload {
  const { email, email_verified: isTold } = claims;
  if (typeof email !== "string") return {};
  return { email, ...(isTold === undefined ? {} : { email_verified: saysVerified(claims) }) };
}

/** Notes that the identity was seen. It is no change of the identity: no event, same update time. */
const see = (call: Call, uid: string) =>
  call.db
    .update(identities)
    .set({ lastSeenTime: call.now })
    .where(and(eq(identities.uid, uid), lt(identities.lastSeenTime, call.now)));

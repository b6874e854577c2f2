/** Tokens for tokens (contract: STS exchange; RFC 8693 in spirit). */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, lt } from "drizzle-orm";
import type { JWTPayload } from "jose";
import {
  type ExchangeRequest,
  SecurityTokenService,
} from "../../schema/gen/platform/oidc/security_token_pb.js";
import { identities } from "../../schema/tables/identities.ts";
import { permissionDenied, unimplemented } from "../aip/errors.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import type { Call } from "../auth/call.ts";
import { signToken } from "../auth/keys.ts";
import { bearerToken, type Narrowing } from "../auth/token.ts";
import { notServed, service } from "../rpc/service.ts";
import { readAsked, resolveScopes, selectOrganizations } from "./asked.ts";
import { assumedByForeign, assumedByOwn, selectBySubject, selectByUid } from "./identity.ts";
import { open, proveOwn } from "./upstream.ts";

/** Greatest life of an access token, in milliseconds. */
const tokenLife = 3600 * 1000;

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
    if (request.identityProvider !== "") {
      throw unimplemented("identity providers of an organization come with browser login");
    }
    const asked = readAsked(request);
    const token = bearerToken(call.headers);
    const exchanged = await exchange(call, request, token, asked.scopes);
    const scopes = resolveScopes(asked.scopes, exchanged.organizations);
    const narrowing = narrow(exchanged.claims, scopes, asked.capabilities);
    const [only, ...more] = asked.audiences;
    const claims = {
      ...exchanged.claims,
      ...narrowing,
      sub: exchanged.identity,
      aud: more.length === 0 && only ? only : asked.audiences,
    };
    // Whole seconds, as the claim has them, and never later than what it must not outlive.
    const expires = Math.floor(Math.min(call.now + tokenLife, exchanged.until) / 1000) * 1000;
    const signed = await signToken(call.config, claims, { issued: call.now, expires });
    await see(call, exchanged.identity);
    call.answer.set("cache-control", "no-store");
    return { token: signed, expiry: timestampFromMs(expires) };
  },

  exchangeRefreshToken: notServed("refresh tokens come with browser login"),
});

async function exchange(
  call: Call,
  { identity }: ExchangeRequest,
  token: string,
  scopes: string[],
): Promise<Exchanged> {
  const { issuer, claims: given } = await open(token);
  const names = selectOrganizations(call.db, scopes);
  if (issuer === call.config.issuerUrl) {
    const claims = await proveOwn(call.config, token, call.now);
    const uids = identity === "" ? [claims.sub] : [claims.sub, identity];
    const [rows, organizations] = await call.db.batch([selectByUid(call.db, ...uids), names]);
    const { uid } = assumedByOwn(call.config, claims, rows, identity);
    const act = uid === claims.sub && claims.act ? { act: claims.act } : actOf(issuer, claims);
    const { scopes: narrowed, capabilities } = claims;
    const kept = { ...(narrowed && { scopes: narrowed }), ...(capabilities && { capabilities }) };
    const carried = { ...act, ...emailOf(claims), ...kept };
    return { identity: uid, claims: carried, until: claims.exp * 1000, organizations };
  }
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

const actOf = (issuer: string, { sub, aud }: JWTPayload) => ({ act: { iss: issuer, sub, aud } });

/** Some issuers write the boolean as a string. */
function emailOf({ email, email_verified: isVerified }: JWTPayload): JWTPayload {
  if (typeof email !== "string") return {};
  const told = isVerified === undefined ? {} : { email_verified: String(isVerified) === "true" };
  return { email, ...told };
}

/**
 * What remains of a token's scopes and capabilities when more narrowing is asked for. Throws
 * PERMISSION_DENIED where nothing remains.
 */
function narrow(
  held: Narrowing,
  scopes: string[] | undefined,
  capabilities: number[] | undefined,
): Narrowing {
  const narrowed: Narrowing = {};
  if (scopes) narrowed.scopes = held.scopes ? lowerOf(held.scopes, scopes) : scopes;
  if (capabilities) {
    const isHeld = (one: number) => held.capabilities?.includes(one) ?? true;
    narrowed.capabilities = capabilities.filter(isHeld);
  }
  if (narrowed.scopes?.length === 0) {
    throw permissionDenied("none of the scopes lies within those the token was narrowed to");
  }
  if (narrowed.capabilities?.length === 0) {
    throw permissionDenied("the token was narrowed to other capabilities");
  }
  return narrowed;
}

/** The parts that two lists of subtrees have in common. */
function lowerOf(held: string[], asked: string[]): string[] {
  const common = asked.flatMap((one) =>
    held.flatMap((other) => {
      if (isAtOrAbove(other, one)) return [one];
      return isAtOrAbove(one, other) ? [other] : [];
    }),
  );
  return [...new Set(common)];
}

/** Notes that the identity was seen. It is no change of the identity: no event, same update time. */
const see = (call: Call, uid: string) =>
  call.db
    .update(identities)
    .set({ lastSeenTime: call.now })
    .where(and(eq(identities.uid, uid), lt(identities.lastSeenTime, call.now)));

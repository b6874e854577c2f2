/**
 * Verifies the signature of a token under diagnosis, with the rules and limits of an exchange. It only fetches
 * the keys of an issuer that an identity accepts.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { and, eq, sql } from "drizzle-orm";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import {
  CheckOutcome,
  TokenCheckKind,
} from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import type { Call } from "../../auth/call.ts";
import { readClaims, readOwnClaims } from "../../auth/claims.ts";
import { isServed, isSpread, rowsOfEach } from "../../auth/databases.ts";
import { verifyByIssuer } from "../../auth/issuer_keys.ts";
import { ownKeys } from "../../auth/keys.ts";
import { verificationFailure, verificationRules, verifyByAny } from "../../auth/token.ts";
import { type ChainLink, chainOf, isChainValid, selectValidLinks } from "../../auth/token_chain.ts";
import type { Check, Evidence, Validity } from "./evidence.ts";

const { PASSED, FAILED, NOT_CHECKED } = CheckOutcome;

/** The result of a verification, and its check. */
export interface Verification {
  validity: Validity;
  check: Check;
}

const kind = TokenCheckKind.SIGNATURE;
const isSigned = "The signature is right.";

/** The result without a verification. The sentence says why there was none. */
export const notVerified = (validity: Validity, description: string): Verification => ({
  validity: validity === "refused" ? validity : "unknown",
  check: { kind, outcome: NOT_CHECKED, description },
});

/** Verifies a token with the keys of its issuer. An identity must accept that issuer. */
export const verifyWithIssuer = (call: Call, issuer: string, token: string) =>
  verify(async () => {
    const rules = verificationRules(call.now);
    const { config, databases } = call;
    const lookup = { config, issuer, trace: databases.trace };
    const { payload } = await verifyByIssuer(lookup, (keys) => verifyByAny(keys, token, rules));
    readClaims(payload);
  });

/** Verifies a token with the static keys of an identity, a JWKS in JSON. */
export const verifyWithKeys = (call: Call, jwks: string, token: string) =>
  verify(async () => {
    const keys: JWTVerifyGetKey = createLocalJWKSet(JSON.parse(jwks) as JSONWebKeySet);
    const { payload } = await verifyByAny(keys, token, verificationRules(call.now));
    readClaims(payload);
  });

async function verify(work: () => Promise<void>): Promise<Verification> {
  try {
    await work();
    return { validity: "valid", check: { kind, outcome: PASSED, description: isSigned } };
  } catch (error) {
    return verificationOf(error);
  }
}

/** jose checks the signature before the times and the claims. */
function verificationOf(error: unknown): Verification {
  const isSignatureRight =
    error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed;
  if (isSignatureRight)
    return { validity: "refused", check: { kind, outcome: PASSED, description: isSigned } };
  const isUnavailable =
    error instanceof errors.JWKSTimeout ||
    (error instanceof ConnectError && error.code === Code.Unavailable);
  const reason =
    error instanceof ConnectError
      ? error.rawMessage.replace(/^[A-Z][A-Za-z]+: /, "")
      : verificationFailure(error);
  if (isUnavailable) return notVerified("unknown", `The keys could not be read now: ${reason}.`);
  const description = `The signature cannot be accepted: ${reason}.`;
  return { validity: "refused", check: { kind, outcome: FAILED, description } };
}

/**
 * Verifies a token of the platform itself, and asks whether everything that it was exchanged from is still
 * valid. The second part takes a round trip, and only a token with the right signature gets there.
 */
export async function verifyOwnOrigin(
  call: Call,
  { claims }: Evidence,
  token: string,
): Promise<Verification & { origin?: Check }> {
  const signed = await verify(async () => {
    const rules = { ...verificationRules(call.now), issuer: call.config.issuerUrl };
    readOwnClaims((await verifyByAny(ownKeys(call.config), token, rules)).payload);
  });
  if (signed.check.outcome !== PASSED) return signed;
  const own = readOwnClaims(claims);
  const identity = await findOrigin(call, own.sub, chainOf(own));
  const isRegistryToken = own.access !== undefined;
  const isValid = identity !== undefined && !isRegistryToken;
  const origin: Check = {
    kind: TokenCheckKind.ORIGIN,
    outcome: isValid ? PASSED : FAILED,
    description: originText(identity?.uid, isRegistryToken),
  };
  return { ...signed, validity: isValid ? signed.validity : "refused", origin };
}

/** The identity of a token, if everything in its chain is valid. */
async function findOrigin({ databases }: Call, uid: string, chain: ChainLink[]) {
  const served = isSpread(databases) ? isServed(sql`${identities.uid}`) : undefined;
  const checked = isSpread(databases) ? [] : chain;
  const rows = await rowsOfEach(databases, (db) =>
    db
      .select({ uid: identities.uid })
      .from(identities)
      .where(and(eq(identities.uid, uid), isChainValid(checked), served)),
  );
  if (!isSpread(databases)) return rows[0];
  const valid = await rowsOfEach(databases, (db) => selectValidLinks(db, chain));
  const isValid = chain.every((_, position) => valid.some((link) => link.position === position));
  return isValid ? rows[0] : undefined;
}

function originText(uid: string | undefined, isRegistryToken: boolean): string {
  if (isRegistryToken)
    return "The token is for one image of the registry, and cannot be exchanged.";
  return uid === undefined
    ? "A login or identity behind the token was deleted, deactivated or changed. Get a new token."
    : `The token is an access token of the identity ${uid}. That identity, and everything that the token was exchanged from, is still valid.`;
}

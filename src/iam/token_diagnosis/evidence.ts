/** Reads the token or the claims of a request, and checks what does not depend on an identity. */
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { decodeJwt, decodeProtectedHeader } from "jose";
import {
  CheckOutcome,
  type DiagnoseTokenRequest,
  TokenCheckKind,
  type TokenCheckSchema,
} from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { type Claims, findClaimFlaws, maxTokenLength, readClaims } from "../../auth/claims.ts";
import { acceptedAlgorithms } from "../../auth/issuers.ts";
import { canonicalIssuer, clockToleranceSeconds } from "../../auth/token.ts";
import type { Config } from "../../config.ts";

export type Check = MessageInitShape<typeof TokenCheckSchema>;

const { PASSED, FAILED, NOT_CHECKED } = CheckOutcome;

/** Three answers to the question whether the token itself is valid, whatever identity it acts as. */
export type Validity = "valid" | "refused" | "unknown";

/** The facts about a token that depend on no identity. */
export interface Evidence {
  checks: Check[];
  /** The token, if it can be verified. Undefined for claims, and for a token that no key could make valid. */
  token: string | undefined;
  /** The issuer as identities write it. Empty if the token has none. */
  issuer: string;
  /** The subject. Empty if the token has none. */
  subject: string;
  /** The claims that can be compared. They are not verified. Claims that are not valid are missing. */
  claims: Record<string, unknown>;
  /** "refused" if a check has failed. */
  validity: Validity;
  /** Whether the platform's own issuer issued the token. */
  isOwn: boolean;
}

/** Undefined if the request has neither a token nor claims. Throws INVALID_ARGUMENT for long claims. */
export function readEvidence(
  { subject }: DiagnoseTokenRequest,
  config: Config,
  now: number,
): Evidence | undefined {
  if (subject.case === "token") return readToken(subject.value, config, now);
  if (subject.case === "claims") return readGivenClaims(subject.value, config, now);
  return undefined;
}

function readToken(token: string, config: Config, now: number): Evidence {
  let header: Record<string, unknown>;
  let payload: Record<string, unknown>;
  try {
    header = decodeProtectedHeader(token);
    payload = decodeJwt(token);
  } catch {
    const text =
      "The token is not a JWT: three parts of base64url with dots between them, the first two of them JSON.";
    const checks = [{ kind: TokenCheckKind.FORMAT, outcome: FAILED, description: text }];
    return { ...nothing, checks };
  }
  const evidence = readPayload(payload, config, now, true);
  const checks = [
    { kind: TokenCheckKind.FORMAT, outcome: PASSED, description: "The token is a JWT." },
    checkAlgorithm(header),
    ...evidence.checks,
  ];
  const isRefused = checks.some(({ outcome }) => outcome === FAILED);
  const isReadable = checks
    .filter(({ kind }) => kind !== TokenCheckKind.EXPIRY && kind !== TokenCheckKind.NOT_BEFORE)
    .every(({ outcome }) => outcome !== FAILED);
  return {
    ...evidence,
    checks,
    token: isReadable ? token : undefined,
    validity: isRefused ? "refused" : "unknown",
  };
}

const nothing: Evidence = {
  checks: [],
  token: undefined,
  issuer: "",
  subject: "",
  claims: {},
  validity: "refused",
  isOwn: false,
};

function readGivenClaims(claims: JsonObject, config: Config, now: number): Evidence {
  const { length } = JSON.stringify(claims);
  if (length > maxTokenLength) {
    throw invalidArgument(
      "claims",
      `claims must have at most ${maxTokenLength} characters of JSON; you sent ${length}`,
    );
  }
  return readPayload(claims, config, now, false);
}

/** The algorithm as `decodeToken` of src/auth/claims.ts and `readUnverified` accept it. */
function checkAlgorithm(header: Record<string, unknown>): Check {
  const { alg } = header;
  const kind = TokenCheckKind.ALGORITHM;
  const flawed = ["alg", "typ", "kid"].find(
    (name) => header[name] !== undefined && !isShortText(header[name]),
  );
  if (flawed !== undefined) {
    const description = `The header of the token has a value of ${flawed} that is not a short string.`;
    return { kind, outcome: FAILED, description };
  }
  const named = typeof alg === "string" && /^[\w-]{1,32}$/.test(alg) ? alg : "an unknown algorithm";
  if (typeof alg === "string" && acceptedAlgorithms.includes(alg))
    return { kind, outcome: PASSED, description: `The token is signed with ${named}.` };
  const description = `The token is signed with ${named}, which is not accepted. Use one of ${acceptedAlgorithms.join(", ")}.`;
  return { kind, outcome: FAILED, description };
}

const isShortText = (value: unknown) => typeof value === "string" && value.length <= 2048;

function readPayload(
  payload: Record<string, unknown>,
  config: Config,
  now: number,
  isWhole: boolean,
): Evidence {
  const flaws = [...findClaimFlaws(payload)].filter(
    ({ claim }, index, all) => all.findIndex((other) => other.claim === claim) === index,
  );
  const isMissing = (claim: string) => !isWhole && payload[claim] === undefined;
  const checks: Check[] = flaws.map(({ claim, description }) => ({
    kind: TokenCheckKind.CLAIMS,
    ...(isMissing(claim)
      ? { outcome: NOT_CHECKED, description: `You sent no claim ${claim}.` }
      : { outcome: FAILED, description: `The claim ${claim.slice(0, 100)} ${description}.` }),
  }));
  if (checks.length === 0) {
    const description = "The claims iss, sub, aud and exp are there, and have the right types.";
    checks.push({ kind: TokenCheckKind.CLAIMS, outcome: PASSED, description });
  }
  const claims = flaws.length === 0 ? readClaims(payload) : usableClaims(payload, flaws);
  const { iss, sub } = claims as Partial<Claims>;
  const issuer = canonicalIssuer(iss ?? "");
  const isOwn = issuer === config.issuerUrl;
  checks.push(...checkTimes(claims, now, isOwn));
  return {
    checks,
    token: undefined,
    issuer,
    subject: sub ?? "",
    claims,
    validity: checks.some(({ outcome }) => outcome === FAILED) ? "refused" : "unknown",
    isOwn,
  };
}

/** The claims without those that are not valid. None if a text in them is not valid Unicode. */
function usableClaims(payload: Record<string, unknown>, flaws: { claim: string }[]) {
  const names = new Set(flaws.map(({ claim }) => claim));
  const isKnown = ["iss", "sub", "aud", "exp", "iat", "nbf", "azp"];
  if (![...names].every((name) => isKnown.includes(name))) return {};
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !names.has(name)));
}

/** The times, by the rules of `jwtVerify` of jose and of `verifyOwn` in src/auth/token.ts. */
function checkTimes({ exp, nbf }: Partial<Claims>, now: number, isOwn: boolean): Check[] {
  const seconds = Math.floor(now / 1000);
  const checks: Check[] = [];
  if (exp !== undefined) {
    const isOver = isOwn ? exp * 1000 <= now : exp <= seconds - clockToleranceSeconds;
    const description = isOver
      ? `The token expired at ${timeText(exp)}. The time of the platform is ${timeText(seconds)}. Get a new token.`
      : `The token expires at ${timeText(exp)}.`;
    const outcome = isOver ? FAILED : PASSED;
    checks.push({ kind: TokenCheckKind.EXPIRY, outcome, description });
  }
  if (nbf !== undefined) {
    const isEarly = nbf > seconds + clockToleranceSeconds;
    const description = isEarly
      ? `The token is not valid before ${timeText(nbf)}. The time of the platform is ${timeText(seconds)}. Compare the clock of the issuer.`
      : `The token is valid since ${timeText(nbf)}.`;
    const outcome = isEarly ? FAILED : PASSED;
    checks.push({ kind: TokenCheckKind.NOT_BEFORE, outcome, description });
  }
  return checks;
}

/** A time as text, to the second. `seconds` are those since 1970. */
export const timeText = (seconds: number) => new Date(Math.floor(seconds) * 1000).toISOString();

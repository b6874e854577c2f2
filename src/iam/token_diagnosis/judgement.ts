/** Decides for each identity whether an exchange or a call accepts the token, with the code of the exchange. */
import { create } from "@bufbuild/protobuf";
import {
  type IdentityDiagnosis,
  IdentityDiagnosisSchema,
  TokenAcceptance,
} from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import type { Identity_ClaimMatch } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { Call } from "../../auth/call.ts";
import { audiencesOf, type Comparison } from "../../auth/claim_match.ts";
import {
  acceptsClaims,
  acceptsOwnToken,
  claimMatchOf,
  exchangeAudiences,
  ownTokenAudiences,
  staticKeysOf,
} from "../../auth/identity_matchers.ts";
import { chainOf, maxChainLength } from "../../auth/token_chain.ts";
import type { Config } from "../../config.ts";
import { commonStart, compareClaimMatch, compareStaticKeys, toField } from "./comparison.ts";
import type { Evidence, Validity } from "./evidence.ts";
import type { IdentityRow } from "./nearest.ts";
import type { Warning } from "./probes.ts";
import { type Verification, verifyWithKeys } from "./signature.ts";

const { ACCEPTED, REFUSED, UNDECIDED } = TokenAcceptance;

/** The most fields of one identity in a response. */
const maxFields = 20;

/** The most identities with static keys whose signature is verified in one call. */
const maxStaticKeys = 5;

/** An identity with its comparison, and how similar it is to the token. */
export interface Judgement {
  row: IdentityRow;
  comparisons: Comparison[];
  exchange: TokenAcceptance;
  bearer: TokenAcceptance;
  description: string;
  /** The verification with static keys, if there was one. */
  verification?: Verification;
  /** Higher for an identity that is more similar. */
  similarity: number;
}

/** The answer for claims that match, by the validity of the token. */
const acceptanceOf: Record<Validity, TokenAcceptance> = {
  valid: ACCEPTED,
  refused: REFUSED,
  unknown: UNDECIDED,
};

const other = (row: IdentityRow, description: string): Judgement => ({
  row,
  comparisons: [],
  exchange: REFUSED,
  bearer: REFUSED,
  description,
  similarity: -1,
});

/** Judges the identities one after the other. `validity` is that of the token by the keys of its issuer. */
export async function judgeAll(
  call: Call,
  rows: IdentityRow[],
  evidence: Evidence,
  validity: Validity,
): Promise<Judgement[]> {
  const judgements: Judgement[] = [];
  let verified = 0;
  for (const row of rows) {
    const keys = staticKeysOf(row);
    const match = claimMatchOf(row);
    if (evidence.isOwn && row.uid === evidence.subject) {
      judgements.push(judgeSelf(call, row, evidence, validity));
    } else if (match) {
      judgements.push(judgeClaimMatch(call, row, match, evidence, validity));
    } else if (keys) {
      const comparisons = compareStaticKeys(call, keys, row, evidence);
      const isMatch = comparisons.every(({ passes }) => passes);
      const isTried = isMatch && !evidence.isOwn && evidence.token !== undefined;
      const isVerified = isTried && verified < maxStaticKeys;
      if (isVerified) verified += 1;
      const verification = isVerified
        ? await verifyWithKeys(call, keys.issuerKeys, evidence.token ?? "")
        : undefined;
      judgements.push(judgeStaticKeys(row, comparisons, evidence, verification));
    } else judgements.push(other(row, otherText(row)));
  }
  return judgements;
}

/** The identity that a token of the platform belongs to, whatever tokens it accepts otherwise. */
function judgeSelf(
  { config }: Call,
  row: IdentityRow,
  { claims }: Evidence,
  validity: Validity,
): Judgement {
  const tokenAudiences = audiencesOf(claims);
  const isForApi = tokenAudiences.includes(config.audience);
  const isForExchange = tokenAudiences.some((audience) =>
    ownTokenAudiences(config).includes(audience),
  );
  const acceptance = acceptanceOf[validity];
  return {
    row,
    comparisons: [],
    similarity: 100,
    exchange: isForExchange ? acceptance : REFUSED,
    bearer: isForApi ? acceptance : REFUSED,
    description: "The platform issued the token for this identity.",
  };
}

function otherText({ relationship }: IdentityRow): string {
  switch (relationship?.case) {
    case "awsIdentity":
      return "The identity accepts a GetCallerIdentity request that an AWS principal has signed, and no JWT.";
    case "servicePrincipal":
      return "The identity belongs to a service of the operator, and accepts no token.";
    default:
      return "The identity accepts no token from outside the platform.";
  }
}

function judgeClaimMatch(
  call: Call,
  row: IdentityRow,
  match: Identity_ClaimMatch,
  evidence: Evidence,
  validity: Validity,
): Judgement {
  const { config } = call;
  const { issuer, subject, claims, isOwn } = evidence;
  const audiences = isOwn ? ownTokenAudiences(config) : exchangeAudiences(config);
  const comparisons = compareClaimMatch(match, evidence, audiences);
  const isMatch = acceptsClaims(match, issuer, { ...claims, sub: subject }, audiences);
  const tokenAudiences = audiencesOf(claims);
  const isForApi = tokenAudiences.includes(config.audience);
  const isNamed = row.issuer === issuer && row.subject === subject && issuer !== "";
  const acceptance = acceptanceOf[validity];
  const isExchanged = isMatch && (!isOwn || canExchangeOwn(config, row, match, evidence));
  const bearer = !isOwn && isNamed && isForApi ? acceptance : REFUSED;
  const exchange = isExchanged ? acceptance : REFUSED;
  const description = describe({ exchange, bearer, isNamed, isMatch, validity, comparisons });
  const similarity = similarityOf(comparisons, isMatch, [exchange, bearer]);
  return { row, comparisons, exchange, bearer, description, similarity };
}

/** The rules of `exchangeOwn` and `assumeByOwnToken` in src/issuer for a token of another identity. */
const canExchangeOwn = (
  config: Config,
  row: IdentityRow,
  match: Identity_ClaimMatch,
  { subject, claims }: Evidence,
): boolean =>
  audiencesOf(claims).some((audience) => ownTokenAudiences(config).includes(audience)) &&
  acceptsOwnToken(match, subject, row.uid) &&
  chainOf(claims).length + 1 <= maxChainLength;

function judgeStaticKeys(
  row: IdentityRow,
  comparisons: Comparison[],
  { validity, isOwn }: Evidence,
  verification: Verification | undefined,
): Judgement {
  const isMatch = comparisons.every(({ passes }) => passes) && !isOwn;
  const signatureValidity = verification?.validity ?? "unknown";
  const exchange = isMatch
    ? acceptanceOf[validity === "refused" ? validity : signatureValidity]
    : REFUSED;
  const text = verification?.check.description;
  const all = { exchange, bearer: REFUSED, isNamed: false, isMatch, comparisons };
  const description = describe({ ...all, validity: signatureValidity });
  return {
    row,
    comparisons,
    exchange,
    bearer: REFUSED,
    description: text && exchange !== ACCEPTED ? `${description} ${text}` : description,
    ...(verification && { verification }),
    similarity: similarityOf(comparisons, isMatch, [exchange]),
  };
}

function describe(judged: {
  exchange: TokenAcceptance;
  bearer: TokenAcceptance;
  isNamed: boolean;
  isMatch: boolean;
  validity: Validity;
  comparisons: Comparison[];
}): string {
  const { exchange, bearer, isNamed, comparisons } = judged;
  const failed = comparisons.filter(({ passes }) => !passes).map(({ field }) => field);
  if (exchange === ACCEPTED && bearer === ACCEPTED)
    return "The identity accepts the token, in an exchange and as a bearer token.";
  if (exchange === ACCEPTED) {
    return isNamed
      ? "An exchange accepts the token for this identity. Calls do not accept the token without an exchange."
      : "An exchange that names this identity accepts the token. Without its name, the exchange does not find it.";
  }
  if (bearer === ACCEPTED)
    return "Calls to the API accept the token. An exchange does not, because of its audience.";
  if (exchange === UNDECIDED || bearer === UNDECIDED)
    return "The claims match. Whether the token is accepted depends on what was not checked.";
  if (failed.length === 0) {
    return judged.isMatch
      ? "The claims match, but the token itself is refused: see its checks."
      : "The identity does not accept this token: the rules for its kind of token, or the limits of patterns, exclude it.";
  }
  const names = failed.slice(0, 3).join(", ");
  const more = failed.length > 3 ? ` and ${failed.length - 3} more` : "";
  return `The token does not match ${names}${more}.`;
}

/** Accepted first, then by the share of each field that is equal: the issuer and subject count most. */
function similarityOf(
  comparisons: Comparison[],
  isMatch: boolean,
  acceptances: TokenAcceptance[],
): number {
  if (acceptances.includes(ACCEPTED)) return 100;
  if (isMatch) return 90;
  const weights = [30, 30, 5];
  return comparisons.reduce(
    (sum, comparison, index) => sum + (weights[index] ?? 1) * shareOf(comparison),
    0,
  );
}

function shareOf({ passes, isPattern, expected, actual }: Comparison): number {
  if (passes) return 1;
  const [value = ""] = actual;
  const shares = expected.slice(0, 10).map((expectedText) => {
    const text = isPattern ? expectedText.replaceAll("\\", "") : expectedText;
    return (
      commonStart(text, value) / Math.max(1, isPattern ? value.length : text.length, value.length)
    );
  });
  return 0.9 * Math.max(0, ...shares);
}

/** The judgement as a message. */
export function toDiagnosis(
  judged: Judgement,
  claims: Record<string, unknown>,
  warnings: Warning[],
): IdentityDiagnosis {
  const { row, comparisons, exchange, bearer, description } = judged;
  const sorted = comparisons.toSorted((a, b) => Number(a.passes) - Number(b.passes));
  return create(IdentityDiagnosisSchema, {
    uid: row.uid,
    name: row.name,
    exchange,
    bearer,
    description,
    warnings,
    fields: sorted.slice(0, maxFields).map((comparison) => toField(comparison, claims)),
    fieldsLeftOut: Math.max(0, sorted.length - maxFields),
  });
}

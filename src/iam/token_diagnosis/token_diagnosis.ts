/** Says why a token is refused, for the owners of a group. It stores nothing and logs nothing. */
import { create } from "@bufbuild/protobuf";
import {
  CheckOutcome,
  type DiagnoseTokenRequest,
  DiagnoseTokenRequestSchema,
  IdentityDiagnosisSchema,
  TokenAcceptance,
  TokenCheckKind,
  TokenDiagnosisService,
} from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import { invalidArgument, notFound } from "../../aip/errors.ts";
import { isAtOrAbove } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { audiencesOf, mayMatchIdentity } from "../../auth/claim_match.ts";
import {
  claimMatchOf,
  exchangeAudiences,
  ownTokenAudiences,
} from "../../auth/identity_matchers.ts";
import { openCursor, tokenAfter } from "../../paging/page.ts";
import { digestOf } from "../../paging/page_token.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { shown } from "./difference.ts";
import { type Check, type Evidence, readEvidence } from "./evidence.ts";
import { type Judgement, judgeAll, toDiagnosis } from "./judgement.ts";
import {
  type IdentityRow,
  selectFurther,
  selectNearest,
  selectOne,
  selectPage,
} from "./nearest.ts";
import { notVerified, type Verification, verifyOwnOrigin, verifyWithIssuer } from "./signature.ts";
import { newJudge } from "./warnings.ts";

const { PASSED, FAILED } = CheckOutcome;

const defaultSize = 20;

/** The identities to compare, and where the next page begins. */
interface Chosen {
  rows: IdentityRow[];
  incomplete: boolean;
  nextPageToken: string;
}

export const tokenDiagnosisService = service(TokenDiagnosisService, {
  async diagnoseToken(request, call) {
    const evidence = readEvidence(request, call.config, call.now);
    const size = request.pageSize || defaultSize;
    const { rows, incomplete, nextPageToken } = await chooseIdentities(
      request,
      evidence,
      call,
      size,
    );
    const warningsOf = newJudge(call.config);
    if (!evidence) {
      const identities = rows.map((row) =>
        create(IdentityDiagnosisSchema, {
          uid: row.uid,
          name: row.name,
          warnings: warningsOf(row),
        }),
      );
      return { identities, incomplete, nextPageToken };
    }
    const verification = await verifySignature(call, evidence, rows);
    const judged = await judgeAll(call, rows, evidence, verification.validity);
    const sorted = request.all ? judged : nearestFirst(judged);
    const identities = sorted
      .slice(0, size)
      .map((judgement) => toDiagnosis(judgement, evidence.claims, warningsOf(judgement.row)));
    return {
      checks: checksOf(call, evidence, verification, sorted),
      identities,
      incomplete: incomplete || sorted.length > size,
      nextPageToken,
    };
  },
});

const nearestFirst = (judged: Judgement[]) =>
  judged.toSorted((a, b) => b.similarity - a.similarity || (a.row.uid < b.row.uid ? -1 : 1));

/** Throws NOT_FOUND if the group or the identity does not exist, and INVALID_ARGUMENT for the page. */
async function chooseIdentities(
  request: DiagnoseTokenRequest,
  evidence: Evidence | undefined,
  call: Call,
  size: number,
): Promise<Chosen> {
  const { uid: group, identityUid } = request;
  const isPaged = identityUid === "" && (request.all || !evidence);
  if (request.pageToken !== "" && !isPaged) {
    const text = "page_token is only for pages of every identity; set all, and name no identity";
    throw invalidArgument("page_token", text);
  }
  if (identityUid !== "") {
    const { extraReads } = await find(call, parentGroup, group, {
      extraReads: [selectOne(call.db, identityUid)],
    });
    const [[row]] = extraReads;
    if (!row || !isAtOrAbove(group, row.uid)) throw notFound("iam/Identity", identityUid);
    return { rows: [row], incomplete: false, nextPageToken: "" };
  }
  return isPaged ? readPage(request, call, size) : readNearest(group, call, evidence, size);
}

async function readPage(request: DiagnoseTokenRequest, call: Call, size: number): Promise<Chosen> {
  const { uid: group, pageToken } = request;
  // Without the token: nothing may be computed from it that leaves the call. A newer token can continue.
  const query = create(DiagnoseTokenRequestSchema, { uid: group, all: true });
  const digest = await digestOf(call, query, "uid");
  const cursor = await openCursor(call, pageToken, digest);
  const page = selectPage(call.db, group, cursor?.after[1], size + 1);
  const { extraReads } = await find(call, parentGroup, group, { extraReads: [page] });
  const rows = extraReads[0].slice(0, size);
  const last = extraReads[0].length > size ? rows.at(-1) : undefined;
  const nextPageToken = await tokenAfter(call, digest, last && [last.uid, last.uid]);
  return { rows, incomplete: false, nextPageToken };
}

async function readNearest(
  group: string,
  call: Call,
  evidence: Evidence | undefined,
  size: number,
): Promise<Chosen> {
  const { issuer = "", subject = "", isOwn = false } = evidence ?? {};
  // The identity that a token of the platform belongs to can accept quite other tokens itself.
  const self = isOwn && isAtOrAbove(group, subject) ? subject : "";
  const { extraReads } = await find(call, parentGroup, group, {
    extraReads: [
      ...selectNearest(call.db, group, { issuer, subject }, size),
      selectOne(call.db, self),
    ] as const,
  });
  const [below, above, ...patterns] = [...extraReads];
  const walked: [IdentityRow[], IdentityRow[]] = [below ?? [], above ?? []];
  const statement = selectFurther(call.db, group, walked, size);
  const further = statement ? await statement : [];
  const all = [...walked.flat(), ...further, ...patterns.flat()];
  const rows = [...new Map(all.map((row) => [row.uid, row])).values()];
  return { rows, incomplete: walked.flat().length + further.length >= size, nextPageToken: "" };
}

/**
 * Verifies the signature if an identity accepts the issuer. A token of another issuer could otherwise make the
 * platform fetch from any address.
 */
async function verifySignature(
  call: Call,
  evidence: Evidence,
  rows: IdentityRow[],
): Promise<Verification & { origin?: Check }> {
  const { token, validity, issuer, subject, isOwn } = evidence;
  if (token === undefined) {
    const why = evidence.checks.some(({ kind }) => kind === TokenCheckKind.FORMAT)
      ? "The signature was not checked, because the token has other errors."
      : "The signature was not checked, because you sent only claims.";
    return notVerified(validity, why);
  }
  const isNamed = rows.some((row) => {
    const match = claimMatchOf(row);
    const isExact = match?.iss.case === "issuer" && match.iss.value === issuer;
    return isExact || (match && mayMatchIdentity(match, issuer, subject));
  });
  if (!isOwn && !isNamed) {
    const why =
      "The signature was not checked, because no identity in the response accepts the issuer. The platform fetches keys only from issuers that an identity accepts.";
    return notVerified(validity, why);
  }
  const verification = isOwn
    ? await verifyOwnOrigin(call, evidence, token)
    : await verifyWithIssuer(call, issuer, token);
  return validity === "refused" ? { ...verification, validity } : verification;
}

function checksOf(
  { config }: Call,
  evidence: Evidence,
  { check, origin }: Verification & { origin?: Check },
  judged: Judgement[],
): Check[] {
  const { checks, issuer, claims, isOwn } = evidence;
  const isReadable = Object.keys(claims).length > 0;
  const byKeys = judged.find(({ verification }) => verification?.check.outcome === PASSED);
  const signature = byKeys?.verification?.check ?? check;
  const audiences = isOwn
    ? ownTokenAudiences(config)
    : [...exchangeAudiences(config), config.audience];
  return [
    ...checks,
    ...(isReadable && issuer !== "" ? [issuerCheck(issuer, isOwn, judged)] : []),
    ...(isReadable && claims.aud !== undefined
      ? [audienceCheck(audiencesOf(claims), audiences, judged)]
      : []),
    signature,
    ...(origin ? [origin] : []),
  ];
}

function issuerCheck(issuer: string, isOwn: boolean, judged: Judgement[]): Check {
  const kind = TokenCheckKind.ISSUER;
  const isAccepted = judged.some(({ comparisons }) => comparisons[0]?.passes);
  const named = shown(JSON.stringify(issuer), 200);
  if (isOwn) return { kind, outcome: PASSED, description: "The platform issued the token." };
  if (isAccepted)
    return { kind, outcome: PASSED, description: `An identity accepts the issuer ${named}.` };
  const description = `No identity in the response accepts the issuer ${named}.`;
  return { kind, outcome: FAILED, description };
}

function audienceCheck(tokenAudiences: string[], accepted: string[], judged: Judgement[]): Check {
  const kind = TokenCheckKind.AUDIENCE;
  const named = shown(
    tokenAudiences
      .slice(0, 5)
      .map((audience) => JSON.stringify(audience))
      .join(", "),
    200,
  );
  const isOurs = tokenAudiences.some((audience) => accepted.includes(audience));
  if (isOurs)
    return { kind, outcome: PASSED, description: `The token is for the platform: ${named}.` };
  const isNamed = judged.some(
    ({ exchange, bearer, comparisons }) =>
      [exchange, bearer].some((acceptance) => acceptance === TokenAcceptance.ACCEPTED) ||
      comparisons.some(({ field, passes }) => passes && /\.audiences?(_pattern)?$/.test(field)),
  );
  if (isNamed)
    return {
      kind,
      outcome: PASSED,
      description: `An identity names the audience of the token: ${named}.`,
    };
  const description = `The token is for ${named}. Request a token for ${accepted[0]}, or name this audience in the identity.`;
  return { kind, outcome: FAILED, description };
}

/** The signatures of an image in words, and the commands that verify them on another machine. */
import { withoutControls } from "./cells.ts";
import { isObject, type JsonObject } from "./flags.ts";
import { shellQuote } from "./refusals.ts";

const listOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Returns the verdicts of a manifest. */
export const verdictsOf = ({ verdicts }: JsonObject): JsonObject[] => listOf(verdicts);

/** Returns the verdicts about a manifest that the platform has signed itself. */
export const signedVerdictsOf = ({ signedVerdicts }: JsonObject): JsonObject[] =>
  listOf(signedVerdicts);

/** Returns a line about such a verdict: `verdict of the platform about release-key, key 12ab…, sha256:34cd…`. */
export const signedVerdictText = ({ trustPolicy, keyId, digest }: JsonObject): string =>
  withoutControls(`verdict of the platform about ${trustPolicy}, key ${keyId}, ${digest}`);

/** Returns the signer: a key, an identity of an issuer, or the name in a certificate. */
export function signerOf({ keyId, issuer, subject }: JsonObject): string {
  if (keyId) return `key ${keyId}`;
  return issuer ? `${subject} of ${issuer}` : String(subject ?? "");
}

/** Returns what was signed: `signature`, or `attestation` with its type. */
export const kindOf = ({ predicateType }: JsonObject): string =>
  predicateType ? `attestation ${predicateType}` : "signature";

/** Returns whether the signatures of a manifest count, in a word: `verified`, `not verified`, or nothing without one. */
export function verdictWord(row: JsonObject): string {
  if (verdictsOf(row).some(({ predicateType }) => !predicateType)) return "verified";
  return Number(row.signatureCount ?? 0) > 0 ? "not verified" : "";
}

/** Returns a line about a verdict: `signature by key 12ab… (release-key), logged 2026-01-31T12:00:00Z`. */
export function verdictText(verdict: JsonObject): string {
  const { trustPolicy, logTime, receiveTime, expireTime } = verdict;
  const when = logTime ? `logged ${logTime}` : `pushed ${receiveTime}`;
  const end = expireTime ? `, until ${expireTime}` : "";
  return withoutControls(
    `${kindOf(verdict)} by ${signerOf(verdict)}, trusted by ${trustPolicy}, ${when}${end}`,
  );
}

/** Returns the command that verifies the same with the client of the signer. `image` has a digest. */
export function checkCommand(verdict: JsonObject, image: string): string {
  const { keyId, issuer, subject, predicateType, trustPolicyUid, logTime } = verdict;
  if (!keyId && !issuer) return `notation verify ${image}`;
  const verb = predicateType
    ? `verify-attestation --type ${shellQuote(String(predicateType))}`
    : "verify";
  if (issuer)
    return `cosign ${verb} --certificate-identity ${shellQuote(String(subject))} --certificate-oidc-issuer ${shellQuote(String(issuer))} ${image}`;
  const keys = `platformctl get trust-policy ${trustPolicyUid} --jq '.publicKeys[]' -r`;
  const log = logTime ? "" : " --insecure-ignore-tlog=true";
  return `cosign ${verb} --key <(${keys})${log} ${image}`;
}

/** Returns the command that verifies the verdicts of the platform with its key, from the address of the issuer. */
export const checkSignedCommand = (issuer: string, image: string): string =>
  `cosign verify-attestation --key <(curl -s ${issuer}/.well-known/jwks.pem) --insecure-ignore-tlog=true --type https://slsa.dev/verification_summary/v1 ${image}`;

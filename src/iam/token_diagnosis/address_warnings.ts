/** Warns of issuers and audiences that belong to someone else. */
import { IdentityWarningKind as Kind } from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import type { Identity_ClaimMatch } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { sampleOf } from "../../auth/patterns/sample.ts";
import { shown } from "./difference.ts";
import { firstMatch, matchesEverything, type Warning } from "./probes.ts";
import { strangeIssuers } from "./subject_formats.ts";

/** Audiences of well-known services. */
const knownAudiences = [
  "sts.amazonaws.com",
  "sigstore",
  "api://AzureADTokenExchange",
  "https://vault.example",
  "https://github.com/stranger",
  "https://stranger.example",
  "stranger",
];

/** Texts for the wildcards of a pattern. With one of them, the host of a stranger can come first or last. */
const fillers = [
  "stranger.example/",
  "stranger.example/x",
  ".stranger.example",
  "@stranger.example",
  "x.stranger.example",
];

export function warnOfIssuer({ iss }: Identity_ClaimMatch): Warning[] {
  if (iss.case !== "issuerPattern") return [];
  const field = "claim_match.issuer_pattern";
  if (matchesEverything(iss.value)) {
    const description =
      "The pattern matches every issuer, so anyone can run an issuer whose tokens the identity accepts. Use the exact issuer.";
    return [
      { kind: Kind.MATCHES_EVERYTHING, field, description, sample: "https://stranger.example" },
    ];
  }
  const sample = firstMatch(iss.value, [
    ...strangeIssuers,
    ...hostsOfStrangers(iss.value),
    ...withoutDot(iss.value),
  ]);
  if (sample === undefined) return [];
  const description =
    "The pattern matches an issuer of someone else. Use the exact issuer, or write \\. for a dot and [^/.]+ for a part of the host.";
  return [{ kind: Kind.OTHER_ISSUER, field, description, sample: shown(sample) }];
}

export function warnOfAudience({ aud }: Identity_ClaimMatch): Warning[] {
  if (aud.case === undefined) return [];
  const isPattern = aud.case === "audiencePattern";
  const field = isPattern ? "claim_match.audience_pattern" : "claim_match.audience";
  if (isPattern && matchesEverything(aud.value)) {
    const description =
      "The pattern matches every audience, so a token that was made for another service is accepted here. Name the audience.";
    return [{ kind: Kind.MATCHES_EVERYTHING, field, description, sample: "stranger" }];
  }
  const sample = isPattern
    ? firstMatch(aud.value, [...knownAudiences, ...hostsOfStrangers(aud.value)])
    : knownAudiences.slice(0, 3).find((audience) => audience === aud.value);
  if (sample === undefined) return [];
  const description =
    "The identity accepts tokens that were made for another service. That service, and everyone who gets such a token from it, can use the token here. Name an audience that only this platform has.";
  return [{ kind: Kind.OTHER_AUDIENCE, field, description, sample: shown(sample) }];
}

/** URLs at the host of a stranger that the pattern can match. */
const hostsOfStrangers = (pattern: string): string[] =>
  fillers
    .map((filler) => sampleOf(pattern, filler))
    .filter(
      (text) => URL.canParse(text) && /(^|\.)stranger\.example$/.test(new URL(text).hostname),
    );

/** The issuer with a dash for the dot before its domain, if the pattern is an issuer with unescaped dots. */
function withoutDot(pattern: string): string[] {
  const plain = pattern.replaceAll("\\", "").replace(/^\^|\$$/g, "");
  const end = plain.lastIndexOf(".");
  const before = end < 0 ? -1 : plain.lastIndexOf(".", end - 1);
  if (before < 0 || !URL.canParse(plain)) return [];
  return [`${plain.slice(0, before)}-${plain.slice(before + 1)}`];
}

/**
 * Warns of identities that accept more tokens than they seem to. The patterns are tried on texts that a
 * stranger could have in a token.
 */
import { IdentityWarningKind as Kind } from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import type { Identity_ClaimMatch } from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { claimMatchOf, staticKeysOf } from "../../auth/identity_matchers.ts";
import { patternCost } from "../../auth/patterns/bounds.ts";
import { claimMatchPatterns } from "../../auth/patterns/identity_patterns.ts";
import { sampleOf } from "../../auth/patterns/sample.ts";
import type { Config } from "../../config.ts";
import { warnOfAudience, warnOfIssuer } from "./address_warnings.ts";
import { warnOfAws } from "./aws_warnings.ts";
import { shown } from "./difference.ts";
import type { IdentityRow } from "./nearest.ts";
import { firstMatch, matchesEverything, type Warning } from "./probes.ts";
import {
  type PartName,
  partsOf,
  type SubjectFormat,
  strangers,
  subjectFormats,
} from "./subject_formats.ts";

/** The most instructions of a pattern that is judged. Patterns that people write have about a hundred. */
const maxInstructions = 256;

/** The most instructions of all patterns that one call judges. */
const maxInstructionsOfCall = 8192;

/** Judges the identities of one call. The patterns that it reads have a limit together. */
export function newJudge(config: Config): (row: IdentityRow) => Warning[] {
  let left = maxInstructionsOfCall;
  return (row) => {
    const match = claimMatchOf(row);
    const keys = staticKeysOf(row);
    if (keys) return warnOfReusedText(keys.subject, "static_keys.subject");
    if (!match) return warnOfAws(row);
    const patterns = claimMatchPatterns(match);
    for (const { field, pattern } of patterns) {
      const { instructions } = patternCost(pattern);
      left -= instructions;
      if (instructions > maxInstructions || left < 0) {
        const description =
          "The patterns are too large to judge here. Name the identity to judge it alone, or write shorter patterns.";
        return [{ kind: Kind.NOT_JUDGED, field, description }];
      }
    }
    return warnOfClaimMatch(config, match);
  };
}

function warnOfClaimMatch(config: Config, match: Identity_ClaimMatch): Warning[] {
  const { iss, claimPatterns } = match;
  // The subject of our own token is a uid, which is never given to anyone else.
  if (iss.case === "issuer" && iss.value === config.issuerUrl) return warnOfAudience(match);
  const loose = Object.entries(claimPatterns).filter(([, pattern]) => matchesEverything(pattern));
  const fixed = new Set([
    ...Object.keys(match.claims),
    ...Object.keys(claimPatterns).filter((name) => !loose.some(([other]) => other === name)),
  ]);
  return [
    ...warnOfIssuer(match),
    ...warnOfSubject(match, fixed),
    ...warnOfAudience(match),
    ...loose.map(([name]) => ({
      kind: Kind.MATCHES_EVERYTHING,
      field: `claim_match.claim_patterns[${JSON.stringify(name)}]`,
      description: "The pattern matches every value, so the claim only has to be there.",
      sample: "anything",
    })),
  ];
}

function warnOfSubject(match: Identity_ClaimMatch, fixed: ReadonlySet<string>): Warning[] {
  const { sub } = match;
  if (sub.case === undefined) return [];
  if (sub.case === "subject") return warnOfNames(sub.value, "claim_match.subject", fixed);
  const field = "claim_match.subject_pattern";
  if (matchesEverything(sub.value)) {
    if (fixed.size > 0) return warnOfNames("", field, fixed);
    const description =
      "The pattern matches every subject, so the identity accepts everyone who gets a token from the issuer. Write the part of the subject that is yours, or require another claim.";
    return [{ kind: Kind.MATCHES_EVERYTHING, field, description, sample: "anything" }];
  }
  for (const format of formatsOf(match)) {
    const warnings = warnOfPattern(format, sub.value, fixed);
    if (warnings) return warnings;
  }
  return [];
}

/** The form of a well-known issuer, or all forms: many issuers run on hosts of their own. */
function formatsOf({ iss }: Identity_ClaimMatch): SubjectFormat[] {
  const known = subjectFormats.filter(({ issuer }) => iss.value?.includes(issuer));
  return known.length > 0 ? known : subjectFormats;
}

/** The warnings about a pattern for subjects of this form. Undefined if the pattern is not for them. */
function warnOfPattern(
  format: SubjectFormat,
  pattern: string,
  fixed: ReadonlySet<string>,
): Warning[] | undefined {
  const field = "claim_match.subject_pattern";
  const base = baseOf(format, pattern);
  const parts = partsOf(format, base ?? "") ?? noParts;
  const isFixed = (part: PartName) => format.claims[part].some((name) => fixed.has(name));
  const { name, words } = format;
  const embedded = `ref:refs/heads/${sampleOf(pattern, "")}`;
  const stranger = firstMatch(
    pattern,
    strangers(parts.owner).flatMap((owner) => [
      format.write({ ...parts, owner }),
      format.write({ owner, project: "any", run: embedded }),
    ]),
  );
  if (!base && stranger === undefined) return undefined;
  if (stranger !== undefined && !isFixed("owner")) {
    const description = `The pattern matches subjects of other ${words.owner}s at ${name}. Write the name of the ${words.owner} with the sign after it, and no wildcard in it.`;
    return [{ kind: Kind.OTHER_OWNER, field, description, sample: shown(stranger) }];
  }
  const warnings: Warning[] = [];
  const projects = ["stranger", `${parts.project}-other`, "stranger:workspace:stranger"];
  const project = firstMatch(
    pattern,
    projects.map((projectName) => format.write({ ...parts, project: projectName })),
  );
  if (project !== undefined && words.project !== words.owner && !isFixed("project")) {
    const description = `The pattern matches more than one ${words.project} of the ${words.owner}: everyone who can run something in another one of them gets in. Write the name of the ${words.project}.`;
    warnings.push({ kind: Kind.EVERY_PROJECT, field, description, sample: shown(project) });
  }
  const runs = format.runs.map((run) => format.write({ ...parts, run }));
  const isEveryRun = runs.length > 0 && runs.every((run) => firstMatch(pattern, [run]));
  if (isEveryRun && !isFixed("run")) {
    const description = `The pattern matches every ${words.run} of the ${words.project}. Write the one that you mean.`;
    warnings.push({ kind: Kind.EVERY_RUN, field, description, sample: shown(runs[0] ?? "") });
  }
  return [...warnings, ...warnOfNames(base ?? "", field, fixed)];
}

const noParts = { owner: "any", project: "any", run: "any" };

/** A subject of this form that the pattern matches. */
const baseOf = (format: SubjectFormat, pattern: string): string | undefined =>
  firstMatch(
    pattern,
    ["", ...format.fillers]
      .map((filler) => sampleOf(pattern, filler))
      .filter((text) => partsOf(format, text) !== undefined),
  );

/** Warns of names that someone else can get later, in a subject or in the other claims. */
function warnOfNames(subject: string, field: string, fixed: ReadonlySet<string>): Warning[] {
  const format = subjectFormats.find((candidate) => partsOf(candidate, subject) !== undefined);
  const parts = format && partsOf(format, subject);
  if (format && parts) {
    if (format.isLasting?.(parts) || format.lasting.some((name) => fixed.has(name))) return [];
    return [{ kind: Kind.NAME_CAN_BE_REUSED, field, description: adviceFor(format) }];
  }
  const reused = warnOfReusedText(subject, field);
  if (reused.length > 0 || subject !== "") return reused;
  return warnOfNamedClaims(field, fixed);
}

function adviceFor({ name, words, lasting }: SubjectFormat): string {
  const start = `The subject at ${name} contains names. If the ${words.owner} or the ${words.project} is renamed or deleted, someone else can get the name, and is then accepted.`;
  const [claim, other] = lasting;
  if (claim === undefined)
    return `${start} No claim with an id can be required: limit who can create a ${words.project} in the ${words.owner}.`;
  const either = other ? `${claim} or ${other}` : claim;
  return `${start} Require the claim ${either} too, whose value is never given to anyone else.`;
}

/** For an identity whose subject says nothing: the names in the claims that it requires. */
function warnOfNamedClaims(field: string, fixed: ReadonlySet<string>): Warning[] {
  const all = [...subjectFormats, { lasting: ["oid", "sub"], names: personNames, name: "" }];
  for (const { lasting, names } of all) {
    const named = names.find((name) => fixed.has(name));
    if (named === undefined || lasting.some((name) => fixed.has(name))) continue;
    const other = lasting[0] ?? "sub";
    const description = `The identity relies on the claim ${named}, a name that someone else can get later. Require the claim ${other} too, whose value is never given to anyone else.`;
    return [{ kind: Kind.NAME_CAN_BE_REUSED, field, description }];
  }
  return [];
}

const personNames = ["email", "preferred_username", "upn", "nickname", "name"];

/** Warns of a subject that is an email address. */
function warnOfReusedText(subject: string, field: string): Warning[] {
  if (!/^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/.test(subject)) return [];
  const description =
    "The subject is an email address. When the person or account is deleted, someone else can get the address. Use a subject or a claim with an id, if the issuer has one.";
  return [{ kind: Kind.NAME_CAN_BE_REUSED, field, description }];
}

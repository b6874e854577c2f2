/** A VEX statement as a person makes it in the form, and the OpenVEX document that says the same. */
import type { Finding, JsonObject } from "../../client/index.ts";
import { isAtOrAbove, parentOf } from "../data/uids.ts";
import { isResolved } from "../elements/finding_marks.tsx";
import { commonId } from "./groups.ts";

/** The statuses as documents name them, and their words. */
export const statuses = [
  ["not_affected", "Not affected"],
  ["affected", "Affected"],
  ["fixed", "Fixed"],
  ["under_investigation", "Under investigation"],
] as const;

export type VexStatus = (typeof statuses)[number][0];

/** The reasons of "not affected" as documents name them, and their words. */
export const justifications = [
  ["component_not_present", "The image does not contain the package"],
  ["vulnerable_code_not_present", "The package does not contain the vulnerable code"],
  ["vulnerable_code_not_in_execute_path", "The vulnerable code never runs"],
  [
    "vulnerable_code_cannot_be_controlled_by_adversary",
    "An attacker cannot control the vulnerable code",
  ],
  ["inline_mitigations_already_exist", "The image already prevents an attack"],
] as const;

export type Justification = (typeof justifications)[number][0];

/** The product of a statement: one image, or all images of a repository. */
export interface VexTarget {
  repoUid: string;
  repoName: string;
  /** The digest of the image. Empty for the repository. */
  digest: string;
  /** The tags that lead to the image. */
  tags: readonly string[];
}

/** The content of the form. */
export interface Draft {
  target: VexTarget;
  status: VexStatus;
  /** Empty until the person has chosen one. */
  justification: Justification | "";
  note: string;
}

/** The repositories with findings, each before its images. */
export function targetsOf(findings: readonly Finding[]): VexTarget[] {
  const byRepo = Map.groupBy(findings, ({ repoUid = "" }) => repoUid);
  return [...byRepo].flatMap(([repoUid, rows]) => {
    const repoName = rows[0]?.repoName ?? "";
    const images = new Map(rows.map(({ digest = "", tags = [] }) => [digest, tags]));
    const repository = { repoUid, repoName, digest: "", tags: [] };
    return [repository, ...[...images].map(([digest, tags]) => ({ ...repository, digest, tags }))];
  });
}

/** The findings that a statement is about. It names a repository, so those of the same name below its group count too. */
export const coveredBy = (
  { repoUid, repoName, digest }: VexTarget,
  findings: readonly Finding[],
): Finding[] =>
  findings.filter(
    (row) =>
      row.repoName === repoName &&
      isAtOrAbove(parentOf(repoUid), row.repoUid ?? "") &&
      (digest === "" || row.digest === digest),
  );

/** Whether a finding with this status needs no work any more. */
export const isClosing = (status: VexStatus): boolean =>
  status === "not_affected" || status === "fixed";

/** The findings that the statement would end, or open again. */
export const changedBy = (status: VexStatus, covered: readonly Finding[]): Finding[] =>
  covered.filter((row) => isResolved(row) !== isClosing(status));

/** The field of the document that has the note. The platform keeps no note about an investigation. */
export const noteFields: Partial<Record<VexStatus, string>> = {
  not_affected: "impact_statement",
  affected: "action_statement",
  fixed: "status_notes",
};

/** More ids of one vulnerability are not sent. It is the limit of the platform. */
const maxAliases = 100;

/** The document. `covered` is not empty. `now` is in milliseconds since 1970 UTC. */
export function documentOf(
  { target, status, justification, note }: Draft,
  covered: readonly Finding[],
  { id, author, now }: { id: string; author: string; now: number },
): JsonObject {
  const ids = covered.flatMap(({ vulnerabilityId = "", aliases = [] }) => [
    vulnerabilityId,
    ...aliases,
  ]);
  const name = covered[0] ? commonId(covered[0]) : "";
  const aliases = [...new Set(ids)].filter((other) => other !== "" && other !== name);
  const field = noteFields[status];
  return {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": id,
    author,
    version: 1,
    timestamp: new Date(Math.max(now, lastStatement(covered) + 1)).toISOString(),
    statements: [
      {
        vulnerability: { name, aliases: aliases.slice(0, maxAliases) },
        products: [productOf(target, covered)],
        status,
        ...(status === "not_affected" ? { justification } : {}),
        ...(field && note.trim() !== "" ? { [field]: note.trim() } : {}),
      },
    ],
  };
}

/** The newest statement counts, and the clock of the browser can be behind. In milliseconds, 0 for none. */
const lastStatement = (covered: readonly Finding[]) =>
  Math.max(0, ...covered.map(({ vex }) => Date.parse(vex?.statementTime ?? "") || 0));

/**
 * The image or the repository, with the packages as its parts. A package without a package URL cannot be named exactly,
 * so the statement is then about the whole image.
 */
function productOf({ repoName, digest }: VexTarget, covered: readonly Finding[]): JsonObject {
  const version = digest === "" ? "" : `@${encodeURIComponent(digest)}`;
  const product = { "@id": `pkg:oci/${encodeURIComponent(repoName)}${version}` };
  const parts = new Set(covered.map((row) => unversioned(row.package?.purl ?? "")));
  if (parts.has("")) return product;
  return { ...product, subcomponents: [...parts].map((purl) => ({ "@id": purl })) };
}

/** A package URL without its version and its qualifiers, which the next build can change. */
const unversioned = (purl: string) => purl.replace(/[?#].*$/s, "").replace(/@[^@/]*$/, "");

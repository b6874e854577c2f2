/**
 * The requirements that a rule can have for an image. Each kind is one entry of {@link kinds}: what the database knows of
 * an image, and whether that is enough. A new kind is a field of `ImageRequirement` in the proto, an entry here, and its
 * test.
 */
import { type SQL, sql } from "drizzle-orm";
import type { FindingSeverity } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import type {
  ImageRequirement,
  LabelRequirement,
  NoFindings,
  SignatureRequirement,
  SignedByRequirement,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { matcher } from "../../aip/name_pattern.ts";
import { type FixableFindings, fixableSql, readFixable } from "../findings/fixable.ts";
import { type Signer, signersSql } from "../images/signatures.ts";
import { type Signing, signingsSql } from "../images/verdicts.ts";

/** The part of a stored image configuration that requirements are about. */
export interface ImageConfig {
  labels?: Record<string, string>;
}

/**
 * An image in SQL: the uid of its repository, its digest, and the digest that was asked about, which is that of its index
 * or its own.
 */
export interface ImageSql {
  repo: SQL;
  digest: SQL;
  of: SQL;
}

/** A kind of requirement. `Asked` is its field in the proto, and `Known` what is known of an image. */
interface RequirementKind<Asked, Known> {
  /** SQL: what is known, as JSON. */
  known: (image: ImageSql) => SQL;
  /** Reads that JSON. `host` is that of the registry. By default it is taken as it is. */
  read?: (json: unknown, host: string) => Promise<Known>;
  /** Reads the configuration of a pushed image, before the database has it. */
  ofConfig?: (config: ImageConfig) => Known | undefined;
  /** Why the image does not meet the requirement. Undefined if it does. */
  missing: (asked: Asked, known: Known | undefined) => string | undefined;
}

/** A cast, because the compiler does not know that a field and what is known belong to the same kind. */
const kind = <Asked, Known>(one: RequirementKind<Asked, Known>) =>
  one as RequirementKind<unknown, unknown>;

/** The fields of the proto. */
export type RequirementName = Exclude<keyof ImageRequirement, `$${string}`>;

const sbom = kind<boolean, number>({
  known: ({ repo, digest, of }) =>
    sql`exists (select 1 from ${sboms} as "document" where "document"."parent" = ${repo}
      and "document"."digest" in (${digest}, ${of}))`,
  missing: (_, known) => (known ? undefined : "has no SBOM"),
});

const severityNames = ["", "unrated", "negligible", "low", "medium", "high", "critical"];

const noFindings = kind<NoFindings, FixableFindings>({
  known: fixableSql,
  read: readFixable,
  missing({ minSeverity, allowUnknown }, known) {
    const { isUnscanned = known === undefined, worst = 0, unread = 0 } = known ?? {};
    if (worst >= minSeverity) return `has a finding of severity ${nameOf(worst)} with a fix`;
    if (unread >= minSeverity) return "has too many findings with a fix to look at each";
    return isUnscanned && !allowUnknown ? "has no vulnerability report" : undefined;
  },
});

const nameOf = (severity: FindingSeverity) => severityNames[severity] ?? "";

const label = kind<LabelRequirement, Record<string, string>>({
  known: ({ repo, digest }) =>
    sql`(select "labelled"."config" -> '$.labels' from ${manifests} as "labelled"
      where "labelled"."parent" = ${repo} and "labelled"."digest" = ${digest})`,
  ofConfig: ({ labels }) => labels,
  missing({ name, value }, known) {
    const own = known?.[name];
    if (own === value) return undefined;
    return own === undefined ? `has no label ${name}` : `has the label ${name} with another value`;
  },
});

const signature = kind<SignatureRequirement, Signer[]>({
  known: ({ repo, digest, of }) => signersSql(repo, sql`${digest}, ${of}`),
  missing({ issuer, subject }, known = []) {
    const isSubject = matcher(subject);
    const isSigned = known.some((one) => one.issuer === issuer && isSubject(one.subject));
    return isSigned ? undefined : `has no verified signature by ${subject} of ${issuer}`;
  },
});

const signedBy = kind<SignedByRequirement, Signing[]>({
  known: ({ repo, digest, of }) => signingsSql(repo, sql`${digest}, ${of}`),
  missing({ trustPolicyUid, predicateType }, known = []) {
    const isSigned = known.some(
      (one) => one.trustPolicyUid === trustPolicyUid && one.predicateType === predicateType,
    );
    const what = predicateType === "" ? "signature" : `attestation ${predicateType}`;
    return isSigned ? undefined : `has no ${what} that the trust policy ${trustPolicyUid} trusts`;
  },
});

const kinds: Record<RequirementName, RequirementKind<unknown, unknown>> = {
  sbom,
  noFindings,
  label,
  signature,
  signedBy,
};

/** The knowledge about an image, by the name of the requirement. */
export type KnownOfImage = { [Name in RequirementName]?: unknown };

/** SQL: what is known of an image, as a JSON object with these names. */
export const knownSql = (image: ImageSql, names: ReadonlySet<RequirementName>): SQL =>
  sql`json_object(${sql.join(
    [...names].map((name) => sql`${sql.raw(`'${name}'`)}, json(${kinds[name].known(image)})`),
    sql`, `,
  )})`;

/** Reads the result of {@link knownSql}. `host` is that of the registry. */
export async function readKnown(json: KnownOfImage, host: string): Promise<KnownOfImage> {
  const read = Object.entries(kinds).map(async ([name, { read: convert }]) => {
    const value = json[name as RequirementName] ?? undefined;
    return [name, convert && value !== undefined ? await convert(value, host) : value];
  });
  return Object.fromEntries(await Promise.all(read));
}

/** The knowledge about an image from its pushed configuration. */
export const knownOfConfig = (config: ImageConfig): KnownOfImage =>
  Object.fromEntries(
    Object.entries(kinds).flatMap(([name, { ofConfig }]) =>
      ofConfig ? [[name, ofConfig(config)]] : [],
    ),
  );

/** Why an image does not meet a requirement: the first reason. Undefined if it does. */
export function missingOf(requirement: ImageRequirement, known: KnownOfImage): string | undefined {
  for (const [name, asked] of settingsOf(requirement)) {
    const missing = kinds[name].missing(asked, known[name]);
    if (missing !== undefined) return missing;
  }
  return undefined;
}

/** The requirements that are set. */
export const settingsOf = (requirement: ImageRequirement): [RequirementName, unknown][] =>
  (Object.keys(kinds) as RequirementName[]).flatMap((name): [RequirementName, unknown][] => {
    const asked = requirement[name];
    return asked === undefined || asked === false ? [] : [[name, asked]];
  });

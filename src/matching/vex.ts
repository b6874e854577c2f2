/** Finds the VEX statement that applies to a finding. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import {
  type UnappliedStatement,
  UnappliedStatementSchema,
  type VexStatement,
  VexStatementSchema,
  VexStatus,
} from "../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { groups } from "../../schema/tables/iam/groups.ts";
import { examinedImages, findings } from "../../schema/tables/registry/findings.ts";
import { indexEntries } from "../../schema/tables/registry/index_entries.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import {
  APPROVED,
  advisories,
  advisoryEvents,
  EVENT_TYPE,
} from "../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryProducts } from "../../schema/tables/vulnerabilities/advisory_products.ts";
import {
  type StoredComponent,
  vexSubjects,
} from "../../schema/tables/vulnerabilities/vex_subjects.ts";
import {
  allOf,
  imageScope,
  type Purls,
  packageScope,
  purlOf,
  rangeOf,
  type Scope,
  type VexTarget,
} from "./vex_scope.ts";

/** An advisory about a vulnerability and a product with the name of the repository or of the package. */
interface Candidate {
  uid: string;
  advisoryId: string;
  artifactName: string;
  artifactType: string;
  /** The path of the repository, from the organization on. */
  repoPath: string;
  componentName: string;
  componentLocation: string;
  componentType: string;
  product: StoredComponent | null;
  subcomponent: StoredComponent | null;
  event: {
    type: number;
    time: number;
    detail: { type?: string; fixedVersion?: string; patchedVersions?: string[] };
  } | null;
}

/** The most advisories that are looked at for one finding. With more, none of them ends it. */
const maxCandidates = 200;

const newestEvent = sql`(select json_object('type', "event"."type", 'time', "event"."create_time", 'detail', json("event"."detail"))
  from ${advisoryEvents} as "event" where "event"."advisory_uid" = "product"."advisory_uid"
    and "event"."review_state" = ${sql.raw(String(APPROVED))}
    and "event"."type" <= ${sql.raw(String(EVENT_TYPE.patched))}
  order by "event"."create_time" desc, "event"."uid" desc limit 1)`;

const repoName = sql`(select "repo"."name" from ${repos} as "repo" where "repo"."uid" = ${findings.parent})`;

/** The name of a group above the repository and a slash. Empty for a level without a group. */
const groupStep = (ancestor: SQLWrapper) =>
  sql`coalesce((select "above"."name" || '/' from ${groups} as "above" where "above"."uid" = ${ancestor}), '')`;

const repoPath = sql.join(
  [
    findings.ancestor0,
    findings.ancestor1,
    findings.ancestor2,
    findings.ancestor3,
    findings.ancestor4,
  ]
    .map(groupStep)
    .concat(repoName),
  sql` || `,
);

/** Leaves out what is about the digest of another image. There can be one for each image that was pushed. */
const namesThisImage = sql`("subject"."product" is null or not "subject"."product" glob '*sha256[:%]*'
  or instr("subject"."product", substr(${examinedImages.digest}, 8)) > 0
  or exists (select 1 from ${indexEntries} as "entry" where "entry"."repo_uid" = ${findings.parent}
    and "entry"."digest" = ${examinedImages.digest} and instr("subject"."product", substr("entry"."index_digest", 8)) > 0))`;

/** The advisories about a row of `findings` in the groups above it, as JSON of {@link Candidate}. */
export const candidatesSql: SQL<string> = sql<string>`(select json_group_array(json("candidate")) from (
  select json_object('uid', "advisory"."uid", 'advisoryId', "advisory"."advisory_id",
    'artifactName', "advisory"."artifact_name", 'artifactType', "advisory"."artifact_type",
    'componentName', "advisory"."component_name", 'componentLocation', "advisory"."component_location",
    'componentType', "advisory"."component_type", 'repoPath', ${repoPath},
    'product', json("subject"."product"), 'subcomponent', json("subject"."subcomponent"), 'event', json(${newestEvent})) as "candidate"
  from ${advisoryProducts} as "product"
  cross join ${advisories} as "advisory" on "advisory"."uid" = "product"."advisory_uid"
  left join ${vexSubjects} as "subject" on "subject"."uid" = "product"."advisory_uid"
  where "product"."alias" in (select upper("id"."value")
      from json_each(json_insert(${findings.aliases}, '$[#]', ${findings.vulnerabilityId})) as "id")
    and "product"."product" in (${repoName}, ${findings.productName})
    and "product"."group_uid" in (${findings.ancestor0}, ${findings.ancestor1}, ${findings.ancestor2},
      ${findings.ancestor3}, ${findings.ancestor4})
    and "advisory"."delete_time" is null and ${namesThisImage} limit ${maxCandidates + 1}))`;

/** An applicable statement with its rank: about the image first, then in the lowest group, then the newest. */
interface Applicable {
  candidate: Candidate;
  statement: VexStatement;
  time: number;
}

/** The statement that applies to a finding, and those that would end it and cannot be applied exactly. */
export interface AppliedVex {
  statement: VexStatement | undefined;
  unapplied: UnappliedStatement[];
}

/** The most statements that are shown with a finding. */
const maxUnapplied = 5;

/** The result of the statements for the target. `host` is that of the registry. */
export function vexOf(json: string, target: VexTarget, host: string, purls: Purls): AppliedVex {
  const candidates: Candidate[] = JSON.parse(json);
  const applicable: Applicable[] = [];
  const unapplied: UnappliedStatement[] = [];
  for (const candidate of candidates) {
    const result = apply(candidate, target, host, purls);
    if (result && "statement" in result) applicable.push(result);
    else if (result && unapplied.length < maxUnapplied) unapplied.push(result);
  }
  const [best] = applicable.sort(
    (a, b) =>
      Number(b.statement.aboutImage) - Number(a.statement.aboutImage) ||
      b.candidate.uid.length - a.candidate.uid.length ||
      b.time - a.time ||
      (a.candidate.uid < b.candidate.uid ? -1 : 1),
  );
  const statement = best?.statement;
  if (!statement || candidates.length <= maxCandidates || !closing.includes(statement.status))
    return { statement, unapplied };
  const reason = `there are more than ${maxCandidates} statements about it`;
  return { statement: undefined, unapplied: [toUnapplied(statement, reason), ...unapplied] };
}

const toUnapplied = (
  { status, advisoryUid, advisoryId }: Pick<VexStatement, "status" | "advisoryUid" | "advisoryId">,
  reason: string,
) => create(UnappliedStatementSchema, { status, advisoryUid, advisoryId, reason });

const closing = [VexStatus.NOT_AFFECTED, VexStatus.FIXED];

function apply(
  candidate: Candidate,
  target: VexTarget,
  host: string,
  purls: Purls,
): Applicable | UnappliedStatement | undefined {
  const { event, uid: advisoryUid, advisoryId } = candidate;
  if (!event) return undefined;
  const image = aboutImage(candidate, target, host, purls);
  const scope = image === false ? aboutPackage(candidate, target, purls) : image;
  if (scope === false) return undefined;
  const status = statusOf(candidate, event, target, image !== false, purls);
  if (status === undefined) return undefined;
  if (scope !== true) {
    if (!closing.includes(status)) return undefined;
    return toUnapplied({ status, advisoryUid, advisoryId }, scope.unclear);
  }
  const statement = create(VexStatementSchema, {
    status,
    aboutImage: image !== false,
    advisoryUid,
    advisoryId,
    justification:
      status === VexStatus.NOT_AFFECTED ? (justifications[event.detail.type ?? ""] ?? "") : "",
    statementTime: timestampFromMs(event.time),
  });
  return { candidate, statement, time: event.time };
}

/** Whether the product is the image, and the part of it is the package, if the statement names a part. */
function aboutImage(candidate: Candidate, target: VexTarget, host: string, purls: Purls): Scope {
  const { artifactName, artifactType, product, subcomponent, componentName } = candidate;
  const productPurl = product ? purlOf(product, purls) : undefined;
  const isImage = productPurl
    ? productPurl.artifactType === "image"
    : !product && artifactType === "image";
  const { repoPath: path } = candidate;
  const names = [target.repoName, path.slice(path.indexOf("/") + 1)];
  if (!isImage || !names.includes(artifactName)) return false;
  const image = imageScope(productPurl, product ?? {}, target, `${host}/${path}`);
  if (image === false) return false;
  if (subcomponent) {
    const part = packageScope(subcomponent, componentName, target, purls);
    return part === false ? false : allOf(image, part);
  }
  if (product || componentName === artifactName || componentName === "") return image;
  return packageScope(writtenComponent(candidate, purls), componentName, target, purls);
}

/** The component of an advisory that a person wrote: a package URL, or else its ecosystem and its name. */
function writtenComponent(
  { componentLocation: location, componentType: type, componentName: name }: Candidate,
  { readPurl, toPurl }: Purls,
): StoredComponent {
  return { "@id": readPurl(location) ? location : toPurl({ type, name, architecture: "" }) };
}

/** Whether the product is the package itself. A statement about a part of a package is about less. */
function aboutPackage(candidate: Candidate, target: VexTarget, purls: Purls): Scope {
  const { subcomponent, product, artifactName, artifactType, componentName } = candidate;
  if (subcomponent || (componentName !== artifactName && componentName !== "")) return false;
  if (product) return packageScope(product, artifactName, target, purls);
  if (target.package && target.package.artifactType !== artifactType) return false;
  return packageScope(writtenComponent(candidate, purls), artifactName, target, purls);
}

/** Undefined if the event says nothing about the package in this version. */
function statusOf(
  { product, subcomponent }: Candidate,
  { type, detail }: NonNullable<Candidate["event"]>,
  { digests, tags, packageVersion }: VexTarget,
  aboutImage: boolean,
  purls: Purls,
): VexStatus | undefined {
  switch (type) {
    case EVENT_TYPE.falsePositive:
      return VexStatus.NOT_AFFECTED;
    case EVENT_TYPE.truePositive:
    case EVENT_TYPE.fixNotPlanned:
    case EVENT_TYPE.pendingUpstreamFix:
      return VexStatus.AFFECTED;
    case EVENT_TYPE.fixed:
    case EVENT_TYPE.patched: {
      // Its versions are those of its range.
      const stated = subcomponent ?? product;
      if (stated && rangeOf(stated, purls) !== undefined) return VexStatus.FIXED;
      const versions = [detail.fixedVersion, ...(detail.patchedVersions ?? [])].filter(Boolean);
      const own = aboutImage ? [...digests, ...tags, packageVersion] : [packageVersion];
      const isOne = versions.some((version) => own.includes(String(version)));
      return versions.length === 0 || isOne ? VexStatus.FIXED : undefined;
    }
    default:
      return VexStatus.UNDER_INVESTIGATION;
  }
}

/** The justifications of VEX by the reason in an event (contract: advisory events). */
const justifications: Record<string, string> = {
  TYPE_VULNERABILITY_RECORD_ANALYSIS_CONTESTED: "vulnerable_code_not_present",
  TYPE_COMPONENT_VULNERABILITY_MISMATCH: "component_not_present",
  TYPE_VULNERABLE_CODE_VERSION_NOT_USED: "vulnerable_code_not_present",
  TYPE_VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE: "vulnerable_code_not_present",
  TYPE_VULNERABLE_CODE_NOT_IN_EXECUTION_PATH: "vulnerable_code_not_in_execute_path",
  TYPE_VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY:
    "vulnerable_code_cannot_be_controlled_by_adversary",
  TYPE_INLINE_MITIGATIONS_EXIST: "inline_mitigations_already_exist",
};

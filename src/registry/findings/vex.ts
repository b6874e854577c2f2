/** Finds the VEX statement that applies to a finding. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type SQL, sql } from "drizzle-orm";
import {
  type VexStatement,
  VexStatementSchema,
  VexStatus,
} from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import {
  EventTypeFilter as EventType,
  ReviewState,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { findings } from "../../../schema/tables/registry/findings.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryProducts } from "../../../schema/tables/vulnerabilities/advisory_products.ts";
import {
  type StoredComponent,
  vexSubjects,
} from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import type { PurlPackage } from "../../packages/purls.ts";

/** An advisory about a vulnerability and a product with the name of the repository or of the package. */
interface Candidate {
  uid: string;
  advisoryId: string;
  artifactName: string;
  artifactType: string;
  componentName: string;
  componentLocation: string;
  product: StoredComponent | null;
  productVersion: string | null;
  subcomponent: StoredComponent | null;
  event: {
    type: number;
    time: number;
    detail: { type?: string; fixedVersion?: string; patchedVersions?: string[] };
  } | null;
}

/** The most advisories that are looked at for one finding. */
const maxCandidates = 50;

const newestEvent = sql`(select json_object('type', "event"."type", 'time', "event"."create_time", 'detail', json("event"."detail"))
  from ${advisoryEvents} as "event" where "event"."advisory_uid" = "product"."advisory_uid"
    and "event"."review_state" = ${sql.raw(String(ReviewState.APPROVED))}
    and "event"."type" <= ${sql.raw(String(EventType.PATCHED))}
  order by "event"."create_time" desc, "event"."uid" desc limit 1)`;

const repoName = sql`(select "repo"."name" from ${repos} as "repo" where "repo"."uid" = ${findings.parent})`;

/** The advisories about a row of `findings` in the groups above it, as JSON of {@link Candidate}. */
export const candidatesSql: SQL<string> = sql<string>`(select json_group_array(json("candidate")) from (
  select json_object('uid', "advisory"."uid", 'advisoryId', "advisory"."advisory_id",
    'artifactName', "advisory"."artifact_name", 'artifactType', "advisory"."artifact_type",
    'componentName', "advisory"."component_name", 'componentLocation', "advisory"."component_location",
    'product', json("subject"."product"), 'productVersion', "subject"."product_version",
    'subcomponent', json("subject"."subcomponent"), 'event', json(${newestEvent})) as "candidate"
  from ${advisoryProducts} as "product"
  cross join ${advisories} as "advisory" on "advisory"."uid" = "product"."advisory_uid"
  left join ${vexSubjects} as "subject" on "subject"."uid" = "product"."advisory_uid"
  where "product"."alias" in (select upper("id"."value")
      from json_each(json_insert(${findings.aliases}, '$[#]', ${findings.vulnerabilityId})) as "id")
    and "product"."product" in (${repoName}, ${findings.productName})
    and "product"."group_uid" in (${findings.ancestor0}, ${findings.ancestor1}, ${findings.ancestor2},
      ${findings.ancestor3}, ${findings.ancestor4})
    and "advisory"."delete_time" is null limit ${maxCandidates}))`;

/** The package in an image that a statement can be about. */
export interface VexTarget {
  repoName: string;
  /** The digests of the image and of the image indexes that contain it. */
  digests: string[];
  tags: string[];
  /** Undefined without a package URL. */
  package: PurlPackage | undefined;
  packageName: string;
  packageVersion: string;
}

export type ReadPurl = (text: string) => PurlPackage | undefined;

/** An applicable statement with its rank: about the image first, then in the lowest group, then the newest. */
interface Applicable {
  candidate: Candidate;
  statement: VexStatement;
  time: number;
}

/** The statement that applies to the target. Undefined if there is none. */
export function vexOf(
  json: string,
  target: VexTarget,
  readPurl: ReadPurl,
): VexStatement | undefined {
  const candidates: Candidate[] = JSON.parse(json);
  const applicable = candidates.flatMap((candidate) => {
    const applied = apply(candidate, target, readPurl);
    return applied ? [applied] : [];
  });
  const [best] = applicable.sort(
    (a, b) =>
      Number(b.statement.aboutImage) - Number(a.statement.aboutImage) ||
      b.candidate.uid.length - a.candidate.uid.length ||
      b.time - a.time ||
      (a.candidate.uid < b.candidate.uid ? -1 : 1),
  );
  return best?.statement;
}

function apply(
  candidate: Candidate,
  target: VexTarget,
  readPurl: ReadPurl,
): Applicable | undefined {
  const { event, uid, advisoryId } = candidate;
  if (!event) return undefined;
  const aboutImage = isAboutImage(candidate, target, readPurl);
  if (!aboutImage && !isAboutPackage(candidate, target, readPurl)) return undefined;
  const status = statusOf(event, target, aboutImage);
  if (status === undefined) return undefined;
  const statement = create(VexStatementSchema, {
    ...{ status, aboutImage, advisoryUid: uid, advisoryId },
    justification:
      status === VexStatus.NOT_AFFECTED ? (justifications[event.detail.type ?? ""] ?? "") : "",
    statementTime: timestampFromMs(event.time),
  });
  return { candidate, statement, time: event.time };
}

/** The package URL of a component in a document. */
const purlOf = ({ identifiers, "@id": id = "" }: StoredComponent, readPurl: ReadPurl) =>
  readPurl(identifiers?.purl ?? id);

const productOf = ({ product }: Candidate, readPurl: ReadPurl) =>
  product ? purlOf(product, readPurl) : undefined;

/** Whether the product is the image, and the part of it is the package, if the statement names a part. */
function isAboutImage(candidate: Candidate, target: VexTarget, readPurl: ReadPurl): boolean {
  const { artifactName, artifactType, subcomponent, componentName, componentLocation } = candidate;
  const product = productOf(candidate, readPurl);
  const isImage = product ? product.artifactType === "image" : artifactType === "image";
  if (!isImage || artifactName !== target.repoName) return false;
  const version = product?.version || (candidate.productVersion ?? "");
  if (version !== "" && ![...target.digests, ...target.tags].includes(version)) return false;
  if (subcomponent) return isPackage(purlOf(subcomponent, readPurl), componentName, target);
  if (candidate.product || componentName === artifactName || componentName === "") return true;
  return isPackage(readPurl(componentLocation), componentName, target);
}

/** Whether the product is the package itself. A statement about a part of a package is about less. */
function isAboutPackage(candidate: Candidate, target: VexTarget, readPurl: ReadPurl): boolean {
  const { subcomponent, product, artifactName, artifactType, componentName } = candidate;
  if (subcomponent || (componentName !== artifactName && componentName !== "")) return false;
  const found = productOf(candidate, readPurl);
  if (product && !found) return false;
  if (found) {
    return (
      isPackage(found, artifactName, target) &&
      ["", target.packageVersion].includes(candidate.productVersion ?? "")
    );
  }
  const own = target.package;
  return own !== undefined && own.artifactType === artifactType && own.name === artifactName;
}

/** Whether a component of a document is the package. Without a package URL, its name decides. */
function isPackage(found: PurlPackage | undefined, name: string, target: VexTarget): boolean {
  const own = target.package;
  if (!found || !own) return name === (own?.name ?? target.packageName);
  if (found.purlType !== own.purlType || found.name !== own.name) return false;
  if (found.namespace !== "" && found.namespace !== own.namespace) return false;
  return found.version === "" || found.version === own.version;
}

/** Undefined if the event says nothing about the package in this version. */
function statusOf(
  { type, detail }: NonNullable<Candidate["event"]>,
  { digests, tags, packageVersion }: VexTarget,
  aboutImage: boolean,
): VexStatus | undefined {
  switch (type) {
    case EventType.FALSE_POSITIVE_DETERMINATION:
      return VexStatus.NOT_AFFECTED;
    case EventType.TRUE_POSITIVE_DETERMINATION:
    case EventType.FIX_NOT_PLANNED:
    case EventType.PENDING_UPSTREAM_FIX:
      return VexStatus.AFFECTED;
    case EventType.FIXED:
    case EventType.PATCHED: {
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

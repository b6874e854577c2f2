/** The findings of an image that could be fixed, and that no VEX statement resolves. Those in an unknown state do not count. */
import { type SQL, sql } from "drizzle-orm";
import { VexStatus } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { examinedImages, findings } from "../../../schema/tables/registry/findings.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { indexDigestsSql, readTags, tagNamesSql } from "../../matching/image_tags.ts";
import { candidatesSql, vexOf } from "../../matching/vex.ts";

/** The most findings of an image that are looked at, the most severe first. */
const maxFindings = 200;

/** The findings of an image with a report or an SBOM, in short. */
export interface FixableFindings {
  /** Only the SBOM has been looked at, and no scanner has reported. */
  isUnscanned?: true;
  /** The highest severity among them, as FindingSeverity. 0 if there is none. */
  worst: number;
  /** The severity of the most severe one that was not looked at. 0 if all were. */
  unread: number;
}

type Image = Parameters<typeof tagNamesSql>[0];

interface Row {
  severity: number;
  /** The VEX statements that could be about it, as text. */
  candidates: string;
  package: string;
  version: string;
  purl: string;
}

interface Report {
  repoName: string;
  digest: string;
  /** 1 if no scanner has reported. */
  unscanned: number;
  tags: string;
  indexes: string;
  /** The severity of the most severe finding that was not looked at. Null if all were. */
  unread: number | null;
  looked: {
    /** The highest severity of those that no VEX statement can be about. 0 if there is none. */
    plain: number;
    /** Those that a VEX statement can be about. */
    vexed: Row[];
  };
}

const fixable = sql`from ${findings} where ${findings.imageUid} = ${examinedImages.uid} and ${findings.hasFix} = 1
  and ${findings.unknown} = ''
  order by ${findings.severity} desc`;

/** SQL: `looked`. Most findings are in no VEX statement, and only their severity counts. */
const lookedSql = sql`(select json_object(
    'plain', coalesce(max(iif("candidates" = '[]', "severity", 0)), 0),
    'vexed', json_group_array(json_object('severity', "severity", 'candidates', "candidates",
      'package', "package", 'version', "version", 'purl', "purl")) filter (where "candidates" <> '[]'))
  from (select ${findings.severity} as "severity", ${candidatesSql} as "candidates", ${findings.packageName} as "package",
    ${findings.packageVersion} as "version", ${findings.purl} as "purl" ${fixable} limit ${maxFindings}))`;

/** SQL: the findings of an image, as JSON that {@link readFixable} reads. Null without a report and an SBOM. */
export const fixableSql = ({ repo, digest }: Image) => {
  const ifVexed = (text: SQL) =>
    sql`iif(json_array_length("looked", '$.vexed') = 0, '[]', ${text} || '')`;
  return sql`(select json_object(
      'repoName', (select "named"."name" from ${repos} as "named" where "named"."uid" = ${repo}),
      'digest', ${digest}, 'unscanned', "unscanned", 'tags', ${ifVexed(tagNamesSql({ repo, digest }))},
      'indexes', ${ifVexed(indexDigestsSql({ repo, digest }))}, 'looked', json("looked"), 'unread', "unread")
    from (select ${examinedImages.reportUid} is null as "unscanned", ${lookedSql} as "looked", (select ${findings.severity} ${fixable} limit 1 offset ${maxFindings}) as "unread"
      from ${examinedImages} where ${examinedImages.parent} = ${repo} and ${examinedImages.digest} = ${digest}
 limit 1))`;
};

/** Reads the result of {@link fixableSql}. `host` is that of the registry. */
export async function readFixable(report: unknown, host: string): Promise<FixableFindings> {
  // A cast, because only `fixableSql` writes this JSON.
  const { repoName, digest, unscanned, tags: names, indexes, looked, unread } = report as Report;
  const { plain, vexed } = looked;
  const scan = unscanned === 1 ? ({ isUnscanned: true } as const) : {};
  if (vexed.length === 0) return { ...scan, worst: plain, unread: unread ?? 0 };
  const purls = await import("../../packages/purls.ts");
  const digests = [digest, ...(JSON.parse(indexes) as string[])];
  const isOpen = ({ candidates, package: packageName, version: packageVersion, purl }: Row) => {
    const read = purl === "" ? undefined : purls.readPurl(purl);
    const image = { repoName, digests, tags: readTags(names) };
    const target = { ...image, package: read, packageName, packageVersion };
    const { statement } = vexOf(candidates, target, host, purls);
    return statement?.status !== VexStatus.NOT_AFFECTED && statement?.status !== VexStatus.FIXED;
  };
  const open = vexed.filter(isOpen).map(({ severity }) => severity);
  return { ...scan, worst: Math.max(plain, ...open), unread: unread ?? 0 };
}

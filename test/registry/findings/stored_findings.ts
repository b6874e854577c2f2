/** Stores reports and SBOMs of images that contain log4j-core. */
import { createResource, type Organization } from "../../world/personas.ts";
import { putSbom } from "../images/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "../vuln_reports/grype_reports.ts";

const purlOf = (version: string) => `pkg:maven/org.apache.logging.log4j/log4j-core@${version}`;

export const newRepoNamed = async ({ uid, owner }: Organization, name: string): Promise<string> =>
  (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name })).uid;

/** A report that finds CVE-2021-44228 in these versions. */
export function putReport(token: string, repo: string, digest: string, versions: string[]) {
  const matches = versions.map((version) =>
    matchOf("CVE-2021-44228", "Critical", {
      artifact: { name: "log4j-core", version, purl: purlOf(version) },
      fix: { versions: ["2.17.1"], state: "fixed" },
      related: [],
    }),
  );
  const content = packedReport(grypeReport(matches));
  return createResource(`/registry/v2/vulnReports/${repo}`, token, { digest, content });
}

/** An SBOM with these versions. */
export const putBom = (
  organization: Organization,
  repo: string,
  digest: string,
  versions: string[],
) =>
  putSbom(organization, repo, digest, {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    components: versions.map((version) => ({
      ...{ type: "library", name: "log4j-core", version, purl: purlOf(version) },
    })),
  });

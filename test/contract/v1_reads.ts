/** The request of each read of version 1 for the fixtures, and the expected data. */
import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { putIndex, putManifest, putSbom } from "../registry/images/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "../registry/vuln_reports/grype_reports.ts";
import { createResource, randomName } from "../world/personas.ts";
import { sql } from "../world/platform.ts";
import { type FixtureKind, type Fixtures, osvRecord, step } from "./fixtures.ts";

/** Data that version 1 reads and the fixtures do not contain. */
export interface ScannedImage {
  repoName: string;
  /** Deprecated since 2026-05-01 in `manifest`. */
  tag: string;
  index: string;
  /** The image for amd64, with a configuration, an SBOM and a report. */
  manifest: string;
}

const scannedAt = "2026-05-02T00:00:00Z";
const cve = "CVE-2026-1001";

/**
 * Adds to the fixtures an image with all its documents, a copy of its repository, accepted terms, and a
 * version of its library.
 */
export async function addScannedImage({
  organization,
  token,
  repo,
  group,
}: Fixtures): Promise<ScannedImage> {
  const config = { architecture: "amd64", os: "linux", config: { User: "reader" } };
  const manifest = await putManifest(organization, repo, JSON.stringify(config));
  const index = await putIndex(organization, repo, [["amd64", manifest]]);
  await putSbom(organization, repo, manifest, {
    ...{ spdxVersion: "SPDX-2.3", SPDXID: "SPDXRef-DOCUMENT", name: "sample" },
    creationInfo: { created: "2026-01-01T00:00:00Z", creators: ["Tool: sample-1.0"] },
  });
  const report = grypeReport([matchOf(cve, "High")], { scanned: scannedAt });
  const vulnReport = { digest: manifest, content: packedReport(report) };
  await createResource(`/registry/v2/vulnReports/${repo}`, token, vulnReport);
  const old = { name: "1.2", digest: manifest, deprecated: true };
  const { uid: tag } = await createResource(`/registry/v2/tags/${repo}`, token, old);
  const [{ name: repoName = "" } = {}] = await sql<{ name: string }>(
    "select name from repos where uid = ?",
    repo,
  );
  const updateTime = "2026-05-01T00:00:00Z";
  const moves = [{ repo: repoName, tag: "1.2", updateTime, digest: manifest }];
  await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
  const copy = { name: randomName("copy"), sync_config: { source: repo } };
  await createResource(`/registry/v2/repos/${organization.uid}`, token, copy);
  await createResource(`/iam/v1/terms/${group}`, token, { documentIds: ["sfdpa.v1"] });
  const record = osvRecord(`OSV-${step()}`);
  const versioned = record.affected.map((one) => ({ ...one, versions: ["1.0"] }));
  const records = [{ ...record, affected: versioned }];
  await createResource(`/vulnerabilities/v2/osvRecords/${organization.uid}:import`, token, {
    records,
  });
  return { repoName, tag, index, manifest };
}

/** A request, if it is not the smallest one, and the expected part of its response (`toMatchObject`). */
interface Read {
  request?: JsonObject;
  shows: object;
}

const row = (one: object) => ({ items: expect.arrayContaining([expect.objectContaining(one)]) });

/** Lists of resources with an `id`, and the one in the fixtures. */
const lists: Record<string, FixtureKind> = {
  "events.Subscriptions/List": "subscription",
  "iam.ExternalGroupRoleMappings/List": "externalGroupRoleMapping",
  "iam.GroupInvites/List": "groupInvite",
  "iam.Groups/List": "group",
  "iam.Identities/List": "identity",
  "iam.IdentityProviders/List": "identityProvider",
  "iam.RoleBindings/List": "roleBinding",
  "iam.Roles/List": "role",
  "libraries.Artifacts/List": "artifact",
  "registry.Registry/ListRepos": "repo",
  "registry.Registry/ListTags": "tag",
  "vulnerabilities.v1.Advisories/List": "advisory",
};

const readsOfImages = (
  { repo }: Fixtures,
  { manifest, index }: ScannedImage,
): Record<string, Read> => {
  const ofIndex = { repoId: repo, digest: index };
  const ofManifest = { repoId: repo, digest: manifest };
  return {
    "registry.Registry/GetArchs": { request: ofIndex, shows: { archs: ["amd64"] } },
    "registry.Registry/GetImageConfig": { request: ofIndex, shows: { user: "reader" } },
    "registry.Registry/GetManifestDigestCount": { shows: { count: "3" } },
    "registry.Registry/GetRawSbom": {
      request: ofManifest,
      shows: { rawSbom: expect.stringContaining("SPDX-2.3") },
    },
    "registry.Registry/GetSbom": { request: ofManifest, shows: { name: "sample" } },
    "registry.Registry/GetSize": { request: ofIndex, shows: { size: "15", arch: "amd64" } },
    "registry.Registry/GetVulnReport": {
      request: ofIndex,
      shows: { vulnerabilityMatches: [{ vulnerability: { id: cve } }] },
    },
    "registry.Registry/ListManifestMetadata": { shows: row({ digest: manifest }) },
  };
};

function readsOfReports({ repoName: repo, manifest }: ScannedImage): Record<string, Read> {
  const [digest, tag] = [manifest, "1.2"];
  const shows = row({ repo, tag, date: scannedAt });
  return {
    "registry.Vulnerabilities/GetRawVulnReport": { request: { digest }, shows: { digest } },
    "registry.Vulnerabilities/ListVulnReports": { request: { digest }, shows: row({ digest }) },
    "registry.Vulnerabilities/ListVulnCountReports": { request: { repo, tag }, shows },
    "registry.Vulnerabilities/ListCumulativeVulnCountReports": {
      request: { repo, tag },
      shows: row({ repo, tag, cveIds: [cve] }),
    },
  };
}

/** Every read of version 1 about the data of an organization, as `caller`. */
export function v1Reads(
  fixtures: Fixtures,
  scanned: ScannedImage,
  caller: string,
): Record<string, Read> {
  const { organization, repo, advisoryEvent, artifact } = fixtures;
  const { tag, manifest: digest } = scanned;
  const ofIds = Object.entries(lists).map(([name, kind]) => [
    name,
    { shows: row({ id: fixtures[kind] }) },
  ]);
  return {
    ...(Object.fromEntries(ofIds) as Record<string, Read>),
    ...readsOfImages(fixtures, scanned),
    ...readsOfReports(scanned),
    "auth.Auth/Validate": {
      shows: { subject: caller, capabilities: [{ group: { id: organization.uid } }] },
    },
    "iam.ExternalGroupRoleMappings/Get": { shows: { id: fixtures.externalGroupRoleMapping } },
    "iam.GroupAccountAssociations/List": { shows: row({ group: fixtures.accountAssociation }) },
    "iam.Terms/ListAccepted": { shows: row({ docId: "sfdpa.v1" }) },
    "libraries.Artifacts/GetArtifactCount": {
      shows: { counts: [{ ecosystem: "PYTHON", totalArtifacts: 1 }] },
    },
    "libraries.Artifacts/ListVersions": {
      request: { id: artifact },
      shows: row({ version: "1.0" }),
    },
    "ping.PingService/Ping": { shows: { response: "pong" } },
    "registry.Registry/GetRepoCountBySource": { shows: { count: "1" } },
    "registry.Registry/GetRepoTagsSummary": { shows: { id: repo, tagCount: "2" } },
    "registry.Registry/ListEolTags": { shows: row({ id: tag }) },
    "registry.Registry/ListTagHistory": { request: { parentId: tag }, shows: row({ digest }) },
    "vulnerabilities.v1.Advisories/ListAdvisoryEvents": { shows: row({ id: advisoryEvent }) },
  };
}

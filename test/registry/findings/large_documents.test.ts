/**
 * The index of the largest documents that the platform accepts.
 * @module-tag long
 */

import { beforeAll, expect, inject, test } from "vitest";
import { removalOfRepos } from "../../../src/registry/repos/removal.ts";
import { removeBatches } from "../../resource/removed_batches.ts";
import { databaseAt } from "../../world/databases.ts";
import { fakeDigest, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newRepoIn, putSbom } from "../images/stored_images.ts";
import { packedReport } from "../vuln_reports/grype_reports.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
});

const get = (path: string) =>
  callRest(`/registry/v2/${path}&uidp.children_of=${repo}`, { token: organization.owner.token });

test("a report with 20,000 matches is indexed completely, and again by a later scan", async () => {
  const matches = Array.from({ length: 20_000 }, (_, at) => ({
    vulnerability: { id: `CVE-2026-${at}`, severity: "High" },
    artifact: { name: "p", version: "1", purl: `pkg:npm/p@${at}.0.0` },
  }));
  for (const [day, id] of [
    [1, "CVE-2026-19999"],
    [2, "CVE-2026-0"],
  ] as const) {
    const timestamp = `2026-05-0${day}T00:00:00Z`;
    const content = packedReport({ matches, descriptor: { name: "grype", timestamp } });
    const { status, body } = await callRest(`/registry/v2/vulnReports/${repo}`, {
      token: organization.owner.token,
      body: { digest: fakeDigest("large"), content },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await get(`findings?vulnerability=${id}`)).body.findings).toHaveLength(1);
  }
});

test("an SBOM with 40,000 packages is indexed completely", async () => {
  const components = Array.from({ length: 40_000 }, (_, at) => ({
    ...{ type: "library", name: `p${at}`, purl: `pkg:npm/p${at}@1.0.0` },
    description: "A document has a hundred bytes for each package.",
  }));
  const { status, body } = await putSbom(organization, repo, fakeDigest("large"), {
    ...{ bomFormat: "CycloneDX", specVersion: "1.6", components },
  });
  expect(status, JSON.stringify(body)).toBe(200);
  expect((await get("packages?name=p39999")).body.packages).toHaveLength(1);
});

test("the repository can be deleted with all of these rows, in batches", async () => {
  const { token } = organization.owner;
  const { status } = await callRest(`/registry/v2/repos/${repo}`, { token, method: "DELETE" });
  expect(status).toBe(200);
  const batches = (await removeBatches(databaseAt(inject("sqlUrl")), removalOfRepos)).flat();
  for (const { written } of batches) expect(written).toBeLessThanOrEqual(25_000);
  const range = [`${repo}/`, `${repo}0`];
  for (const table of ["findings", "finding_ids", "sbom_packages"]) {
    expect(
      await sql(`select uid from ${table} where uid > ? and uid < ? limit 1`, ...range),
    ).toEqual([]);
  }
});

/** The schedule of the registry indexes reports that are stored and not in the index. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { bomOf, npm, recordOf } from "../../matching/matches.ts";
import { fakeDigest } from "../../world/personas.ts";
import { tokenFor } from "../../world/platform.ts";
import { grypeReport, matchOf, packedReport } from "../vuln_reports/grype_reports.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let token: string;
beforeAll(async () => {
  registry = await startOwnRegistry();
  token = await tokenFor(registry.owner);
});
afterAll(() => registry.stop());

async function api(path: string, body?: object) {
  const response = await fetch(`${registry.origin}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer as Record<string, never>;
}

test("a report without rows in the index is found once the schedule has run, and the index is the same as after an import", async () => {
  const { uid } = await api(`/registry/v2/repos/${registry.organization}`, { name: "app" });
  const content = packedReport(grypeReport([matchOf("CVE-1", "High"), matchOf("CVE-2", "Low")]));
  await api(`/registry/v2/vulnReports/${uid}`, { digest: fakeDigest("1"), content });
  const rows = async () => ({
    // A finding that was gone is found later.
    findings: (await registry.run("select * from findings order by uid")).map(
      ({ create_time: _, ...row }) => row,
    ),
    ids: await registry.run("select id, uid from finding_ids order by id, uid"),
    images: await registry.run("select * from examined_images"),
  });
  const indexed = await rows();
  expect(indexed.findings).toHaveLength(2);
  await registry.run("delete from findings where vulnerability_id = 'CVE-1'");
  await registry.run("update findings set severity = 1");
  await registry.run("update examined_images set findings_version = 0, finding_count = 0");
  expect((await api(`/registry/v2/findings?uidp.children_of=${uid}`)).findings).toHaveLength(1);
  await registry.runSchedule();
  expect(await rows()).toEqual(indexed);
});

test("the packages of an SBOM from before the index are found once the schedule has run", async () => {
  const { uid } = await api(`/registry/v2/repos/${registry.organization}`, { name: "other" });
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    components: [{ type: "library", name: "a", purl: "pkg:npm/a@1.0.0" }],
  };
  const content = Buffer.from(JSON.stringify(document)).toString("base64");
  await api(`/registry/v2/sboms/${uid}`, { digest: fakeDigest("1"), content });
  const rows = async () => ({
    packages: await registry.run("select * from sbom_packages"),
    sboms: await registry.run("select * from indexed_sboms"),
  });
  const indexed = await rows();
  expect(indexed.packages).toHaveLength(1);
  await registry.run("delete from sbom_packages");
  await registry.run("update indexed_sboms set packages_version = 0, package_count = 0");
  await registry.runSchedule();
  expect(await rows()).toEqual(indexed);
});

test("an image that has lost its report keeps only what its SBOM shows, once the schedule has run", async () => {
  const { organization } = registry;
  const { uid } = await api(`/registry/v2/repos/${organization}`, { name: "lost" });
  const artifact = { name: "left", version: "1.0.0", purl: npm("1.0.0") };
  const found = [matchOf("CVE-1", "High", { artifact }), matchOf("CVE-2", "High", { artifact })];
  const content = packedReport(grypeReport(found));
  await api(`/registry/v2/vulnReports/${uid}`, { digest: fakeDigest("lost"), content });
  await api(`/vulnerabilities/v2/osvRecords/${organization}:import`, {
    records: [recordOf("CVE-1")],
  });
  const bom = Buffer.from(JSON.stringify(bomOf(npm("1.0.0")))).toString("base64");
  await api(`/registry/v2/sboms/${uid}`, { digest: fakeDigest("lost"), content: bom });
  const rows = () =>
    registry.run(
      "select vulnerability_id, found_by from findings where parent = ? order by vulnerability_id",
      uid,
    );
  await expect.poll(rows).toEqual([
    { vulnerability_id: "CVE-1", found_by: 3 },
    { vulnerability_id: "CVE-2", found_by: 2 },
  ]);
  await registry.run(
    "update examined_images set report_uid = null, scan_time = null, findings_version = 0 where parent = ?",
    uid,
  );
  await registry.runSchedule();
  expect(await rows()).toEqual([{ vulnerability_id: "CVE-1", found_by: 1 }]);
  expect(
    await registry.run("select finding_count from examined_images where parent = ?", uid),
  ).toEqual([{ finding_count: 1 }]);
});

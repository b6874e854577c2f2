/** The findings of a report that count for a tag rule, with VEX statements. */
import { expect, test } from "vitest";
import { loadOpenVex, openVexOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { createResource, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { grypeReport, matchOf, packedReport } from "../vuln_reports/grype_reports.ts";

async function newRepo(minSeverity: string) {
  const organization = await newOrganization();
  const { token } = organization.owner;
  const path = `/registry/v2/repos/${organization.uid}`;
  const { uid: repo } = await createResource(path, token, { name: "app" });
  const keep = { requirement: { noFindings: { minSeverity: `FINDING_SEVERITY_${minSeverity}` } } };
  await createResource(`/registry/v2/tagRules/${repo}`, token, { name: "r", keep });
  const content = Buffer.from(JSON.stringify({ config: { size: 1 }, layers: [] })).toString(
    "base64",
  );
  const image = { mediaType: "application/vnd.oci.image.manifest.v1+json", content };
  const stored = await createResource(`/registry/v2/manifests/${repo}`, token, image);
  const digest = String(stored.digest);
  const report = (found: [id: string, severity: string][]) => {
    const matches = found.map(([id, severity]) =>
      matchOf(id, severity, { fix: { versions: ["2"], state: "fixed" }, related: [] }),
    );
    const content = packedReport(grypeReport(matches));
    return createResource(`/registry/v2/vulnReports/${repo}`, token, { digest, content });
  };
  const check = async () => {
    const body = { tag: "latest", moveTo: digest };
    return (await callRest(`/registry/v2/tagRules/${repo}:check`, { token, body })).body.reason;
  };
  const resolve = async (name: string) => {
    const statement = {
      ...{ vulnerability: { name }, products: [{ "@id": "pkg:oci/app" }] },
      ...{ status: "not_affected", justification: "vulnerable_code_not_present" },
    };
    const document = openVexOf([statement], { timestamp: "2026-01-01T00:00:00Z" });
    expect((await loadOpenVex(token, organization.uid, document)).status).toBe(200);
  };
  return { report, check, resolve };
}

test("a finding that a VEX statement resolves does not count, and the others do", async () => {
  const { report, check, resolve } = await newRepo("MEDIUM");
  expect(await check()).toMatch(/has no vulnerability report/);
  await report([
    ["CVE-2026-0001", "Critical"],
    ["CVE-2026-0002", "Medium"],
    ["CVE-2026-0003", "Low"],
  ]);
  expect(await check()).toMatch(/severity critical with a fix/);
  await resolve("CVE-2026-0001");
  expect(await check()).toMatch(/severity medium with a fix/);
  await resolve("CVE-2026-0002");
  expect(await check()).toBe("the rule allows it");
});

test("the findings after the first 200 are not taken for resolved", async () => {
  const { report, check } = await newRepo("CRITICAL");
  const many = (count: number, severity: string) =>
    Array.from({ length: count }, (_, n): [string, string] => [`CVE-2026-${1000 + n}`, severity]);
  await report(many(201, "High"));
  expect(await check()).toBe("the rule allows it");
  const { report: reportOther, check: checkOther } = await newRepo("LOW");
  await reportOther(many(200, "Negligible"));
  expect(await checkOther()).toBe("the rule allows it");
});

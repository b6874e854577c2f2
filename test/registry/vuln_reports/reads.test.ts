/** Version 2 reads reports back. */
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { newRepoIn } from "../images/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "./grype_reports.ts";

let organization: Organization;
let repo: string;
const days = ["2026-05-01", "2026-05-03", "2026-05-02"];
const reportOf = (day: string) =>
  JSON.stringify(grypeReport([matchOf(`CVE-${day}`, "High")], { scanned: `${day}T00:00:00Z` }));

beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
  for (const [at, day] of days.entries()) {
    await createResource(`/registry/v2/vulnReports/${repo}`, organization.owner.token, {
      digest: fakeDigest(String(at % 2)),
      content: packedReport(reportOf(day)),
    });
  }
});

const get = (path: string, token = organization.owner.token) =>
  callRest(`/registry/v2/vulnReports${path}`, { token });

async function scannedDays(query: Record<string, string> = {}): Promise<string[]> {
  const scope = { "uidp.descendants_of": organization.uid, ...query };
  const { status, body } = await get(`?${new URLSearchParams(scope)}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(Number(body.totalCount)).toBe(body.vulnReports.length);
  return body.vulnReports.map(({ scanTime }: { scanTime: string }) => scanTime.slice(0, 10));
}

test("a list has the newest scan first, and only scans since the given time", async () => {
  expect(await scannedDays()).toEqual(["2026-05-03", "2026-05-02", "2026-05-01"]);
  expect(await scannedDays({ order_by: "scan_time" })).toEqual([...days].sort());
  const since = { scanned_since: "2026-05-02T00:00:00Z" };
  expect(await scannedDays(since)).toEqual(["2026-05-03", "2026-05-02"]);
  const ofImage = { ...since, digest: fakeDigest("0") };
  expect(await scannedDays(ofImage)).toEqual(["2026-05-02"]);
  expect(await scannedDays({ digest: fakeDigest("0") })).toEqual(["2026-05-02", "2026-05-01"]);
});

test("the full view of a report has the bytes of the scanner, and the basic view has none", async () => {
  const { body } = await get(`?uidp.children_of=${repo}&digest=${fakeDigest("1")}`);
  const [{ uid }] = body.vulnReports;
  const basic = await get(`/${uid}?view=VULN_REPORT_VIEW_BASIC`);
  expect(basic.body).toEqual(body.vulnReports[0]);
  expect(basic.body).not.toHaveProperty("content");
  const full = await get(`/${uid}?view=VULN_REPORT_VIEW_FULL`);
  expect(Buffer.from(full.body.content, "base64").toString()).toBe(reportOf("2026-05-03"));
});

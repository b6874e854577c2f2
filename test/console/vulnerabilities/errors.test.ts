import { beforeAll, test } from "vitest";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectOnlyText } from "../hostile_texts.ts";
import { importOsv, newPushedRepo, pushImage, storeReport } from "../scanned_images.ts";

describeInChromium("errors of the vulnerabilities in the console", () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    const image = await pushImage(repo);
    await storeReport(repo, image.digest, [matchOf("CVE-2026-1", "Critical")]);
    const affected = [{ package: { ecosystem: "PyPI", name: "sample" } }];
    await importOsv(organization, [{ id: "EX-1", modified: "2026-01-01T00:00:00Z", affected }]);
  });

  test(
    "an error of the platform offers another try, and an unknown id says what was searched",
    long,
    async () => {
      const path = "/console/vulnerabilities?view=advisories";
      const { page } = await openConsole({
        ...{ as: organization.owner.uid, path },
      });
      await page.getByText("1 advisory", { exact: true }).waitFor();
      await page.route("**/registry/v2/findings?**", (route) =>
        route.fulfill({
          status: 503,
          json: { code: 14, message: "the database is not available", details: [] },
          headers: { "x-request-id": "request-9" },
        }),
      );
      await page.getByRole("link", { name: "In images" }).click();
      await page.getByText("the database is not available").waitFor();
      await page.getByText("request-9").waitFor();
      await page.unroute("**/registry/v2/findings?**");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("row", { name: /CVE-2026-1/ }).waitFor();
      for (const id of ["CVE-1999-9999", "%3Cimg%20src=x%3E", "a".repeat(5000)]) {
        const to = `/console/vulnerabilities/${id}`;
        await page.evaluate((address) => history.pushState(null, "", address), to);
        await page.getByText(/^(Nothing here is known|This is not the id)/).waitFor();
        await expectOnlyText(page);
      }
    },
  );
});

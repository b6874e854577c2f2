/** A person opens a vulnerability and states whether it affects an image. */
import { expect, test } from "vitest";
import { matchOf, nvdRecord } from "../../registry/vuln_reports/grype_reports.ts";
import { newIdentity, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";
import { importOsv, newPushedRepo, pushImage, storeReport } from "../scanned_images.ts";

const purl = "pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1";
const reference = "https://logging.example/security";

/** Two repositories with an image each that has the vulnerability, and a record about it. */
async function newWorld() {
  const organization = await newOrganization();
  const shell = matchOf("GHSA-jfh8-c2jp-5v3q", "Critical", {
    artifact: { name: "log4j-core", version: "2.14.1", purl },
    related: [nvdRecord("CVE-2021-44228", "Log4Shell")],
    fix: { versions: ["2.15.0"], state: "fixed" },
  });
  for (const name of ["shop", "tools"]) {
    const repo = await newPushedRepo(organization, name);
    const { digest } = await pushImage(repo, { tag: "1.0" });
    await storeReport(repo, digest, [shell]);
  }
  await importOsv(organization, [
    {
      ...{ id: "EX-2021-1", aliases: ["CVE-2021-44228"], modified: "2026-01-01T00:00:00Z" },
      ...{ summary: "Remote code execution", references: [{ type: "WEB", url: reference }] },
      severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H" }],
      affected: [{ package: { ecosystem: "Maven", name: "org.apache.logging.log4j:log4j-core" } }],
    },
  ]);
  return organization;
}

async function statusesOf({ uid, owner }: Organization) {
  const path = `/registry/v2/findings?uidp.descendants_of=${uid}`;
  const { body } = await callRest(path, { token: owner.token });
  return Object.fromEntries(
    body.findings.map((row: { repoName: string; vex?: { status: string } }) => [
      row.repoName,
      row.vex?.status,
    ]),
  );
}

describeInChromium("the impact of a vulnerability in the console", () => {
  test("is stated for one image, after a look at what ends, and a failed save keeps what was typed", async () => {
    const organization = await newWorld();
    const { uid, owner } = organization;
    const { page } = await openConsole({ as: owner.uid, path: `/console/?group=${uid}` });
    const card = page.getByRole("region", { name: "Newly affected" });
    await card.getByRole("link", { name: "GHSA-jfh8-c2jp-5v3q" }).first().click();
    for (const text of ["Remote code execution", "10.0", "log4j-core 2.15.0", reference])
      await page.getByText(text, { exact: true }).waitFor();
    await page.getByRole("button", { name: "State the impact" }).click();
    const dialog = page.getByRole("dialog");
    const save = dialog.getByRole("button", { name: "Save the statement" });
    await dialog.getByLabel("Image or repository").selectOption({ label: "shop: all images" });
    await dialog.getByText("It ends 1 finding in 1 image.").waitFor();
    await save.focus();
    await dialog.getByText("Choose why it is not affected first.").waitFor();
    await dialog
      .getByLabel("Why it is not affected")
      .selectOption("vulnerable_code_not_in_execute_path");
    await dialog.getByLabel("Note").fill("JNDI is off.");
    await expectAccessible(page);

    const imports = /openVexDocuments/;
    const refusal = { code: 9, message: "the registry is read-only", details: [] };
    await page.route(imports, (route) => route.fulfill({ status: 400, json: refusal }));
    await save.click();
    await dialog.getByText("the registry is read-only").waitFor();
    expect(await dialog.getByLabel("Note").inputValue()).toBe("JNDI is off.");
    await page.unroute(imports);
    await save.click();
    await page.getByText("Saved for shop: not affected.").waitFor();
    await page.getByRole("row", { name: /shop.*Not affected/ }).waitFor();
    expect(await statusesOf(organization)).toEqual({
      shop: "VEX_STATUS_NOT_AFFECTED",
      tools: undefined,
    });
    await page.getByText("JNDI is off.").waitFor({ state: "attached" });
  });

  test("cannot be stated by a viewer, who reads which capabilities that needs", async () => {
    const organization = await newWorld();
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/vulnerabilities/CVE-2021-44228?group=${organization.uid}`;
    const { page } = await openConsole({ as: viewer.uid, path });
    await page.getByRole("button", { name: "State the impact", disabled: true }).focus();
    await page.getByText(/You need the advisories\.create and advisories\.update/).waitFor();
  });
});

/** The vulnerabilities of an organization in the console, as a person works with them. */
import { json } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { matchOf, nvdRecord } from "../../registry/vuln_reports/grype_reports.ts";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { importOsv, newPushedRepo, pushImage, storeReport, storeSbom } from "../scanned_images.ts";

const log4j = "pkg:maven/org.apache.logging.log4j/log4j-core";
const jar = { name: "log4j-core", version: "2.14.1", purl: `${log4j}@2.14.1` };

/** Two repositories whose images have a vulnerability in common, and an advisory about it. */
async function newWorld() {
  const organization = await newOrganization();
  const [shop, tools] = [await newPushedRepo(organization), await newPushedRepo(organization)];
  const image = await pushImage(shop, { tag: "1.0" });
  const other = await pushImage(tools);
  const shell = matchOf("GHSA-jfh8-c2jp-5v3q", "Critical", {
    artifact: jar,
    related: [nvdRecord("CVE-2021-44228", "Log4Shell")],
    fix: { versions: ["2.15.0"], state: "fixed" },
  });
  const open = matchOf("CVE-2026-1002", "Low", { fix: { versions: [], state: "not-fixed" } });
  await storeReport(shop, image.digest, [shell, open]);
  await storeReport(tools, other.digest, [shell]);
  await storeSbom(shop, image.digest, [
    { type: "library", ...jar },
    { type: "library", name: "aeson", version: "1", purl: "pkg:hackage/aeson@1" },
  ]);
  await importOsv(organization, [
    {
      ...{ id: "EX-2021-1", aliases: ["CVE-2021-44228"], modified: "2026-01-01T00:00:00Z" },
      ...{ summary: "Remote code execution", details: "Through JNDI." },
      severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H" }],
      affected: [{ package: { ecosystem: "Maven", name: "org.apache.logging.log4j:log4j-core" } }],
    },
  ]);
  return { organization, shop, tools, image };
}

/** A statement of VEX that the jar does not affect the shop. */
const vex = (status: object) => ({
  ...{ "@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://shop.example/vex/1" },
  ...{ author: "security@shop.example", timestamp: "2026-01-02T00:00:00Z", version: 1 },
  statements: [
    {
      vulnerability: { name: "CVE-2021-44228" },
      products: [{ "@id": log4j }],
      ...status,
    },
  ],
});

const row = (page: Page, name: string | RegExp) => page.getByRole("row", { name });

describeInChromium("vulnerabilities in the console", () => {
  test("the list has each vulnerability once, and its filters are in the address", async () => {
    const { organization, tools } = await newWorld();
    const { uid, owner } = organization;
    const path = `/console/vulnerabilities?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await row(page, /^Critical CVE-2021-44228 log4j-core/).waitFor();
    await page.getByText("2 vulnerabilities").waitFor();
    const count = row(page, /CVE-2021-44228/).getByRole("cell");
    await expect.poll(() => count.allTextContents()).toContain("2");
    await page.getByLabel("Fix").selectOption("None");
    await page.getByText("1 vulnerability", { exact: true }).waitFor();
    expect(page.url()).toContain("fix=no");
    await page.getByLabel("Fix").selectOption("Any");
    await page.getByLabel("Tagged only").check();
    await row(page, /CVE-2026-1002/).waitFor();
    await page.getByLabel("Tagged only").uncheck();
    await page
      .getByRole("combobox", { name: "Images", exact: true })
      .selectOption("Pulled in the last 7 days");
    await page.getByText("Nothing matches these filters").waitFor();
    await page
      .getByRole("combobox", { name: "Images", exact: true })
      .selectOption("Tagged at a time");
    await row(page, /CVE-2026-1002/).waitFor();
    await page.getByLabel("Time", { exact: true }).fill("2020-01-01T00:00");
    await page.getByText("Nothing matches these filters").waitFor();
    expect(page.url()).toContain("images=at&at=2020-01-01");
    await page.getByRole("combobox", { name: "Images", exact: true }).selectOption("Any");
    expect(page.url()).not.toContain("at=");
    const [, name = ""] = tools.name.split("/");
    await page.getByRole("combobox", { name: "Repository" }).fill(name);
    await page.getByRole("listbox").getByText(name).click();
    await page.getByText("1 vulnerability", { exact: true }).waitFor();
    expect(page.url()).toContain(`repo=${encodeURIComponent(tools.uid)}`);
    await page.getByLabel("Search ids").fill("nothing-like-this");
    await page.getByText("Nothing matches these filters").waitFor();
    await page.getByLabel("Search ids").fill("ghsa-jfh8-c2jp-5v3q");
    await row(page, /CVE-2021-44228/).waitFor();
  });

  test("a vulnerability has its images and its advisory, which can be saved as OSV", async () => {
    const { organization, shop, image } = await newWorld();
    const { uid, owner } = organization;
    const path = `/console/vulnerabilities/CVE-2021-44228?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByText("GHSA-jfh8-c2jp-5v3q").first().waitFor();
    for (const text of ["Remote code execution", "Through JNDI.", "10.0"])
      await page.getByText(text).waitFor();
    const images = page.getByRole("table", { name: "Images that have the vulnerability" });
    await images.getByRole("cell", { name: "1.0", exact: true }).waitFor();
    await expect.poll(() => images.getByRole("row").count()).toBe(3);
    await page.getByLabel("Tagged only").check();
    await page.getByText("1 finding", { exact: true }).waitFor();
    await page.getByLabel("Tagged only").uncheck();
    await page
      .getByRole("combobox", { name: "Images", exact: true })
      .selectOption("Tagged at a time");
    await page.getByLabel("Time", { exact: true }).fill("2020-01-01T00:00");
    await page.getByText("No image matches these filters").waitFor();
    await page.getByText("platformctl affected CVE-2021-44228 --at 2020-01-01").waitFor();
    await page.getByRole("combobox", { name: "Images", exact: true }).selectOption("Any");
    await page.getByLabel("Tagged only").check();
    await page.getByText("1 finding", { exact: true }).waitFor();
    const save = async (format: string) => {
      const saving = page.waitForEvent("download");
      await page.getByRole("button", { name: `Download ${format}` }).click();
      const file = await saving;
      return [file.suggestedFilename(), await json(await file.createReadStream())];
    };
    const details = "Through JNDI.";
    expect(await save("OSV")).toEqual(["EX-2021-1.osv.json", expect.objectContaining({ details })]);
    expect((await save("OpenVEX"))[1]).toHaveProperty("statements");
    expect((await save("CSAF"))[1]).toMatchObject({
      document: { title: expect.stringContaining("CVE-2021-44228") },
    });
    await images.getByRole("link").click();
    await page.getByRole("heading", { name: new RegExp(image.digest.slice(7, 19)) }).waitFor();
    expect(page.url()).toContain(`/images/${shop.uid}@${image.digest}?view=vulnerabilities`);
  });

  test("an import shows every fault of a document, and then resolves what it is about", async () => {
    const { organization } = await newWorld();
    const { uid, owner } = organization;
    const path = `/console/vulnerabilities?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await row(page, /CVE-2021-44228/).waitFor();
    await page.getByRole("button", { name: "Import advisories" }).click();
    const text = page.getByLabel("Or paste a document");
    const send = page.getByRole("button", { name: "Import", exact: true });
    await text.fill("{broken");
    await send.click();
    await page.getByText(/The text, line 1, is not JSON/).waitFor();
    await text.fill(JSON.stringify(vex({ status: "not_affected" })));
    await send.click();
    await page
      .getByText(/^The text: statements\[0\]/)
      .first()
      .waitFor();
    await text.fill("");
    const known = { status: "not_affected", justification: "vulnerable_code_not_present" };
    const buffer = Buffer.from(JSON.stringify(vex(known)));
    await page
      .getByLabel("Files")
      .setInputFiles({ name: "vex.json", mimeType: "application/json", buffer });
    await send.click();
    await page.getByText("OpenVEX documents: 1 created, 0 updated, 0 unchanged").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    await row(page, /CVE-2021-44228.*Resolved/).waitFor();
    await page.getByLabel("Open only").check();
    await page.getByText("1 vulnerability", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Advisories" }).click();
    await page.getByText("2 advisories").waitFor();
    await row(page, /Not affected/).waitFor();
  });

  test("a bar shows how many records are left to match, and disappears when none is", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    for (const n of [1, 2])
      await sql(
        "insert into match_marks (root, kind, uid, revision, cursor) values (?, 2, ?, 1, '')",
        ...[uid, `${uid}/${String(n).repeat(16)}`],
      );
    const path = `/console/vulnerabilities?group=${uid}&view=advisories`;
    const { page } = await openConsole({ as: owner.uid, path });
    const bar = page.getByRole("progressbar", { name: "Records that are matched" });
    await bar.waitFor();
    await page.getByText("0 records matched with the SBOMs of images, 2 left").waitFor();
    await sql("delete from match_marks where uid = ?", `${uid}/${"1".repeat(16)}`);
    await page.getByText("1 record matched with the SBOMs of images, 1 left").waitFor();
    await sql("delete from match_marks where root = ?", uid);
    await bar.waitFor({ state: "detached" });
  });

  test("a viewer searches for packages, and sees why they cannot import", async () => {
    const { organization } = await newWorld();
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/vulnerabilities?group=${organization.uid}&view=packages`;
    const { page } = await openConsole({ as: viewer.uid, path });
    const refused = page.getByRole("button", { name: "Import advisories", disabled: true });
    await refused.focus();
    await page.getByText(/You need the advisories\.create and advisories\.update/).waitFor();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByLabel("Package", { exact: true }).fill("log4j-core");
    await page.getByLabel("Below version").fill("2.17");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await row(page, /log4j-core 2\.14\.1/).waitFor();
    expect(page.url()).toContain("package=log4j-core&below=2.17");
    await page.getByText("platformctl contains log4j-core --below 2.17").waitFor();
    await page.getByLabel("Package", { exact: true }).fill("aeson");
    await page.keyboard.press("Enter");
    await row(page, /aeson 1 Check/).waitFor();
    await page.getByLabel("Package", { exact: true }).fill("pkg:hackage");
    await page.keyboard.press("Enter");
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Package", { exact: true }).fill("unknown-package");
    await page.getByLabel("Below version").fill("");
    await page.keyboard.press("Enter");
    await page.getByText("No image is known to contain it").waitFor();
  });
});

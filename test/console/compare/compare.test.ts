/** Two tags or images next to each other. */
import { expect, test } from "vitest";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { createResource, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";
import { newPushedRepo, pushImage, pushIndex, storeReport, storeSbom } from "../scanned_images.ts";

const component = (name: string, version: string) => ({
  ...{ type: "library", name, version, purl: `pkg:npm/${name}@${version}` },
});

/** The image `1.0` of one platform, and the index `2.0` of two, which has one layer more. */
async function newImages() {
  const organization = await newOrganization();
  const repo = await newPushedRepo(organization, "shop");
  const old = await pushImage(repo, { tag: "1.0", lines: ["ADD base", "RUN make"] });
  const amd64 = await pushImage(repo, { lines: ["ADD base", "RUN make", "RUN test"] });
  const arm64 = await pushImage(repo, { architecture: "arm64" });
  const index = await pushIndex(repo, { amd64, arm64 }, "2.0");
  await storeSbom(repo, old.digest, [component("left", "1"), component("both", "1")]);
  await storeSbom(repo, amd64.digest, [component("both", "2")]);
  await storeReport(repo, old.digest, [matchOf("CVE-2026-1", "Critical")]);
  await storeReport(repo, amd64.digest, [matchOf("CVE-2026-2", "Low")]);
  const { token } = organization.owner;
  const { body } = await callRest(`/registry/v2/tags?uidp.children_of=${repo.uid}`, { token });
  const tags = Object.fromEntries(
    body.tags.map(({ name, uid }: { name: string; uid: string }) => [name, uid]),
  );
  return { organization, repo, tags, old, amd64, index };
}

describeInChromium("two images compared", () => {
  test("from the page of a tag, by the keyboard: what they are, what they share, and what differs", async () => {
    const { organization, tags, index } = await newImages();
    const path = `/console/tags/${tags["1.0"]}`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    await page.getByRole("link", { name: "Compare with…" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Compare shop:1.0", level: 1 }).waitFor();
    await page.getByRole("combobox", { name: "Compare with" }).fill("2");
    await page.getByRole("option", { name: /^2\.0/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Two images compared", level: 1 }).waitFor();
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("Layers in common")
      .getByText(/^2, with \d+ B\. The images have 2 and 3 layers\.$/)
      .waitFor();
    await row("Platforms").getByText("linux/amd64, linux/arm64").waitFor();
    await expect.poll(() => row("Size to pull").getByText(/B$/).count()).toBe(2);
    await row("Built").locator("time").first().waitFor();
    await row("Digest").getByText(index.digest.slice(0, 19)).waitFor();
    const packages = page.getByRole("region", { name: "Packages" });
    await expect
      .poll(() => packages.getByRole("listitem").allInnerTexts())
      .toEqual(["left 1", "both 1 → 2"]);
    const findings = page.getByRole("region", { name: "Findings" });
    await expect
      .poll(() => findings.getByRole("link").allInnerTexts())
      .toEqual(["CVE-2026-2", "CVE-2026-1"]);
    await expectGoodLooks(page);
    await page.getByRole("button", { name: "Swap the two" }).click();
    await expect
      .poll(() => packages.getByRole("listitem").allInnerTexts())
      .toEqual(["left 1", "both 2 → 1"]);
    await page.getByLabel("Platform").selectOption("linux/arm64");
    await page.getByText("does not have an SBOM").waitFor();
  });

  test("an image by its digest, one of another repository, the same image, and a tag without an image", async () => {
    const { organization, repo, tags, old, amd64 } = await newImages();
    const { token, uid } = organization.owner;
    const other = await newPushedRepo(organization, "other");
    const far = await pushImage(other, { tag: "x", lines: ["ADD base"] });
    const path = `/console/images/${repo.uid}@${old.digest}`;
    const { page } = await openConsole({ as: uid, path });
    await page.getByRole("link", { name: "Compare with…" }).click();
    const field = page.getByRole("combobox", { name: "Compare with" });
    const choose = async (text: string) => {
      await field.fill(text);
      await page.getByRole("option", { name: /Image sha256/ }).click();
      await page.getByRole("button", { name: "Compare", exact: true }).click();
    };
    await choose(amd64.digest);
    await page.getByText(/have 2 and 3 layers/).waitFor();
    await choose(`${other.uid}@${far.digest}`);
    await page.getByText(/^1, with .* 2 and 1 layers/).waitFor();
    await page.getByRole("link", { name: /^other@sha256/ }).waitFor();
    await choose(old.digest);
    await page.getByText("Both are the same image.").waitFor();
    const empty = await createResource(`/registry/v2/tags/${repo.uid}`, token, {
      ...{ name: "gone", digest: `sha256:${"e".repeat(64)}` },
    });
    const address = `/console/compare?first=${tags["1.0"]}&second=${empty.uid}`;
    await page.goto(new URL(address, page.url()).href);
    await page.getByText("not known").first().waitFor();
    await page.goto(new URL("/console/compare", page.url()).href);
    await page.getByText("This address does not name an image").waitFor();
  });
});

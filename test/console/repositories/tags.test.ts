/** The tags of a repository in the console, as a person uses them. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { putIndex, putManifest } from "../../registry/images/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, registryAudience } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { addressOf, expectGoodLooks } from "./looks.ts";

/** A repository with an image for two platforms, its scan, and a tag that points to nothing stored. */
async function newImage() {
  const organization = await newOrganization();
  const { token } = organization.owner;
  const { uid: repo } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "shop",
  });
  const config = (architecture: string) => JSON.stringify({ os: "linux", architecture });
  const amd64 = await putManifest(organization, repo, config("amd64"));
  const arm64 = await putManifest(organization, repo, config("arm64"));
  const digest = await putIndex(organization, repo, [
    ["amd64", amd64],
    ["arm64", arm64],
  ]);
  const found = ["Critical", "High", "High"].map((one, at) => matchOf(`CVE-2026-100${at}`, one));
  const content = packedReport(grypeReport(found));
  await createResource(`/registry/v2/vulnReports/${repo}`, token, { digest: amd64, content });
  const tag = (name: string, points: string) =>
    createResource(`/registry/v2/tags/${repo}`, token, { name, digest: points });
  await tag("1.0", fakeDigest("old"));
  await tag("2.0", digest);
  await tag("latest", digest);
  await tag("2.0-20260131", digest);
  return { organization, repo, digest };
}

const digestsOf = async ({ owner }: Organization, repo: string) => {
  const { body } = await callRest(`/registry/v2/tags?uidp.children_of=${repo}`, {
    token: owner.token,
  });
  return Object.fromEntries(
    body.tags.map((one: { name: string; deprecated: boolean }) => [one.name, one.deprecated]),
  );
};

const choose = async (page: Page, tag: string, action: string) => {
  await page.getByRole("button", { name: `Actions for ${tag}`, exact: true }).click();
  await page.getByRole("button", { name: action, exact: true }).click();
};

describeInChromium("the tags of a repository in the console", () => {
  test("the list says how many tags with a date it leaves out, and shows them if there are no others", async () => {
    const { organization, repo, digest } = await newImage();
    const { uid, owner } = organization;
    const path = `/console/repositories/${repo}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByText("1 that ends in a date or an epoch is left out.").waitFor();
    await page.getByRole("button", { name: "Show all", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "2.0-20260131" }).waitFor();
    const name = "dated";
    const other = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name });
    const tag = { name: "1.0-20260131", digest };
    await createResource(`/registry/v2/tags/${other.uid}`, owner.token, tag);
    const second = `/console/repositories/${other.uid}`;
    const { page: only } = await openConsole({ as: owner.uid, path: second });
    await only.getByRole("row").filter({ hasText: "1.0-20260131" }).waitFor();
    expect(await only.getByText("left out").count()).toBe(0);
  });

  test("each row shows its image in short, and commands that can be copied", async () => {
    const { organization, repo, digest } = await newImage();
    const path = `/console/repositories/${repo}`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    const summaries: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("imageSummaries")) summaries.push(request.url());
    });
    const row = page.getByRole("row").filter({ hasText: "2.0" });
    await row.getByText("amd64, arm64").waitFor();
    await row.getByText("15 B").waitFor();
    const findings = row.getByRole("link", { name: /^1 critical, 2 high\. Scanned / });
    await expect.poll(() => findings.getAttribute("href")).toContain("view=vulnerabilities");
    await page.getByRole("row").filter({ hasText: "1.0" }).getByText("–").first().waitFor();
    expect(summaries.length).toBeLessThanOrEqual(1);

    const image = `${registryAudience}/${organization.uid}/shop`;
    await page.getByText(`docker pull ${image}:latest`).waitFor();
    await page.getByLabel("Pin to the digest").check();
    await page.getByRole("button", { name: "Copy the pull command" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `docker pull ${image}@${digest}`,
    );
    await page.getByRole("button", { name: "Connect" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(`podman login -u _token --password-stdin ${registryAudience}`).waitFor();
    await dialog.getByRole("button", { name: "Copy the pull of Podman" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `podman pull ${image}@${digest}`,
    );
    await expectGoodLooks(page);
    await page.keyboard.press("Escape");
    await choose(page, "2.0", "Pull");
    await page.getByRole("dialog").getByText(`${image}:2.0@${digest}`).waitFor();
    await page.keyboard.press("Escape");
    await expectGoodLooks(page);
    await row.getByRole("button", { name: "Copy the digest" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(digest);
  });

  test("a tag is marked as end of life and the mark is removed, then a tag is deleted and comes back", async () => {
    const { organization, repo } = await newImage();
    const path = `/console/repositories/${repo}`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.setViewportSize({ width: 1600, height: 800 });
    await page.getByRole("link", { name: "1.0" }).waitFor();
    await choose(page, "1.0", "Mark as end of life");
    const row = page.getByRole("row").filter({ hasText: "1.0" });
    await row.getByText("end of life").waitFor();
    await row.getByRole("link", { name: "2.0" }).waitFor();
    expect(await digestsOf(organization, repo)).toMatchObject({ "1.0": true, "2.0": false });
    await page.getByRole("button", { name: "Undo" }).click();
    await row.getByText("end of life").waitFor({ state: "detached" });
    await choose(page, "1.0", "Mark as end of life");
    await row.getByText("end of life").waitFor();

    await page.getByLabel("Show", { exact: true }).selectOption("End of life");
    expect(addressOf(page)).toBe(`/repositories/${repo}?show=end-of-life`);
    await page.getByRole("row").filter({ hasText: "1.0" }).getByText("no one in 90 days").waitFor();
    await choose(page, "1.0", "Remove the end of life");
    await page.getByText("No tag is at its end of life").waitFor();
    await page.getByLabel("Show", { exact: true }).selectOption("All tags");

    await choose(page, "1.0", "Delete");
    await page.getByRole("dialog").getByText("Pulls of shop:1.0 fail from then on.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted 1.0.").waitFor();
    await page.getByRole("link", { name: "1.0" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByRole("link", { name: "1.0" }).waitFor();
  });

  test("a link can contain the search and the kinds of tags", async () => {
    const { organization, repo } = await newImage();
    const path = `/console/repositories/${repo}?q=2&dates=1`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.getByRole("link", { name: "2.0-20260131" }).waitFor();
    await page.getByText("2 tags").waitFor();
    await page.getByLabel("Dates").uncheck();
    await page.getByText("1 tag", { exact: true }).waitFor();
    expect(addressOf(page)).toBe(`/repositories/${repo}?q=2`);
    await page.getByRole("searchbox").fill("");
    await page.getByText("3 tags").waitFor();
    await page.getByRole("button", { name: "Tag" }).click();
    await page.locator("[aria-sort=ascending]").waitFor();
    expect(addressOf(page)).toBe(`/repositories/${repo}?order=name`);
  });

  test(
    "a viewer reads why they cannot change tags, and a refused change shows the state before it",
    long,
    async () => {
      const { organization, repo } = await newImage();
      const path = `/console/repositories/${repo}`;
      const viewer = await newIdentity(organization, "viewer");
      const seen = await openConsole({ as: viewer.uid, path });
      await seen.page.getByRole("button", { name: "Actions for 1.0" }).click();
      await seen.page.getByText("You need the tag.create capability on this repository.").waitFor();
      await seen.page.getByText("You need the tag.delete capability on this repository.").waitFor();

      const { page } = await openConsole({ as: organization.owner.uid, path });
      await page.getByRole("link", { name: "1.0" }).waitFor();
      const refusal = { code: 9, message: "the registry is read-only", details: [] };
      await page.route(/\/registry\/v2\/tags\/[^?]*$/, (route) =>
        route.request().method() === "POST"
          ? route.fulfill({ status: 400, json: refusal })
          : route.continue(),
      );
      await choose(page, "1.0", "Mark as end of life");
      await page.getByRole("alert").getByText("the registry is read-only").waitFor();
      const row = page.getByRole("row").filter({ hasText: "1.0" });
      await row.getByText("end of life").waitFor({ state: "detached" });
    },
  );
});

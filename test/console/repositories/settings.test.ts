import { expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";

import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";

import { addressOf, expectGoodLooks } from "./looks.ts";

const newRepo = async ({ uid, owner }: Organization, more: object = {}) =>
  (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "shop", ...more })).uid;

const read = async ({ owner }: Organization, uid: string) =>
  (await callRest(`/registry/v2/repos/${uid}`, { token: owner.token })).body;

describeInChromium("the settings and the activity of a repository in the console", () => {
  test("the owner changes settings and takes a change back, and each error appears at its field", async () => {
    const organization = await newOrganization();
    const uid = await newRepo(organization, { description: "before" });
    const path = `/console/repositories/${uid}/settings`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    const general = page.getByRole("region", { name: "General" });
    await general.getByLabel("Description").fill("after");
    await general.getByRole("button", { name: "Save" }).click();
    await page.locator(".page-lead").getByText("after").waitFor();
    await page.getByText("Saved the settings.").waitFor();
    expect(await read(organization, uid)).toMatchObject({ name: "shop", description: "after" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.locator(".page-lead").getByText("before").waitFor();
    await general.getByLabel("Name").fill("Not a name");
    await general.getByRole("button", { name: "Save" }).click();
    const fieldError = general.locator(".field-error");
    await fieldError.getByText("must be lowercase letters and digits").waitFor();
    expect(await fieldError.textContent()).not.toContain("[a-z");

    const catalog = page.getByRole("region", { name: "Aliases and active tags" });
    await catalog.getByLabel("Aliases").fill("no tag");
    await catalog.getByRole("button", { name: "Save" }).click();
    await catalog.locator(".field-error").waitFor();
    await catalog.getByLabel("Aliases").fill("python:3\n\npython:latest");
    await catalog.getByLabel("Active tags").fill("3.13");
    await catalog.getByRole("button", { name: "Save" }).click();
    await expect
      .poll(() => read(organization, uid))
      .toMatchObject({
        ...{ activeTags: ["3.13"], aliases: ["python:3", "python:latest"] },
      });
    await page.getByRole("button", { name: "Set a source" }).click();
    const syncing = page.getByRole("region", { name: "Syncing" });
    await syncing.getByLabel("Source").fill("no/such");
    await syncing.getByRole("button", { name: "Save" }).click();
    await syncing.locator(".field-error, .error-notice").first().waitFor();
    await expectGoodLooks(page);
    await page.getByRole("link", { name: "See who has access" }).click();
    expect(addressOf(page)).toBe(`/repositories/${uid}/access`);
  });

  test("the tier and the labels of the followed API only show on a repository that has them, and can be removed", async () => {
    const organization = await newOrganization();
    const labelled = { catalogTier: "CATALOG_TIER_BASE", bundles: ["fips"] };
    const [plain, uid] = [
      await newRepo(organization),
      await newRepo(organization, { name: "labelled", ...labelled }),
    ];
    const settings = (repo: string) => `/console/repositories/${repo}/settings`;
    const { page } = await openConsole({ as: organization.owner.uid, path: settings(plain) });
    const fields = page.getByRole("region", { name: "Aliases and active tags" });
    await fields.getByLabel("Active tags").waitFor();
    expect(await fields.getByLabel("Tier").count()).toBe(0);
    expect(await fields.getByRole("checkbox").count()).toBe(0);
    await page.goto(new URL(settings(uid), page.url()).href);
    await fields.getByLabel("Tier").selectOption("Not set");
    await fields.getByLabel("fips").uncheck();
    await fields.getByRole("button", { name: "Save" }).click();
    await fields.getByLabel("Tier").waitFor({ state: "detached" });
    await expect
      .poll(async () => {
        const { catalogTier = "CATALOG_TIER_UNSPECIFIED", bundles = [] } = await read(
          organization,
          uid,
        );
        return [catalogTier, bundles];
      })
      .toEqual(["CATALOG_TIER_UNSPECIFIED", []]);
    const viewer = await newIdentity(organization, "viewer");
    const seen = await openConsole({ as: viewer.uid, path: settings(plain) });
    await seen.page.getByText("You can see the settings, and not change them.").waitFor();
    expect(await seen.page.getByText(/^(?:Tier|Labels)$/).count()).toBe(0);
  });

  test("the owner deletes the repository, and its history remains", async () => {
    const organization = await newOrganization();
    const uid = await newRepo(organization);
    await createResource(`/registry/v2/tags/${uid}`, organization.owner.token, {
      ...{ name: "1.0.0", digest: fakeDigest("a") },
    });
    const path = `/console/repositories/${uid}/settings`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("its only tag").waitFor();
    await dialog.getByLabel("Type shop to confirm").fill("shop");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted shop.").waitFor();
    expect(addressOf(page)).toBe(`/repositories?group=${organization.uid}`);
    await page.evaluate((at) => history.pushState(null, "", at), `/console/repositories/${uid}`);
    await page.getByRole("heading", { name: "Repository not found" }).waitFor();
    await page.getByText("2 moves").waitFor();
    await page.getByRole("row", { name: /^1\.0\.0 Deleted/ }).waitFor();
  });

  test("the activity shows moves with their warnings, and a link can contain its filters", async () => {
    const organization = await newOrganization();
    const uid = await newRepo(organization);
    for (const [name, digest] of [
      ["1.0.0", "a"],
      ["2.0.0", "a"],
      ["1.0.0", "b"],
      ["1.0.0", "a"],
    ] as const) {
      const tag = { name, digest: fakeDigest(digest) };
      await createResource(`/registry/v2/tags/${uid}`, organization.owner.token, tag);
    }
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/repositories/${uid}/activity?warnings=1`;
    const { page } = await openConsole({ as: viewer.uid, path });
    await page.getByText("2 moves").waitFor();
    await page
      .getByRole("row", { name: /Rolled back/ })
      .getByText("Older digest")
      .waitFor();
    await expect.poll(() => page.getByText("Release moved").count()).toBe(2);
    await page.getByLabel("With a warning").uncheck();
    await page.getByText("4 moves").waitFor();
    await page.getByRole("searchbox").fill("2.");
    await page.getByText("1 move", { exact: true }).waitFor();
    expect(addressOf(page)).toBe(`/repositories/${uid}/activity?q=2.`);
    await expectGoodLooks(page);
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("You need the repo.update capability on this repository.").waitFor();
    await expectGoodLooks(page);
  });
});

import { expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { addressOf, expectGoodLooks } from "./looks.ts";

const newRepo = ({ uid, owner }: Organization, name: string, description = "") =>
  createResource(`/registry/v2/repos/${uid}`, owner.token, { name, description });

const listOf = ({ uid }: Organization) => `/console/repositories?group=${uid}`;

describeInChromium("repositories in the console", () => {
  test("the owner creates a repository, the list contains it, and the owner deletes it by its name", async () => {
    const organization = await newOrganization();
    const path = listOf(organization);
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.getByText("There are no repositories here yet").waitFor();
    await page.getByRole("button", { name: "New repository" }).click();
    const name = randomName("repo");
    await page.getByLabel("Name", { exact: true }).fill("Not A Name");
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".field-error").waitFor();
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByRole("link", { name: "Repositories" }).first().click();
    await page.getByRole("link", { name, exact: true }).waitFor();

    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("no tags").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click({ force: true });
    const { body } = await callRest(`/registry/v2/repos?uidp.children_of=${organization.uid}`, {
      token: organization.owner.token,
    });
    expect(body.totalCount).toBe("1");
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText(`Deleted ${name}.`).waitFor();
    await page.getByText("There are no repositories here yet").waitFor();
  });

  test("search, order and marks: a link shows the same list to everyone", async () => {
    const organization = await newOrganization();
    const { token } = organization.owner;
    const { uid } = await newRepo(organization, "web-shop", "The shop");
    await newRepo(organization, "web-api");
    await newRepo(organization, "worker");
    for (const name of ["1", "2"])
      await createResource(`/registry/v2/tags/${uid}`, token, {
        ...{ name, digest: fakeDigest(name), deprecated: true },
      });
    const { page } = await openConsole({
      as: organization.owner.uid,
      path: `${listOf(organization)}&order=name desc&q=WEB`,
    });
    await page.getByText("2 repositories").waitFor();
    const names = () => page.getByRole("row").getByRole("link").allTextContents();
    await expect.poll(names).toEqual(["web-shop", "2 end of life", "web-api"]);
    await expectGoodLooks(page);
    await page.getByRole("searchbox", { name: "Name begins with" }).fill("");
    await page.getByText("3 repositories").waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.locator("[aria-sort=ascending]").waitFor();
    await page.getByRole("row", { name: "web-api" }).waitFor();
    await expect.poll(names).toEqual(["web-api", "web-shop", "2 end of life", "worker"]);
    expect(addressOf(page)).toBe(`/repositories?group=${organization.uid}&order=name`);
    await page.getByRole("searchbox").fill("none");
    await page.getByText("No repository matches").waitFor();
    await page.getByRole("button", { name: "Show all repositories" }).click();
    await page.getByRole("link", { name: "2 end of life" }).click();
    await page.getByRole("table", { name: "Tags at their end of life" }).waitFor();
    expect(addressOf(page)).toBe(`/repositories/${uid}?show=end-of-life`);
  });

  test("a viewer is not offered what they may not do, and reads why", long, async () => {
    const organization = await newOrganization();
    await newRepo(organization, "seen");
    const viewer = await newIdentity(organization, "viewer");
    const path = listOf(organization);
    const { page } = await openConsole({ as: viewer.uid, path });
    await page.getByRole("link", { name: "seen" }).waitFor();
    await page.getByText(`You need the repo.create capability on ${organization.name}.`).waitFor({
      state: "attached",
    });
    await page.getByRole("button", { name: "New repository" }).click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Actions for seen" }).click();
    await page.getByText("You need the repo.delete capability on its group.").waitFor();
  });

  test("an error of the platform shows what happened, and trying again helps", long, async () => {
    const organization = await newOrganization();
    await newRepo(organization, "there");
    const { page } = await openConsole({
      ...{ as: organization.owner.uid, path: "/console" },
    });
    const failure = { code: 14, message: "the database is busy", details: [] };
    await page.route(/\/registry\/v2\/repos\?/, (route) =>
      route.fulfill({ status: 503, json: failure, headers: { "retry-after": "0" } }),
    );
    await page.evaluate((at) => history.pushState(null, "", at), listOf(organization));
    await page.getByRole("alert").getByText("the database is busy").waitFor();
    expect(await page.getByText("0 repositories").count()).toBe(0);
    await page.unroute(/\/registry\/v2\/repos\?/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "there" }).waitFor();
  });
});

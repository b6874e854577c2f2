import { expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

async function newTag({ uid, owner }: Organization, repoName = "shop") {
  const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: repoName });
  const body = { name: "latest", digest: fakeDigest("shop") };
  const tag = await createResource(`/registry/v2/tags/${repo.uid}`, owner.token, body);
  return { repo: repo.uid, tag: tag.uid };
}

describeInChromium("moving around in the console", () => {
  test("a new page begins at its top, and going back finds the place again", async () => {
    const { uid, owner } = await newOrganization();
    const visit = { as: owner.uid, path: `/console/roles?group=${uid}`, height: 400 };
    const { page } = await openConsole(visit);
    const place = () => page.evaluate(() => window.scrollY);
    await page.getByRole("link", { name: "viewer", exact: true }).scrollIntoViewIfNeeded();
    await expect.poll(place).toBeGreaterThan(100);
    const left = await place();
    await page.getByRole("link", { name: "viewer", exact: true }).click();
    await page.getByRole("heading", { name: "viewer", level: 1 }).waitFor();
    await expect.poll(place).toBe(0);
    await page.evaluate(
      () =>
        new Promise((noticed) => {
          window.addEventListener("scroll", noticed, { once: true });
          window.scrollTo(0, 50);
        }),
    );
    await page.goBack();
    await page.getByRole("heading", { name: "Roles", level: 1 }).waitFor();
    await expect.poll(place).toBe(left);
    await page.goForward();
    await expect.poll(place).toBe(50);

    // A page that is known already is long at once.
    await page.goBack();
    await expect.poll(place).toBe(left);
    await page.getByRole("link", { name: "viewer", exact: true }).click();
    await page.getByRole("heading", { name: "viewer", level: 1 }).waitFor();
    expect(await place()).toBe(0);
  });

  test("the address names the organization, another one shows its own list, and a visit without one opens the last", async () => {
    const one = await newOrganization("aaa");
    const { tag } = await newTag(one, "one-repo");
    const { token } = one.owner;
    const name = randomName("bbb");
    const other = await createResource("/iam/v2/groups", token, { name });
    await newTag({ uid: other.uid, name, owner: one.owner }, "other-repo");
    const visit = { as: one.owner.uid, path: `/console/tags/${tag}` };
    const { page } = await openConsole(visit);
    const group = () => new URL(page.url()).searchParams.get("group");
    const here = page.getByRole("navigation", { name: "Console" }).locator("[aria-current]");
    await page.getByRole("heading", { name: "one-repo:latest" }).waitFor();
    await expect.poll(() => here.textContent()).toBe("Repositories");
    await page.getByLabel("Organization").selectOption(name);
    await page.getByRole("link", { name: "other-repo" }).waitFor();
    expect(group()).toBe(other.uid);
    await page.getByRole("link", { name: "Home", exact: true }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    expect(group()).toBe(other.uid);
    await page.goto(page.url().replace(/\?.*$/, ""));
    await expect.poll(group).toBe(other.uid);
  });

  test("a visit without an address opens the last group, or its organization if it is gone, and signing out forgets it", async () => {
    const { uid, name, owner } = await newOrganization();
    const team = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
    const { tag } = await newTag({ uid, name, owner });
    const path = `/console/repositories?group=${team.uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const kept = () => page.evaluate(() => localStorage.getItem("console.place"));
    const start = new URL("/console", page.url()).href;
    const group = () => new URL(page.url()).searchParams.get("group");
    await expect.poll(kept).toBe(team.uid);
    // The path of a tag names the organization only.
    await page.goto(`${start}/tags/${tag}`);
    await page.getByRole("heading", { name: "shop:latest" }).waitFor();
    await page.goto(start);
    await page.getByRole("heading", { name: "team", level: 1 }).waitFor();
    await expect.poll(group).toBe(team.uid);
    await callRest(`/iam/v2/groups/${team.uid}`, { method: "DELETE", token: owner.token });
    await page.goto(start);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await expect.poll(group).toBe(uid);
    await expect.poll(kept).toBe(uid);
    await page.evaluate((of) => localStorage.setItem("console.place", of), `${"a".repeat(40)}`);
    await page.goto(start);
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await expect.poll(kept).toBe(uid);
    await page.getByRole("button", { name: /^Signed in as/ }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    expect(await kept()).toBe(null);
  });

  test("a page that cannot be read has a title and a way up", async () => {
    const { uid, owner } = await newOrganization();
    const absent = `${uid}/0123456789abcdef`;
    const visit = { as: owner.uid, path: `/console/identities/${absent}` };
    const { page } = await openConsole(visit);
    await page.getByRole("heading", { name: "Identity", level: 1 }).waitFor();
    await page.getByText("It was deleted, or the address is wrong.").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Breadcrumbs").getByRole("link", { name: "Identities" }).click();
    await page.getByText("There are no identities here yet").waitFor();
  });

  test("a page whose code is not there without a network appears once it is back", async () => {
    const { uid, owner } = await newOrganization();
    const visit = { as: owner.uid, path: `/console/repositories?group=${uid}`, isFirstVisit: true };
    const { page } = await openConsole(visit);
    await page.getByText("There are no repositories here yet").waitFor();
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Invites" }).click();
    await page.getByText("This page has not been loaded yet").waitFor();
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.getByRole("heading", { name: "Invites", level: 1 }).waitFor();
  });
});

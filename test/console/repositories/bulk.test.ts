/** Changes of many tags at once in the console. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "./looks.ts";

/** A repository with three tags, and one that a rule keeps. */
async function newTags() {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const { uid: repo } = await createResource(`/registry/v2/repos/${uid}`, owner.token, {
    name: "shop",
  });
  const uids: Record<string, string> = {};
  for (const name of ["a", "b", "c", "v1"]) {
    const tag = { name, digest: fakeDigest(name) };
    uids[name] = (await createResource(`/registry/v2/tags/${repo}`, owner.token, tag)).uid;
  }
  await createResource(`/registry/v2/tagRules/${uid}`, owner.token, {
    ...{ name: "releases", includeTags: ["v*"], keep: { writeOnce: true } },
  });
  return { organization, repo, uids };
}

async function endsOfLife({ owner }: Organization, repo: string) {
  const path = `/registry/v2/tags?uidp.children_of=${repo}`;
  const { body } = await callRest(path, { token: owner.token });
  return Object.fromEntries(
    body.tags.map((one: { name: string; deprecated: boolean }) => [one.name, one.deprecated]),
  );
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

describeInChromium("many tags in the console", () => {
  test("are deleted after a preview; what a rule keeps and what fails stays, with the reason", async () => {
    const { organization, repo, uids } = await newTags();
    const path = `/console/repositories/${repo}`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    await page.getByRole("checkbox", { name: "Select a", exact: true }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("button", { name: "Delete 1 tag", exact: true }).waitFor();
    await press(page, "Select all shown");
    await press(page, "Delete 4 tags");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("3 of 4 tags can be deleted.").waitFor();
    const kept = dialog.getByRole("region", { name: "Stay as they are" });
    await kept.getByText(/^v1: the rule "releases"/).waitFor();
    await expectAccessible(page);

    const refusal = { code: 9, message: "the registry is read-only", details: [] };
    await page.route(new RegExp(`/registry/v2/tags/${uids.b}`), (route) =>
      route.request().method() === "DELETE"
        ? route.fulfill({ status: 400, json: refusal })
        : route.continue(),
    );
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByText("2 of 3 tags deleted.").waitFor();
    const failed = dialog.getByRole("region", { name: "Not deleted" });
    await failed.getByText("b: the registry is read-only").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("link", { name: "a", exact: true }).waitFor({ state: "detached" });
    expect(await endsOfLife(organization, repo)).toEqual({ b: false, v1: false });

    await press(page, "Mark 1 tag as end of life");
    await dialog.getByRole("button", { name: "Mark as end of life" }).click();
    await page.getByText("1 tag marked.").waitFor();
    expect(await endsOfLife(organization, repo)).toEqual({ b: true, v1: false });
    await page.getByRole("row", { name: /End of life/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select b", exact: true }).check();
    await expectGoodLooks(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole("button", { name: /^More about v1/ }).waitFor();
  });

  test("cannot be selected by someone who may change none", async () => {
    const { organization, repo } = await newTags();
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/repositories/${repo}`;
    const { page } = await openConsole({ as: viewer.uid, path });
    await page.getByRole("button", { name: "Actions for v1" }).click();
    await page.getByText("You need the tag.delete capability on this repository.").waitFor();
    expect(await page.getByRole("checkbox", { name: /^Select / }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Select all shown" }).count()).toBe(0);
  });
});

/** The picture of pulls on the pages of a tag and of an image. */
import { expect, test } from "vitest";
import { send } from "../../distribution/client.ts";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";
import { newPushedRepo, pushImage } from "../scanned_images.ts";

/** An image with the tag `1.0`, and three pulls of it: two by the tag, and one by its digest. */
async function newPulls() {
  const organization = await newOrganization();
  const { token, uid: owner } = organization.owner;
  const repo = await newPushedRepo(organization);
  const { digest } = await pushImage(repo, { tag: "1.0" });
  const subscription = { sink: "http://127.0.0.1:1/", eventTypes: ["registry.pull.v1"] };
  await createResource(`/events/v2/subscriptions/${organization.uid}`, token, subscription);
  for (const reference of ["1.0", "1.0", digest])
    await (await send(repo, `manifests/${reference}`)).arrayBuffer();
  const path = `/events/v2/events?uidp.descendants_of=${organization.uid}&types=registry.pull.v1`;
  const count = async () => (await callRest(path, { token })).body.events?.length;
  await expect.poll(count).toBe(3);
  const { body } = await callRest(`/registry/v2/tags?uidp.children_of=${repo.uid}`, { token });
  return { organization, owner, repo, digest, tag: body.tags[0].uid };
}

describeInChromium("who pulled this, and when", () => {
  test("a tag and an image have bars, the same as text, and everyone who pulled", async () => {
    const { owner, repo, digest, tag } = await newPulls();
    const { page } = await openConsole({ as: owner, path: `/console/tags/${tag}` });
    const pulls = page.getByRole("region", { name: "Who pulled this, and when" });
    await pulls
      .getByRole("img", { name: /^2 pulls by 1 identity\. The most in one day: 2/ })
      .waitFor();
    const who = pulls.getByRole("list", { name: "Identities that pulled" });
    await who.getByText(/\(you\)/).waitFor();
    await pulls.locator("summary").focus();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => pulls.locator("details li").allInnerTexts())
      .toEqual([expect.stringMatching(/^\w+ \d+: 2 pulls \(.+ 2\)$/)]);
    await pulls.getByRole("combobox", { name: "Pulls" }).selectOption("By hour, for 24 hours");
    await pulls.getByRole("img", { name: /The most in one hour: / }).waitFor();
    await expect.poll(() => pulls.locator(".pulls-bar").count()).toBe(24);
    expect(new URL(page.url()).searchParams.get("pulled")).toBe("24h");
    await expectGoodLooks(page);
    await page.goto(new URL(`/console/images/${repo.uid}@${digest}?view=pulls`, page.url()).href);
    await pulls.getByRole("img", { name: /^3 pulls by 1 identity/ }).waitFor();
    await expectGoodLooks(page);
  });

  test("without pulls, and without the capability, the page says why", async () => {
    const organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    const { digest } = await pushImage(repo, { tag: "1.0" });
    const path = `/console/images/${repo.uid}@${digest}?view=pulls`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    await page.getByText("No pull is recorded in this time.").waitFor();
    const viewer = await newIdentity(organization, "viewer");
    const seen = await openConsole({ as: viewer.uid, path });
    await seen.page.getByText("You need the events.list capability on the organization.").waitFor();
  });
});

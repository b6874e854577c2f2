/** The button that moves a tag back to the image of the chosen moment. */
import { Buffer } from "node:buffer";
import { beforeEach, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

describeInChromium("an earlier image of a tag", () => {
  let organization: Organization;
  let tag = "";
  let manifest = "";
  let digest = "";
  let since = "";
  beforeEach(async () => {
    organization = await newOrganization();
    const { uid, owner } = organization;
    const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "python" });
    for (const size of [1, 2]) {
      const content = Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString(
        "base64",
      );
      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      const path = `/registry/v2/manifests/${repo.uid}`;
      const stored = await createResource(path, owner.token, { mediaType, content });
      const moved = await createResource(`/registry/v2/tags/${repo.uid}`, owner.token, {
        name: "3.12",
        digest: stored.digest,
      });
      tag = moved.uid;
      if (size === 2) continue;
      manifest = stored.uid;
      digest = String(stored.digest);
      since = String(moved.updateTime);
    }
  });

  const openMoment = async () => {
    const path = `/console/tags/${tag}?at=${since}`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    await page.getByRole("button", { name: "Move the tag back to this image" }).click();
    return page;
  };
  const current = async () =>
    (await callRest(`/registry/v2/tags/${tag}`, { token: organization.owner.token })).body.digest;

  test("is that of the tag again after a question, and the history shows it", async () => {
    const page = await openMoment();
    await expectAccessible(page);
    expect(await current()).not.toBe(digest);
    await page.getByRole("button", { name: "Move back", exact: true }).click();
    await page.getByText(/^Moved 3\.12 back to/).waitFor();
    expect(await current()).toBe(digest);
    await page.getByText("3 records").waitFor();
  });

  test("whose manifest is gone stays where it is, and the dialog says so", async () => {
    const { token } = organization.owner;
    await callRest(`/registry/v2/manifests/${manifest}`, { method: "DELETE", token });
    const page = await openMoment();
    await page.getByRole("button", { name: "Move back", exact: true }).click();
    await page.getByText(/the repository no longer has sha256/).waitFor();
    expect(await current()).not.toBe(digest);
  });
});

/** A tag moves back to an earlier image: from its timeline, and from the list of moves. */
import { Buffer } from "node:buffer";
import { beforeEach, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

/** Stores an image, and points the tag to it. */
async function moveTo(repo: string, token: string, size: number) {
  const content = Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString("base64");
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const path = `/registry/v2/manifests/${repo}`;
  const stored = await createResource(path, token, { mediaType, content });
  const digest = String(stored.digest);
  const moved = await createResource(`/registry/v2/tags/${repo}`, token, { name: "3.12", digest });
  return { manifest: stored.uid, digest, tag: moved.uid, since: String(moved.updateTime) };
}

const shortOf = (digest: string) => digest.slice(0, 19);

describeInChromium("an earlier image of a tag", () => {
  let organization: Organization;
  let repoUid = "";
  let tag = "";
  let manifest = "";
  let digest = "";
  let since = "";
  let second = "";
  beforeEach(async () => {
    organization = await newOrganization();
    const { uid, owner } = organization;
    const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "python" });
    repoUid = repo.uid;
    ({ manifest, digest, tag, since } = await moveTo(repo.uid, owner.token, 1));
    second = (await moveTo(repo.uid, owner.token, 2)).digest;
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
    const dialog = page.getByRole("dialog");
    for (const text of [shortOf(second), shortOf(digest)]) await dialog.getByText(text).waitFor();
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

  test("does not replace a move that someone made since, and the dialog says so", async () => {
    const page = await openMoment();
    const third = await moveTo(repoUid, organization.owner.token, 3);
    const move = page.getByRole("button", { name: "Move back", exact: true });
    await move.click();
    await page.getByText("Someone has moved the tag since you opened this.").waitFor();
    expect(await current()).toBe(third.digest);
    await page.getByRole("dialog").getByText(shortOf(third.digest)).waitFor();
    await move.click();
    await page.getByText(/^Moved 3\.12 back to/).waitFor();
    expect(await current()).toBe(digest);
  });

  test("is the tag's again from the list of moves, which a viewer cannot choose", async () => {
    const path = `/console/moves?group=${organization.uid}`;
    const { page } = await openConsole({ as: organization.owner.uid, path });
    const menu = { name: "Actions for the move of 3.12" };
    await page.getByRole("button", menu).first().click();
    await page.getByRole("button", { name: /before this move$/ }).click();
    await page.getByRole("button", { name: "Move back", exact: true }).click();
    await page.getByText("3 moves", { exact: true }).waitFor();
    expect(await current()).toBe(digest);
    const viewer = await newIdentity(organization, "viewer");
    const { page: other } = await openConsole({ as: viewer.uid, path });
    await other.getByRole("button", menu).first().click();
    await other.getByText("You need the tag.create capability on this group.").first().waitFor();
  });
});

/** Pages of the console without data say what to do next. */
import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { registryAudience } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { newPushedRepo, pushImage, storeReport } from "../scanned_images.ts";

describeInChromium("an empty page in the console", () => {
  test("of a repository says how to push, or which capability that needs", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const made = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "shop" });
    const path = `/console/repositories/${made.uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByText(`docker push ${registryAudience}/${uid}/shop:1.0`).waitFor();
    await page.getByRole("button", { name: "Copy the push command" }).waitFor();
    const viewer = await newIdentity(organization, "viewer");
    const { page: other } = await openConsole({ as: viewer.uid, path });
    await other.getByText(/You need the tag\.create capability on this repository/).waitFor();
    expect(await other.getByText("docker push").count()).toBe(0);
  });

  test("of vulnerabilities never says that images without a scan have none", async () => {
    const organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    const { digest } = await pushImage(repo, { tag: "1.0" });
    const as = organization.owner.uid;
    const path = `/console/vulnerabilities?group=${organization.uid}`;
    const { page } = await openConsole({ as, path });
    await page.getByText("No image here has been scanned").waitFor();
    const tags = `/console/repositories/${repo.uid}`;
    const { page: list } = await openConsole({ as, path: tags });
    await list.getByRole("link", { name: "Not scanned" }).click();
    await list.getByText("This image has not been scanned").waitFor();
    await storeReport(repo, digest, []);
    await page.reload();
    await page.getByText("No vulnerability is found in the images that were searched").waitFor();
  });
});

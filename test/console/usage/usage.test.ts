import { expect, test } from "vitest";
import { newImageOf, newPusher, pushImage, send, someBytes } from "../../distribution/client.ts";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

import { describeInChromium, openConsole } from "../chromium.ts";

/** An organization with two images, one of them larger, and two pulls of the smaller one. */
async function newRegistry() {
  const { organization, token } = await newPusher();
  const target = (name: string) => ({ token, name: `${organization.uid}/${name}` });
  await pushImage(target("small"), "1", newImageOf({ layer: someBytes(20_000) }));
  await pushImage(target("large"), "1", newImageOf({ layer: someBytes(300_000) }));
  for (const _ of [1, 2]) await (await send(target("small"), "manifests/1")).arrayBuffer();
  const pulls = () =>
    sql<{ pulls: number }>(
      "select pulls from pull_hours join repo_storage on id = repo_id where substr(uid, 1, 40) = ?",
      organization.uid,
    );
  await expect.poll(pulls).toEqual([{ pulls: 2 }]);
  return organization;
}

describeInChromium("usage in the console", () => {
  test("the owner sees the storage, the limits, the largest repositories and their traffic", async () => {
    const organization = await newRegistry();
    await sql(
      "update organization_storage set byte_limit = ? where uid = ?",
      330_000,
      organization.uid,
    );
    await sql("insert into quotas values (?, 'repos', 4, 1)", organization.uid);
    const path = `/console/usage?group=${organization.uid}`;
    const { page } = await openConsole({
      ...{ as: organization.owner.uid, path },
    });
    await page.getByText("The limit is near.").waitFor();
    await page.getByRole("meter", { name: "Storage" }).waitFor();
    await page.getByText("0 of 50").waitFor();
    await page.getByRole("meter", { name: "Repositories" }).waitFor();
    await page.getByText("2 of 4 (50 %)").waitFor();
    const storage = page.getByRole("table", { name: "Storage of repositories" });
    await storage.getByRole("link", { name: "large" }).waitFor();
    await expect.poll(() => storage.getByRole("link").allInnerTexts()).toEqual(["large", "small"]);
    const pulls = storage.getByRole("row").filter({ hasText: "small" }).getByRole("cell").last();
    await expect.poll(() => pulls.innerText()).toBe("2");
    const traffic = page.getByRole("table", { name: "Pushes of repositories" });
    const small = traffic.getByRole("row").filter({ hasText: "small" });
    await small.getByRole("link").first().waitFor();
    await expect.poll(() => small.getByRole("link").allInnerTexts()).toEqual(["small", "1"]);
    await small.getByRole("link", { name: "1", exact: true }).click();
    await page.getByText("1 event", { exact: true }).waitFor();
  });

  test("without capabilities, each part says what is missing", long, async () => {
    const organization = await newOrganization();
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/usage?group=${organization.uid}`;
    const visit = await openConsole({ as: viewer.uid, path });
    await visit.page.getByText("No repository has content yet").waitFor();
    await visit.page.getByText(/You need the events.list capability/).waitFor();
    const reader = await newIdentity(organization, "advisories.viewer");
    const refused = await openConsole({ as: reader.uid, path });
    await refused.page.getByText(/You need the repo.list capability/).waitFor();
  });
});

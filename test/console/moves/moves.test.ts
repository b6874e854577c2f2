import { beforeAll, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

import { describeInChromium, openConsole } from "../chromium.ts";

/** An organization whose release moved, and whose oldest tag has a replacement. */
async function newTags(): Promise<Organization> {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const { token } = owner;
  const { uid: repo } = await createResource(`/registry/v2/repos/${uid}`, token, { name: "shop" });
  const newTag = (name: string, more: object = {}) =>
    createResource(`/registry/v2/tags/${repo}`, token, { name, digest: fakeDigest(name), ...more });
  await newTag("1.0.0", { deprecated: true });
  await newTag("2.0.0");
  await newTag("2.0.0", { digest: fakeDigest("other") });
  return organization;
}

describeInChromium("tag moves in the console", () => {
  let organization: Organization;
  beforeAll(async () => {
    organization = await newTags();
  });
  const open = (path: string, visit: Partial<Parameters<typeof openConsole>[0]> = {}) =>
    openConsole({
      ...{ as: organization.owner.uid, path: `/console/${path}?group=${organization.uid}` },
      ...visit,
    });

  test("a person filters moves by name, kind and warning, and shares the address", async () => {
    const { page } = await open("moves");
    await page.getByText("3 moves", { exact: true }).waitFor();
    await page.getByLabel("With a warning").check();
    await page.getByText("1 move", { exact: true }).waitFor();
    await page.getByText("Release moved").waitFor();
    await page.reload();
    await page.getByText("1 move", { exact: true }).waitFor();
    await page.getByLabel("With a warning").uncheck();
    await page.getByRole("searchbox", { name: "Tag" }).fill("1.0");
    await page.getByText("1 move", { exact: true }).waitFor();
    await page.getByLabel("Move", { exact: true }).selectOption("TAG_MOVE_KIND_DELETED");
    await page.getByText("No move matches these filters").waitFor();
  });

  test("a person sees what replaces an end-of-life tag", async () => {
    const { page } = await open("end-of-life");
    await page.getByRole("link", { name: "shop:1.0.0" }).waitFor();
    await page.getByRole("link", { name: "2.0.0", exact: true }).waitFor();
    await page.getByLabel("Pulled in").selectOption("7d");
    await page.getByText("No end-of-life tag matches these filters").waitFor();
  });

  test("a match is found although the pages of the list before it are empty", long, async () => {
    const { uid, owner } = await newOrganization();
    const { uid: repo } = await createResource(`/registry/v2/repos/${uid}`, owner.token, {
      name: "many",
    });
    await sql(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < 449)
       insert into tag_moves (repo_uid, tag, update_time, digest)
       select ?, iif(i = 0, 'rare', 'common'), 1750000000000 + i, 'sha256:' || printf('%064x', i) from n`,
      repo,
    );
    const path = `/console/moves?group=${uid}&tag=rare`;
    const { page } = await open("moves", { as: owner.uid, path });
    await page.getByText("rare").waitFor();
    await page.getByText("1 move", { exact: true }).waitFor();
  });

  test("without the capability, the pages say which one is missing", long, async () => {
    const { uid } = await newIdentity(organization, "advisories.viewer");
    const { page } = await open("moves", { as: uid });
    await page.getByText(/You need the tag.list capability/).waitFor();
    await page.getByRole("link", { name: "End-of-life tags" }).click();
    await page.getByText(/You need the tag.list capability/).waitFor();
  });
});

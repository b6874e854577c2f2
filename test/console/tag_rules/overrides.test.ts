/** Tags that a rule keeps, in the console: why, and how someone overrides the rule. */
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { expectGoodLooks } from "../repositories/looks.ts";

const mediaType = "application/vnd.oci.image.manifest.v1+json";

/** A repository with two images. Its tag v1 pointed to the first one, then to the second, and is kept since then. */
async function newKeptTag() {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const { token } = owner;
  const { uid: repo } = await createResource(`/registry/v2/repos/${uid}`, token, { name: "shop" });
  const moves: Record<string, string>[] = [];
  for (const size of [1, 2]) {
    const content = Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString(
      "base64",
    );
    const path = `/registry/v2/manifests/${repo}`;
    const { digest } = await createResource(path, token, { mediaType, content });
    const tag = await createResource(`/registry/v2/tags/${repo}`, token, { name: "v1", digest });
    moves.push({ uid: tag.uid, digest: String(digest), since: String(tag.updateTime) });
  }
  await createResource(`/registry/v2/tagRules/${uid}`, token, {
    ...{ name: "releases", includeTags: ["v*"], keep: { writeOnce: true } },
  });
  const [first = {}] = moves;
  return { organization, repo, token, tag: first.uid ?? "", first };
}

type Kept = Awaited<ReturnType<typeof newKeptTag>>;

const reason = "urgent fix";

/** Each dialog that a rule can refuse: who may do it, where it is, how it opens, and whether it has done its work. */
const dialogs: [
  title: string,
  role: string,
  address: (kept: Kept) => string,
  open: (page: Page) => Promise<void>,
  action: string,
  isDone: (kept: Kept) => Promise<boolean>,
][] = [
  [
    "moves the tag back",
    "registry.push",
    ({ tag, first }) => `tags/${tag}?at=${first.since}`,
    (page) => page.getByRole("button", { name: "Move the tag back to this image" }).click(),
    "Move back",
    async ({ tag, token, first }) =>
      (await callRest(`/registry/v2/tags/${tag}`, { token })).body.digest === first.digest,
  ],
  [
    "deletes the tag",
    "registry.push",
    ({ repo }) => `repositories/${repo}`,
    async (page) => {
      await page.getByRole("button", { name: "Actions for v1" }).click();
      await page.getByRole("button", { name: "Delete", exact: true }).click();
    },
    "Delete",
    async ({ tag, token }) =>
      (await callRest(`/registry/v2/tags/${tag}`, { token })).status === 404,
  ],
  [
    "deletes the repository",
    "editor",
    ({ repo }) => `repositories/${repo}/settings`,
    async (page) => {
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByLabel("Type shop to confirm").fill("shop");
    },
    "Delete",
    async ({ repo, token }) =>
      (await callRest(`/registry/v2/repos/${repo}`, { token })).status === 404,
  ],
];

describeInChromium("a kept tag in the console", () => {
  test.each(dialogs)("an owner with a reason %s, and the role %s is not enough", async (...row) => {
    const [, role, address, open, action, isDone] = row;
    const kept = await newKeptTag();
    const path = `/console/${address(kept)}`;
    const attempt = async (as: string) => {
      const { page } = await openConsole({ as, path });
      await open(page);
      const dialog = page.getByRole("dialog");
      const press = () => dialog.getByRole("button", { name: action, exact: true }).click();
      await press();
      await dialog.getByText(/the rule "releases" of \S+ keeps shop:v1 since [^;]*$/).waitFor();
      return { page, dialog, press };
    };
    const writer = await attempt((await newIdentity(kept.organization, role)).uid);
    await writer.dialog.getByText("You need the tag.override capability").waitFor();
    expect(await writer.dialog.getByLabel("Reason to override the rule").count()).toBe(0);

    const { dialog, page, press } = await attempt(kept.organization.owner.uid);
    await expectGoodLooks(page);
    expect(await isDone(kept)).toBe(false);
    await dialog.getByLabel("Reason to override the rule").fill(reason);
    await press();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => isDone(kept)).toBe(true);
    const history = `/console/tags/${kept.repo}/-?name=v1`;
    const shown = await openConsole({ as: kept.organization.owner.uid, path: history });
    const facts = shown.page.getByRole("region", { name: "The tag now" });
    await facts.getByText(`releases: ${reason}`).waitFor();
  });

  test("its page says which rule keeps it and why, and whether it can move to a digest", async () => {
    const kept = await newKeptTag();
    const path = `/console/tags/${kept.tag}?at=${kept.first.since}`;
    const { page } = await openConsole({ as: kept.organization.owner.uid, path });
    const rules = page.getByRole("region", { name: "Tag rules" });
    await rules.getByText("Kept by releases: it is kept, so it cannot be deleted.").waitFor();
    await rules.getByRole("button", { name: "Check" }).click();
    await rules.getByText("Kept by releases: it can be set only once.").waitFor();
    await rules.getByLabel("Can it move to this digest?").fill("latest");
    await rules.getByRole("button", { name: "Check" }).click();
    await rules.locator(".field-error").waitFor();
    await expectGoodLooks(page);
    await rules.getByRole("link", { name: "releases" }).first().click();
    await page.getByRole("region", { name: "releases" }).waitFor();
  });

  test("the lists of moves show which rule was overridden, and the reason", async () => {
    const { organization, repo, tag, token, first } = await newKeptTag();
    const path = `/registry/v2/tags/${tag}:rollback`;
    const { status } = await callRest(path, {
      ...{ token, body: { digest: first.digest, overrideReason: reason } },
    });
    expect(status).toBe(200);
    const lists = [
      `moves?group=${organization.uid}`,
      `repositories/${repo}/activity`,
      `tags/${tag}`,
    ];
    for (const address of lists) {
      const { page } = await openConsole({
        ...{ as: organization.owner.uid, path: `/console/${address}` },
      });
      const override = page.getByText(`Overrode releases: ${reason}`).filter({ visible: true });
      await override.waitFor();
      await page.setViewportSize({ width: 360, height: 800 });
      await override.waitFor();
      await expectGoodLooks(page);
    }
  });
});

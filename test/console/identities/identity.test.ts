/** One identity in the console: created, used, changed and deleted. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { audience, callRest, issuer, tokenFor } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

const github = "https://token.actions.githubusercontent.com";

/** Chooses an option of a field with suggestions. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).fill(text);
  await page.getByRole("option", { name: text }).first().click();
}

const mainBranch = "repo:acme/app:ref:refs/heads/main";

const newWorkflow = async ({ uid, owner }: Organization, role?: string) => {
  const name = randomName("workflow");
  const claimMatch = { issuer: github, subject: mainBranch };
  const made = await createResource(`/iam/v2/identities/${uid}`, owner.token, { name, claimMatch });
  if (role)
    await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, {
      ...{ identityUid: made.uid, roleUid: await roleUid(role) },
    });
  return { uid: made.uid, name };
};

describeInChromium("one identity", () => {
  test("is created by a guide with a role, and if the role fails, the page says what exists", async () => {
    const org = await newOrganization();
    const path = `/console/identities/new?group=${org.uid}`;
    const { page } = await openConsole({ as: org.owner.uid, path });
    await page.getByRole("textbox", { name: "Repository", exact: true }).fill("acme/app");
    await page.getByText("repo:acme/app:ref:refs/heads/main").first().waitFor();
    await page.getByLabel("Bind a role to it").check();
    await choose(page, "Role", "registry.push");
    await page.route("**/iam/v2/roleBindings/**", (route) =>
      route.fulfill({ status: 503, json: { code: 14, message: "Unavailable: try later" } }),
    );
    await page.getByRole("button", { name: "Create it and bind the role" }).click();
    await page.getByText("The identity exists, without its role").waitFor();
    await page.getByText("Unavailable: try later").waitFor();
    await page.unroute("**/iam/v2/roleBindings/**");
    await page.getByRole("button", { name: "Try again" }).click();

    // The page then shows how to use it, with its own uid.
    await page.getByRole("heading", { name: "GitHub Actions" }).waitFor();
    const [, uid = ""] = /identities\/([0-9a-f/]+)\?/.exec(page.url()) ?? [];
    await page
      .getByText(`/sts/exchange?aud=${encodeURIComponent(audience)}&identity=${uid}`)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Access", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "registry.push" }).waitFor();
    await choose(page, "Capability", "repo.create");
    await page.getByText("Yes", { exact: true }).waitFor();
    expect(page.url()).toContain("capability=repo.create");
  });

  test("is renamed at once, and the notice takes the new name back", async () => {
    const org = await newOrganization();
    const { uid, name } = await newWorkflow(org);
    const path = `/console/identities/${uid}?view=edit`;
    const { page } = await openConsole({ as: org.owner.uid, path });
    const field = page.getByRole("textbox", { name: "Name" });
    await field.fill("Not A Name");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".field-error").waitFor();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await field.fill("renamed");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "renamed", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    const stored = async () =>
      (await callRest(`/iam/v2/identities/${uid}`, { token: org.owner.token })).body.name;
    await expect.poll(stored).toBe(name);
  });

  test("accepts other tokens only after a preview of who gains and loses access", async () => {
    const org = await newOrganization();
    const { uid } = await newWorkflow(org, "registry.pull");
    const path = `/console/identities/${uid}`;
    const { page } = await openConsole({ as: org.owner.uid, path });
    await page.getByText("whose subject is exactly").waitFor();
    await page.getByText("A name that can be reused").waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    const subject = page.locator(".identities-matcher").filter({ hasText: "Subject" });
    await subject.getByLabel("Subject", { exact: true }).fill("repo:acme.*");
    await subject.getByLabel("A pattern").check();
    await page.getByRole("button", { name: "Add a claim" }).click();
    await page.getByLabel("Claim", { exact: true }).fill("repository_owner");
    await page.getByLabel("Value", { exact: true }).fill("acme");
    await page.getByRole("button", { name: "Review the change" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The new tokens gain access, the old tokens lose access.").waitFor();
    expect(
      (await callRest(`/iam/v2/identities/${uid}`, { token: org.owner.token })).body.claimMatch
        .subject,
    ).toBe(mainBranch);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("whose subject matches the pattern").waitFor();
    await page.getByText("Every project").waitFor();
    const { body } = await callRest(`/iam/v2/identities/${uid}`, { token: org.owner.token });
    expect(body.claimMatch).toEqual({
      ...{ issuer: github, subjectPattern: "repo:acme.*" },
      claims: { repository_owner: "acme" },
    });
  });

  test("shows its exchanges, and is deleted only by its name, with its role bindings", async () => {
    const org = await newOrganization();
    const { token } = org.owner;
    const source = await newIdentity(org, undefined);
    const { uid } = await createResource(`/iam/v2/identities/${org.uid}`, token, {
      ...{ name: "assumed", claimMatch: { issuer, subject: source.uid } },
    });
    await createResource(`/iam/v2/roleBindings/${org.uid}`, token, {
      ...{ identityUid: uid, roleUid: await roleUid("viewer") },
    });
    const exchange = `/sts/exchange?aud=${audience}&identity=${uid}`;
    const exchanged = await callRest(exchange, {
      method: "POST",
      token: await tokenFor(source.uid),
    });
    expect(exchanged.status).toBe(200);
    const path = `/console/identities/${uid}?view=activity`;
    const { page } = await openConsole({ as: org.owner.uid, path });
    await page.getByText("for a token of the platform").waitFor();
    await page.getByText("Was created").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("assumed loses access.").waitFor();
    await dialog.getByLabel("Type assumed to confirm").fill("assumed");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Identities", level: 1 }).waitFor();
    await page.getByText("Deleted assumed.").waitFor();
    expect(await page.getByRole("link", { name: "assumed" }).count()).toBe(0);
    const bindings = await callRest(`/iam/v2/roleBindings?identity=${uid}`, { token });
    expect(bindings.body.totalCount).toBe("0");
  });
});

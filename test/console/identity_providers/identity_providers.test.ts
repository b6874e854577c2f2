import { expect, test } from "vitest";
import {
  newIdentityProvider,
  sharedProvider,
} from "../../iam/identity_providers/openid_provider.ts";
import { newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

describeInChromium("identity providers in the console", () => {
  test("an owner registers a provider, changes it without its secret, and deletes it", async () => {
    const { uid, owner } = await newOrganization();
    const { url } = await sharedProvider();
    const path = `/console/identity-providers?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByText("There is no identity provider here").waitFor();
    await page.getByRole("button", { name: "New identity provider" }).click();
    await page.getByLabel("Name", { exact: true }).fill("corp");
    await page.getByRole("combobox", { name: "Default role" }).fill("viewer");
    await page.getByRole("option", { name: /^viewer/ }).click();
    await page.getByLabel("Issuer").fill("http://192.168.1.1");
    await page.getByLabel("Client id").fill("platform");
    await page.getByLabel("Client secret").fill("sec-ret");
    await page.getByLabel("PKCE").uncheck();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.locator(".field-error, .error-notice").first().waitFor();
    await page.getByLabel("Issuer").fill(url);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "corp", level: 1 }).waitFor();
    const test = page.getByRole("link", { name: "Test the login" });
    const provider = page.url().split("/identity-providers/")[1] ?? "";
    await expect
      .poll(() => test.getAttribute("href"))
      .toContain(`/oauth?idp_id=${encodeURIComponent(provider)}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Groups claim").fill("groups");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await page.getByRole("button", { name: "Save" }).click();
    expect(new URL((await sent).url()).searchParams.get("updateMask")).toBe("oidc.groupsClaim");
    await page.getByRole("heading", { name: "corp", level: 1, exact: true }).waitFor();
    expect(await page.content()).not.toContain("sec-ret");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByLabel("Type corp to confirm").fill("corp");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There is no identity provider here").waitFor();
  });

  test("a SCIM token is shown once, replaced with an overlap, and revoked", async () => {
    const organization = await newOrganization();
    const { owner } = organization;
    const provider = await newIdentityProvider(organization);
    const path = `/console/identity-providers/${provider.uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const dialog = page.getByRole("dialog");
    const read = async () =>
      (await callRest(`/iam/v2/identityProviders/${provider.uid}`, { token: owner.token })).body
        .scim;

    await page.getByRole("button", { name: "Issue a token" }).click();
    await dialog.getByRole("button", { name: "Issue" }).click();
    await page.getByRole("button", { name: "Copy the token" }).click();
    const token = await page.evaluate(() => navigator.clipboard.readText());
    await expectAccessible(page);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Works", { exact: true }).waitFor();
    expect(await page.content()).not.toContain(token);

    await page.getByRole("button", { name: "Switch SCIM on" }).click();
    await dialog.getByRole("button", { name: "Switch on" }).click();
    await dialog.getByText("at least 2 identities must have the role owner").waitFor();
    await newIdentity(organization, "owner");
    await dialog.getByRole("button", { name: "Switch on" }).click();
    await page.getByText("only active provisioned users").waitFor();
    await page.getByText(`SCIM of ${provider.name} is on.`).waitFor();
    expect((await read()).enabled).toBe(true);
    const users = { token, headers: { "content-type": "application/scim+json" } };
    expect((await callRest(`/scim/v2/${provider.uid}/Users`, users)).status).toBe(200);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(`SCIM of ${provider.name} is off.`).waitFor();
    await page.getByText("everyone whom the provider lets in").waitFor();

    await page.getByRole("button", { name: "Replace the token" }).click();
    await page.getByLabel("The old token works on for").selectOption("8 hours");
    await dialog.getByRole("button", { name: "Replace" }).click();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("in 7 hours").waitFor();
    await page.getByRole("button", { name: "Revoke the token" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked", { exact: true }).waitFor();
    expect(await read()).toMatchObject({
      ...{ enabled: false, credentialState: "CREDENTIAL_STATE_REVOKED" },
    });
  });

  test("a viewer sees the provider, and why they cannot change it", long, async () => {
    const organization = await newOrganization();
    const provider = await newIdentityProvider(organization);
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/identity-providers?group=${organization.uid}`;
    const { page } = await openConsole({
      ...{ as: viewer.uid, path, theme: "dark", width: 390 },
    });
    await page.getByRole("link", { name: String(provider.name) }).click();
    await page.getByRole("heading", { name: String(provider.name), level: 1 }).waitFor();
    await page.getByText("You need the identity_providers.delete capability").waitFor({
      state: "attached",
    });
    await page.getByText("You need the identity_providers.scim.manage capability").first().waitFor({
      state: "attached",
    });
    await expectAccessible(page);
  });
});

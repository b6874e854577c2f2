import { expect, test } from "vitest";
import { newIdentity, newOrganization, newUser, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

describeInChromium("people with little access in the console", () => {
  test("a viewer sees who has access, and why they cannot change it", long, async () => {
    const organization = await newOrganization();
    const { uid, name } = organization;
    const viewer = await newIdentity(organization, "viewer");
    const path = `/console/access?group=${uid}`;
    const { page } = await openConsole({ as: viewer.uid, path });
    await page.getByRole("row").filter({ hasText: "owner" }).first().waitFor();
    const reason = (capability: string) => `You need the ${capability} capability on ${name}.`;
    for (const [button, capability] of [
      ["Give access", "role_bindings.create"],
      ["New group", "groups.create"],
    ] as const) {
      await page.getByRole("button", { name: button, disabled: true }).focus();
      await page.getByRole("tooltip", { name: "" }).getByText(reason(capability)).waitFor();
      await page.getByRole("button", { name: button }).click({ force: true });
      expect(await page.getByRole("dialog").count()).toBe(0);
    }
    await page
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page.getByText(reason("role_bindings.delete")).locator("visible=true").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Delete organization", disabled: true }).focus();
    await page.getByText(reason("groups.delete")).locator("visible=true").waitFor();
  });

  test(
    "an identity that may only pull learns which capabilities a question needs",
    long,
    async () => {
      const organization = await newOrganization();
      const puller = await newIdentity(organization, "registry.pull");
      const path = `/console/access?group=${organization.uid}&view=who`;
      const { page } = await openConsole({ as: puller.uid, path });
      await page.getByText("You cannot ask about the access of others here").waitFor();
      await page.getByText(/You need role_bindings.list/).waitFor();
    },
  );

  test("a person without an organization creates one, and is its owner", async () => {
    const person = await newUser();
    const visit = { as: person.uid, path: "/console/access" };
    const { page } = await openConsole(visit);
    await page.getByText("you have no access to an organization yet").waitFor();
    await page.getByText(person.uid).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await expectAccessible(page);
    const name = randomName("org");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByRole("button", { name: "Create organization" }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    await page.getByRole("row").filter({ hasText: "owner" }).waitFor();
  });

  test("a person asks the organization of their email domain for access, and its owner gives it", async () => {
    const { owner, uid } = await newOrganization();
    const domain = `${randomName("corp")}.example`;
    await sql("update groups set name = ?, verified = 1 where uid = ?", domain, uid);
    const person = await newUser();
    const email = `ann@${domain}`;
    const act = { iss: "https://trusted.example", sub: "ann", aud: "x" };
    const claims = { email, email_verified: true, act };
    const asking = await openConsole({
      ...{ as: person.uid, claims, path: "/console/access", theme: "dark" },
    });
    await asking.page.getByRole("heading", { name: `Join ${domain}` }).waitFor();
    await expectAccessible(asking.page);
    await asking.page.getByRole("button", { name: "Ask for access" }).click();
    await asking.page.getByText("The owners have your request.").waitFor();

    const path = `/console/access?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const requests = page.getByRole("region", { name: "Requests for access" });
    await requests.getByText(email).waitFor();
    await requests.getByRole("button", { name: "Give access" }).click();
    await page.getByRole("dialog").getByRole("combobox", { name: "Role" }).fill("viewer");
    await page.getByRole("option", { name: /^viewer/ }).click();
    await page.getByText("The role gives nothing until they accept").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Give access" }).click();
    await requests.waitFor({ state: "detached" });
    await page.getByRole("row").getByText("Pending").waitFor();
    const { body } = await callRest(`/iam/v2/roleBindings?identity=${person.uid}`, {
      token: owner.token,
    });
    expect(body.roleBindings).toMatchObject([{ pending: true, role: { name: "viewer" } }]);
  });
});

import { expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

const newInvite = async ({ uid, owner }: { uid: string; owner: { token: string } }, more = {}) =>
  createResource(`/iam/v2/groupInvites/${uid}`, owner.token, {
    ...{ roleUid: await roleUid("viewer"), ttl: "3600s", singleUse: true },
    ...more,
  });

describeInChromium("invites in the console", () => {
  test("a link leads someone who is signed in to the role, and works once", async () => {
    const organization = await newOrganization();
    const { uid, name, owner } = organization;
    const path = `/console/invites?group=${uid}`;
    const sender = await openConsole({ as: owner.uid, path });
    const { page } = sender;
    await page.getByText("There are no invites here").waitFor();
    await page.getByRole("button", { name: "New invite" }).click();
    await page.getByRole("combobox", { name: "Role" }).fill("viewer");
    await page.getByRole("option", { name: /^viewer/ }).click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: "Copy the link" }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const { pathname, search, hash } = new URL(link);
    const invite = new URLSearchParams(hash.slice(1));
    expect([search, invite.get("organization")]).toEqual(["", uid]);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("cell", { name: "viewer" }).waitFor();
    expect(await page.content()).not.toContain(invite.get("invite_code"));

    const guest = await openConsole({
      as: (await newUser()).uid,
      path: pathname + hash,
    });
    await guest.page
      .getByRole("dialog")
      .getByRole("button", { name: "Accept", exact: true })
      .click();
    await guest.page.getByText(`You have the role viewer on ${name}.`).waitFor();
    await guest.page.getByRole("link", { name: "Open the group" }).click();
    await guest.page.getByRole("heading", { name: "Repositories", level: 1 }).waitFor();
    expect(guest.page.url()).not.toContain("invite_code");

    const late = await openConsole({ as: (await newUser()).uid, path: pathname + hash });
    await late.page
      .getByRole("dialog")
      .getByRole("button", { name: "Accept", exact: true })
      .click();
    await late.page.getByText("This invite does not work.").waitFor();
    await expectAccessible(late.page);
    await late.page.getByRole("button", { name: "Not now" }).click();
    expect(late.page.url()).not.toContain("invite_code");
  });

  test("an invite is changed, also after a change of someone else, and deleted, and one that has expired says so", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const invite = await newInvite(organization);
    const path = `/console/invites?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByRole("button", { name: "Actions for" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Email address").fill("ada@example.com");
    await page.getByLabel("Works from now for").selectOption("30 days");
    const address = `/iam/v2/groupInvites/${invite.uid}`;
    const change = { method: "PATCH", token: owner.token, body: { singleUse: false } };
    expect((await callRest(address, change)).status).toBe(200);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/Nothing was saved.*singleUse from true to false/).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("ada@example.com").waitFor();
    const { body } = await callRest(address, { token: owner.token });
    expect(Date.parse(body.expirationTime)).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    expect(body.singleUse).toBe(true);

    await sql("update group_invites set expiration_time = 1 where uid = ?", invite.uid);
    await page.reload();
    await page.getByText("Expired", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions for" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no invites here").waitFor();
  });

  test(
    "a viewer sees why they cannot invite, and an error offers another attempt",
    long,
    async () => {
      const organization = await newOrganization();
      await newInvite(organization);
      const viewer = await newIdentity(organization, "viewer");
      const path = `/console/invites?group=${organization.uid}`;
      const { page } = await openConsole({
        ...{ as: viewer.uid, path, theme: "dark", width: 390 },
      });
      await page.getByRole("table").waitFor();
      await page.getByRole("button", { name: "New invite" }).focus();
      await page
        .getByText("You need the group_invites.create and role_bindings.create")
        .first()
        .waitFor();
      await expectAccessible(page);
      let isDown = true;
      await page.route("**/iam/v2/groupInvites?**", (route) =>
        isDown
          ? route.fulfill({ status: 400, json: { code: 13, message: "It is down.", details: [] } })
          : route.continue(),
      );
      await page.getByRole("button", { name: "Expires" }).click();
      await page.getByText("It is down.").waitFor();
      isDown = false;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("cell", { name: "viewer", exact: true }).waitFor();
    },
  );
});

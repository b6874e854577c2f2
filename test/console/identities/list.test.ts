import { expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { publicKeys } from "./keys.ts";

const day = 86_400_000;

/** An identity with static keys that expire in a few days. */
const withKeys = ({ uid, owner }: Organization, name: string, days: number) =>
  createResource(`/iam/v2/identities/${uid}`, owner.token, {
    name,
    staticKeys: {
      ...{ issuer: "https://cluster.internal", subject: "bot", issuerKeys: publicKeys },
      expirationTime: new Date(Date.now() + days * day).toISOString(),
    },
  });

const makeOlder = (uid: string, days: number) =>
  sql("update identities set create_time = ? where uid = ?", Date.now() - days * day, uid);

describeInChromium("the list of identities", () => {
  test("shows unused identities and expiring keys, by filters that are in the address", async () => {
    const org = await newOrganization();
    const { token } = org.owner;
    const team = await createResource(`/iam/v2/groups/${org.uid}`, token, { name: "team" });
    const old = await createResource(`/iam/v2/identities/${team.uid}`, token, {
      name: "forgotten",
    });
    await makeOlder(old.uid, 100);
    await withKeys(org, "soon", 12);
    await withKeys(org, "later", 200);
    const path = `/console/identities?group=${org.uid}`;
    const { page } = await openConsole({ as: org.owner.uid, path });
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("forgotten").getByTitle(`${org.name} / team`).getByText("team").waitFor();
    await row("forgotten").getByText("never used").waitFor();
    await row("soon")
      .getByText(/Expires/)
      .waitFor();
    await page.getByText("3 identities").waitFor();

    await page.getByLabel("Use").selectOption("90");
    await page.getByText("1 identity").waitFor();
    expect(page.url()).toContain("unused=90");
    await page.getByLabel("Static keys").selectOption("30");
    await row("soon").waitFor();
    expect(await row("later").count()).toBe(0);
    expect(page.url()).toContain("expiring=30");
    expect(page.url()).not.toContain("unused");

    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Last used" }).click();
    await page.waitForURL(/order=last_used_time/);
    await page.getByLabel("Name begins with").fill("LAT");
    await page.getByText("1 identity").waitFor();
    await page.getByLabel("Name begins with").fill("nothing begins so");
    await page.getByText("No identity matches these filters").waitFor();
  });

  test("says that the platform failed, with its request id, and shows the rows after a retry", async () => {
    const org = await newOrganization();
    const { token, uid } = org.owner;
    const { uid: bot } = await createResource(`/iam/v2/identities/${org.uid}`, token, {
      name: "a bot",
    });
    const path = `/console/identities?group=${org.uid}&order=name+desc`;
    const { page } = await openConsole({ as: uid, path: "/console" });
    await page.route("**/iam/v2/identities?**", (route) =>
      route.fulfill({
        ...{ status: 503, headers: { "x-request-id": "request-of-the-test" } },
        json: { code: 14, message: "Unavailable: try later" },
      }),
    );
    await page.evaluate((to) => history.pushState(null, "", to), path);
    await page.getByText("Unavailable: try later").waitFor();
    await page.getByText("request-of-the-test").waitFor();
    await page.unroute("**/iam/v2/identities?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: "a bot" }).click();
    await page.waitForURL(`**/console/identities/${bot}`);
  });

  test("offers a viewer nothing that the platform would refuse, and says why", async () => {
    const org = await newOrganization();
    const viewer = await newIdentity(org, "viewer");
    const path = `/console/identities?group=${org.uid}`;
    const { page } = await openConsole({ as: viewer.uid, path });
    await page.getByRole("row").nth(1).waitFor();
    const creating = page.getByRole("button", { name: "New identity" });
    await creating.hover();
    await page.getByText(`You need the identity.create capability on ${org.name}.`).waitFor();
    await creating.click({ force: true });
    expect(page.url()).toContain(path);
    await page.getByRole("link", { name: "Token doctor" }).click();
    await page.getByText("You cannot use the doctor for this group").waitFor();
    await page.goBack();
    await page.getByRole("row").nth(1).getByRole("link").click();
    const need = { update: "identity.update", delete: "identity.delete" };
    for (const [name, capability] of [
      ["Edit", need.update],
      ["Delete", need.delete],
    ] as const) {
      await page.getByRole("button", { name }).hover();
      await page.getByText(`You need the ${capability} capability on its group.`).waitFor();
    }
  });
});

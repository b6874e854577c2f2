/** Every view of the identities, checked by axe in both themes, on a wide and on a narrow screen. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResource, newOrganization, roleUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import {
  describeInChromium,
  expectAccessible,
  expectNoOverflow,
  launch,
  openConsole,
} from "../chromium.ts";
import { publicKeys } from "./keys.ts";

/** Texts of others that must change nothing but text. */
const hostile = `<img src=x onerror=alert(1)>\u202e${"w".repeat(1_500)}🐙`;

/** An organization with an identity of each kind, of which one has hostile texts. */
async function newWorld() {
  const { uid: org, owner } = await newOrganization();
  const create = (name: string, more: object) =>
    createResource(`/iam/v2/identities/${org}`, owner.token, { name, ...more });
  const { uid } = await create("w".repeat(255), {
    claimMatch: {
      ...{ issuer: "https://gitlab.com", subject: hostile, audience: hostile },
      claims: { [hostile.slice(0, 255)]: hostile },
    },
  });
  await sql("update identities set description = ? where uid = ?", hostile, uid);
  await create("keys", {
    staticKeys: {
      ...{ issuer: "https://cluster.internal", subject: "bot", issuerKeys: publicKeys },
      expirationTime: new Date(Date.now() + 12 * 86_400_000).toISOString(),
    },
  });
  await createResource(`/iam/v2/roleBindings/${org}`, owner.token, {
    ...{ identityUid: uid, roleUid: await roleUid("viewer") },
  });
  return { org, owner, uid };
}

describeInChromium("the identities", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  test.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("are accessible and fit, in the %s theme at %d px", async (theme, width) => {
    const { org, owner, uid } = await newWorld();
    const question = `capability=repo.create&resource=${org}`;
    const views = [
      [`?group=${org}`, "2 identities"],
      [`?group=${org}&expiring=30`, "1 identity"],
      [`/${uid}`, "What it accepts"],
      [`/${uid}?view=access&${question}`, "does not have"],
      [`/${uid}?view=use`, "platformctl"],
      [`/${uid}?view=activity`, "Was created"],
      [`/${uid}?view=edit`, "Other claims that the token must have"],
      [`/new?group=${org}&kind=kubernetes`, "Service account"],
      [`/doctor?group=${org}`, "Your token"],
      [`/doctor?group=${org}&view=warnings`, "2 identities checked"],
      [`/${owner.uid}?group=${org}`, "A person belongs to no group"],
    ] as const;
    const visit = { as: owner.uid, path: "/console/identities", theme, width };
    const { page, faults, close } = await openConsole(browser, visit);
    for (const [view, text] of views) {
      await page.evaluate((to) => history.pushState(null, "", to), `/console/identities${view}`);
      await page.locator("main").getByText(text).first().waitFor();
      await expectAccessible(page);
      await expectNoOverflow(page);
    }
    expect(faults).toEqual([]);
    await close();
  });
});

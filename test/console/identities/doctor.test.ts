/** The token doctor in the console. It must keep no token. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { issuer, tokenFor } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

/** Everything that a page could keep a text in, as one text. */
const everythingKept = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const databases = (await indexedDB.databases()).map(({ name }) => name);
    const caches = "caches" in window ? await window.caches.keys() : [];
    const fields = [...document.querySelectorAll("input, textarea")].map(
      (one) => (one as HTMLInputElement).value,
    );
    return JSON.stringify([
      ...[{ ...localStorage }, { ...sessionStorage }, databases, caches, document.cookie],
      ...[history.state, location.href, document.title, document.documentElement.outerHTML, fields],
      performance.getEntries().map(({ name }) => name),
    ]);
  });

/** A world in which one identity accepts the token of a bot, and another one almost does. */
async function newWorld() {
  const org = await newOrganization();
  const bot = await newIdentity(org, undefined);
  const create = (name: string, subject: string) =>
    createResource(`/iam/v2/identities/${org.uid}`, org.owner.token, {
      ...{ name, claimMatch: { issuer, subject } },
    });
  await create("accepting", bot.uid);
  await create("almost", `${bot.uid}/`);
  await createResource(`/iam/v2/identities/${org.uid}`, org.owner.token, {
    name: "everyone",
    claimMatch: { issuer: "https://gitlab.com", subjectPattern: ".*" },
  });
  const path = `/console/identities/doctor?group=${org.uid}`;
  return { org, path, token: await tokenFor(bot.uid) };
}

describeInChromium("the token doctor", () => {
  test("says which identity accepts a token and how others differ, and keeps the token nowhere", async () => {
    const { org, path, token } = await newWorld();
    const { page } = await openConsole({ as: org.owner.uid, path });
    const texts: string[] = [];
    page.on("console", (line) => texts.push(line.text()));
    const field = page.getByLabel("Token or claims");
    await field.fill(`Bearer ${token}`);
    await page.getByRole("definition").filter({ hasText: issuer }).first().waitFor();

    // The platform fails first. The error names no token, and the retry still has it.
    await page.route("**:diagnoseToken", (route) =>
      route.fulfill({ status: 503, json: { code: 14, message: "Unavailable: try later" } }),
    );
    await page.getByRole("button", { name: "Check the token" }).click();
    const notice = page.getByRole("alert");
    await notice.getByText("Unavailable: try later").waitFor();
    expect(await notice.textContent()).not.toContain(token);
    await page.unroute("**:diagnoseToken");
    await page.getByRole("button", { name: "Try again" }).click();
    const verdict = page.locator(".identities-verdict");
    await verdict.getByRole("link", { name: "accepting" }).waitFor();
    await verdict.getByText("accept this token").waitFor();
    const almost = page.locator("details").filter({ hasText: "almost" }).first();
    if (!(await almost.getAttribute("open"))) await almost.locator("summary").first().click();
    await almost.getByText("slash at the end").waitFor();
    await expect.poll(() => almost.locator("del").first().textContent()).toContain("/");
    await expectAccessible(page);

    await page.getByRole("button", { name: "Compare every identity" }).click();
    await page.getByText("These are all identities of the group").waitFor();
    expect(page.url()).toContain("all=1");
    await page.getByRole("button", { name: "Clear the token" }).click();
    expect(await field.inputValue()).toBe("");
    const secret = token.slice(-40);
    expect(await everythingKept(page)).not.toContain(secret);

    // The same without clearing: leaving the page is enough.
    await field.fill(token);
    await page.getByRole("button", { name: "Check the token" }).click();
    await verdict.waitFor();
    expect(await everythingKept(page)).toContain(secret);
    await page.getByRole("link", { name: "Repositories" }).first().click();
    await page.getByRole("heading", { name: "Repositories", level: 1 }).waitFor();
    const kept = await everythingKept(page);
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(token.split(".")[1]);
    expect(JSON.stringify(await page.context().cookies())).not.toContain(secret);
    expect(texts.join("\n")).not.toContain(secret);
    await page.goBack();
    expect(await page.getByLabel("Token or claims").inputValue()).toBe("");
    expect(await verdict.count()).toBe(0);
  });

  test("compares claims without a token, and clears the field after the answer if that is wanted", async () => {
    const { org, path } = await newWorld();
    const { page } = await openConsole({ as: org.owner.uid, path });
    const field = page.getByLabel("Token or claims");
    await field.fill("two words");
    await page.getByText("A token is one word without spaces.").waitFor();
    await field.fill(JSON.stringify({ iss: "https://gitlab.com", sub: "a", aud: "b" }));
    await page.getByLabel("Clear the field after the answer").check();
    await page.getByRole("button", { name: "Check the token" }).click();
    await page.getByText("The signature was not checked, because you sent only claims.").waitFor();
    expect(await field.inputValue()).toBe("");
    await page.getByRole("button", { name: "Compare every identity" }).hover();
    await page.getByText("You have cleared the token.").waitFor();
  });

  test("warns of patterns that match too much, without a token", async () => {
    const { org, path } = await newWorld();
    const visit = { as: org.owner.uid, path: `${path}&view=warnings` };
    const { page } = await openConsole(visit);
    await page.getByText("4 identities checked, 1 with warnings.").waitFor();
    const card = page.locator(".section-card").filter({ hasText: "everyone" });
    await card.getByText("Matches everything").waitFor();
    await page.getByLabel("Warning").selectOption({ label: "Matches everything (1)" });
    expect(page.url()).toContain("warning=MATCHES_EVERYTHING");
    await card.getByRole("link", { name: "Edit everyone" }).click();
    await page.getByRole("button", { name: "Save" }).waitFor();
  });
});

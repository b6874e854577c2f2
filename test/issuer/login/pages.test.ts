/** The pages of a login, in a real browser, for people who see or use them in different ways. */
import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  showApproval,
  showCodeForm,
  showDeviceRequest,
  showRefused,
} from "../../../src/issuer/login/device_pages.ts";
import { showInvite } from "../../../src/issuer/login/invite_page.ts";
import {
  showAuthorization,
  showConfirmation,
  showConsoleLogin,
  showContinue,
  showRefusal,
  showSignedIn,
} from "../../../src/issuer/login/pages.ts";
import { describeInChromium, newProfile } from "../../console/chromium.ts";
import { newOrganization } from "../../world/personas.ts";
import { baseUrl, issuer } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";
import { newProvider } from "./logins.ts";
import { type OpenidProvider, startProvider } from "./openid_provider.ts";

const long = "a".repeat(200);
const empty = { state: "state", idp: "", problem: "", requestId: "" };
const wrong = { state: "state", idp: long, problem: `There is no ${long}.`, requestId: long };
const program = { name: long.slice(100), host: "127.0.0.1:65535", scope: "read write" };

const device = {
  ...{ userCode: "BCDFGHJK", device: "", clientName: long.slice(100), scope: "read write" },
  ...{ idp: long, place: `Germany, ${long.slice(100)}, 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff` },
};

const invite = {
  offer: {
    path: [long, long],
    role: { name: long, description: long, isForReading: false },
    inviter: { name: long, email: `${long}@example.com` },
    expirationTime: 4_102_444_800_000,
    rows: { invite: { uid: "", updateTime: 1 }, role: { uid: "", updateTime: 1 }, groups: [] },
  },
  ...{ account: `${long}@example.com`, provider: long, question: "question", wasChanged: false },
};

/** Every page of a login, with the longest texts. */
const pages: Record<string, () => Response> = {
  refusal: () =>
    showRefusal({ status: 400, reason: long }, new Headers({ "x-request-id": long.slice(72) })),
  "signed-in": () => showSignedIn(`${long}@example.com`),
  continue: () => showContinue("https://provider.test/"),
  program: () => showAuthorization(program, empty, 200),
  "program-error": () => showAuthorization(program, wrong, 404),
  console: () => showConsoleLogin(empty, 200),
  "console-error": () => showConsoleLogin(wrong, 404),
  invite: () => showInvite(invite),
  "invite-changed": () => showInvite({ ...invite, wasChanged: true }),
  "device-code": () => showCodeForm("secret"),
  "device-code-error": () => showCodeForm("secret", long, 404),
  device: () => showDeviceRequest(device, empty, 200),
  "device-error": () => showDeviceRequest(device, wrong, 404),
  "device-approval": () =>
    showApproval(device, { account: long, provider: long, question: "question" }),
  "device-refused": () => showRefused(),
  code: () => showConfirmation({ fingerprint: "k3v9-0qzt", provider: long, state: "state" }),
};

const names = Object.keys(pages);
const themes = (["light", "dark"] as const).flatMap((colorScheme) =>
  names.map((name) => ({ name, colorScheme })),
);
const sizes = [
  { width: 320, height: 640 },
  { width: 2560, height: 1440 },
].flatMap((viewport) => names.map((name) => ({ name, viewport })));

describeInChromium("the pages of a login", () => {
  let provider: OpenidProvider;
  let idp: string;
  beforeAll(async () => {
    provider = await startProvider();
    idp = await newProvider((await newOrganization()).uid, { issuer: provider.url });
  });
  afterAll(() => provider?.close());

  /** Runs a test with a page that knows every page above by its name. */
  async function inPage(options: BrowserContextOptions, check: (page: Page) => Promise<void>) {
    const context = await newProfile(options);
    try {
      // The page that continues to the provider stays.
      await context.route("https://provider.test/**", (route) => route.fulfill({ status: 204 }));
      await context.route("https://issuer.test/**", async (route) => {
        const name = new URL(route.request().url()).pathname.slice(1);
        const shown = pages[name]?.() ?? new Response(null, { status: 404 });
        const headers = Object.fromEntries(shown.headers);
        await route.fulfill({ status: shown.status, headers, body: await shown.text() });
      });
      await check(await context.newPage());
    } finally {
      await context.close();
    }
  }

  for (const [some, tier] of tiers(themes, ({ name }) => name))
    test.for(some)(
      "everyone can use and read the page $name in the $colorScheme theme",
      tier,
      async ({ name, colorScheme }) => {
        await inPage({ colorScheme }, async (page) => {
          await page.goto(`https://issuer.test/${name}`);
          await page.evaluate(axe.source);
          const { violations, passes } = await page.evaluate(() =>
            (globalThis as unknown as { axe: typeof axe }).axe.run({
              runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
            }),
          );
          expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual(
            [],
          );
          expect(passes.map(({ id }) => id)).toContain("color-contrast");
        });
      },
    );

  for (const [some, tier] of tiers(sizes, ({ name }) => name))
    test.for(some)(
      "the page $name fits in $viewport.width pixels, and its targets are large",
      tier,
      async ({ name, viewport }) => {
        await inPage({ viewport }, async (page) => {
          await page.goto(`https://issuer.test/${name}`);
          const { card, targets, overflow } = await page.evaluate(() => {
            const boxOf = (one: Element) => one.getBoundingClientRect().toJSON() as DOMRect;
            const root = document.documentElement;
            return {
              card: boxOf(document.querySelector("main") as Element),
              targets: [...document.querySelectorAll("a, button, input:not([type=hidden])")].map(
                boxOf,
              ),
              overflow: root.scrollWidth - root.clientWidth,
            };
          });
          expect(overflow).toBe(0);
          expect(Math.abs(card.left - (viewport.width - card.right))).toBeLessThanOrEqual(1);
          expect(card.width).toBeLessThanOrEqual(600);
          for (const { width, height, left, right } of targets) {
            expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
            expect([left >= card.left, right <= card.right]).toEqual([true, true]);
          }
        });
      },
    );

  test("the texts of others cannot change the page that asks about an invite", async () => {
    const hostile = "\u202eevil\u2069\u2066\u0000\u001b[2K<b>&amp;</b>\n\u2028Accept";
    const inviter = { name: hostile, email: hostile };
    const role = { name: hostile, description: hostile, isForReading: true };
    const offer = { ...invite.offer, path: [hostile, hostile], role, inviter };
    const page = showInvite({ ...invite, offer, account: hostile, provider: hostile });
    await inPage({ javaScriptEnabled: false }, async (opened) => {
      await opened.setContent(await page.text());
      const shown = await opened.locator("bdi").allTextContents();
      expect(shown).toHaveLength(8);
      for (const one of shown)
        expect(one).toBe("\ufffdevil\ufffd\ufffd\ufffd\ufffd[2K<b>&amp;</b> Accept");
      expect(await opened.locator("b").count()).toBe(0);
      const withoutTexts = await opened.locator("dl").evaluate((list) => {
        for (const one of list.querySelectorAll("bdi")) one.remove();
        return list.textContent;
      });
      expect(withoutTexts).not.toMatch(/evil|[\u202a-\u202e\u2066-\u2069]/);
    });
  });

  test("a person without scripts or a mouse corrects the organization and reaches the provider", async () => {
    const query = new URLSearchParams({
      ...{ response_type: "code", client_id: "console", code_challenge_method: "S256" },
      ...{ redirect_uri: `${issuer}/console/signed-in`, code_challenge: "x".repeat(43) },
    });
    await inPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(`${baseUrl()}/oauth/authorize?${query}`);
      await page.keyboard.press("Tab");
      await page.keyboard.type("nobody");
      await page.keyboard.press("Enter");
      const field = page.getByRole("textbox", { name: "Organization" });
      await page.getByRole("alert").waitFor();
      const problem = await page.getByRole("alert").textContent();
      expect(problem).toMatch(/No identity provider has that name. Enter/);
      const { description } = await field.evaluate((input) => ({
        description: (input.getAttribute("aria-describedby") ?? "")
          .split(" ")
          .map((id) => document.getElementById(id)?.textContent ?? ""),
      }));
      expect(description).toContain(problem);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await page.textContent("main")).toMatch(/Request id: [\da-f]{32}/);
      // The field with the error has the focus.
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type(idp);
      await page.keyboard.press("Tab");
      const button = page.getByRole("button", { name: "Continue" });
      const outline = await button.evaluate((one) => getComputedStyle(one).outline);
      expect(outline).toMatch(/solid 3px/);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${provider.url}/interaction/*`);
    });
  });
});

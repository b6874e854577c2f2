/** Opens the console in a browser that is made slower. */
import type { Browser, Page } from "playwright-core";

/** How many times slower the processor of the browser is. */
export const slowdown = 4;

/** The connection of the browser: 10 Mbit/s, and 40 ms for each round trip. */
export const connection = {
  latency: 40,
  downloadThroughput: 1_250_000,
  uploadThroughput: 1_250_000,
};

/** A platform, and someone who looks at it. */
export interface Visitor {
  origin: string;
  /** Issues a token for the person. */
  token(): Promise<string>;
}

/** Runs `measure` with a page in a new profile, in which one click signs in. `isRemote` makes its connection slower. */
export async function visit<T>(
  browser: Browser,
  { token }: Visitor,
  measure: (page: Page) => Promise<T>,
  isRemote = false,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.route("**/console/local-owner", async (route) => {
      const owner = { uid: "", name: "the owner" };
      const asked = { organization: { uid: "", name: "bench.example" }, owner };
      const granted = { access_token: await token(), expires_in: 3600 };
      await route.fulfill({ json: route.request().method() === "POST" ? granted : asked });
    });
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
    if (isRemote) {
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", { offline: false, ...connection });
    }
    return await measure(page);
  } finally {
    await context.close();
  }
}

/** The button that signs in. */
export const signIn = (page: Page) => page.getByRole("button", { name: /^Sign in as the owner/ });

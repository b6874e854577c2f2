/** The browsers of a run: each process or thread that runs tests has one, which starts when a test needs it. */
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserServer, chromium } from "playwright-core";

/** Packages of Debian. The first one draws no window around a page, and so needs half of the processor time. */
const packages = ["chromium-headless-shell", "chromium"];
const paths = packages.map((name) => `/usr/bin/${name}`);

/** The browser of the tests. The variable CHROMIUM chooses another one. Undefined if there is none. */
export const executablePath = [process.env.CHROMIUM, ...paths].find(
  (path) => path !== undefined && existsSync(path),
);

/** Says how to get a browser. */
export const howToInstall = `install a package of Debian: ${packages.join(" or ")}`;

/** How a browser is started. Without a GPU, and with gray edges, letters look the same however busy the machine is. */
export const launchOptions = {
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ["--no-sandbox", "--disable-gpu", "--disable-lcd-text", "--process-per-site"],
};

/**
 * Serves the addresses of browsers. A request starts the browser for its path, or finds the one that another request
 * has started: tests that run at the same time have a clipboard each. `close` stops all of them.
 */
export async function startBrowsers() {
  const started = new Map<string, Promise<BrowserServer>>();
  const browserFor = (path: string): Promise<BrowserServer> => {
    const browser = started.get(path) ?? chromium.launchServer(launchOptions);
    started.set(path, browser);
    return browser;
  };
  const server = createServer((request, response) => {
    browserFor(request.url ?? "").then(
      (browser) => response.end(browser.wsEndpoint()),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await Promise.all([...started.values()].map(async (browser) => (await browser).close()));
    },
  };
}

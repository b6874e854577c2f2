/** Opens an address in the user's browser. */
import { spawn } from "node:child_process";

/**
 * Starts the browser and does not wait for it. BROWSER names another program to start, with the
 * address as its last argument or in the place of `%s`. Answers whether a program could be started.
 * No shell is asked, so that nothing in the address is run.
 */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [command = "", ...args] = commandFor(url, env.BROWSER ?? "");
  const child = spawn(command, args, { stdio: "ignore", detached: true, env });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

function commandFor(url: string, browser: string): string[] {
  const words = browser.trim().split(/\s+/).filter(Boolean);
  if (words.some((word) => word.includes("%s"))) {
    return words.map((word) => word.replaceAll("%s", () => url));
  }
  if (words.length > 0) return [...words, url];
  if (process.platform === "darwin") return ["open", url];
  // What `start` does, without the shell in which an address's `&` would end it.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}

/** Opens an address in the user's browser. */
import { spawn } from "node:child_process";

/**
 * Starts the browser without waiting for it to end. Returns whether the program could be started. BROWSER can name
 * another program, which gets the address as its last argument or instead of `%s`. No shell is involved, so nothing in
 * the address can run as a command.
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

/**
 * Whether a browser of the user can show a page here. Over SSH it would open on the wrong machine, or in the terminal. A
 * user who sets BROWSER knows better.
 */
export function canOpenBrowser(env: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (env.BROWSER) return true;
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (env.SSH_CONNECTION || env.SSH_TTY) return hasScreen;
  // In a Linux of Windows, the browser is that of Windows.
  return platform !== "linux" || hasScreen || Boolean(env.WSL_DISTRO_NAME);
}

function commandFor(url: string, browser: string): string[] {
  const words = browser.trim().split(/\s+/).filter(Boolean);
  if (words.some((word) => word.includes("%s"))) {
    return words.map((word) => word.replaceAll("%s", () => url));
  }
  if (words.length > 0) return [...words, url];
  if (process.platform === "darwin") return ["open", url];
  // This does the same as `start`, without a shell, which would cut an address at `&`.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}

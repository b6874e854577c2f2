/**
 * wrangler runs this file before it bundles the Worker (wrangler.toml). For `wrangler dev` it says what is missing: the
 * data folder of `npm start`, to which `.dev.vars` and `.wrangler/state` lead (start.ts), must be there and not in use.
 * `WRANGLER_DEV_CHECK=off` skips this, for keys and a database in other places. This file is plain JavaScript, because
 * wrangler runs it with any Node.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const pathOf = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Why `wrangler dev` cannot serve the platform. Undefined if it can. */
function reason() {
  if (!existsSync(pathOf(".dev.vars")) || !existsSync(pathOf(".wrangler/state/v3")))
    return "This checkout has no platform yet. Run `npm ci && npm start` once, stop it with Ctrl-C, and try again. With other keys and another database, set WRANGLER_DEV_CHECK=off.";
  const lock = pathOf(".platform/lock");
  const pid = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : 0;
  if (pid > 0 && isRunning(pid))
    return `\`npm start\` (process ${pid}) uses the same database. Stop it first, because only one program can open it.`;
}

const { WRANGLER_COMMAND: command, WRANGLER_DEV_CHECK: check } = process.env;
const why = command === "dev" && check !== "off" ? reason() : undefined;
if (why) {
  console.error(why);
  process.exitCode = 1;
}

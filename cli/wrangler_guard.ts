/**
 * Every wrangler of `npm start` loads this file first, as `--import wrangler_guard.ts?parent=PID&lock=FILE`. If the
 * parent, `npm start`, is killed, the process group ends itself. The wrangler of the next `npm start` waits for that,
 * because otherwise both would have the same database open. Each of them holds the lock on that file while it runs.
 */
import { isMainThread } from "node:worker_threads";
import { takeLock } from "./local/file_lock.ts";

/** In milliseconds: the time between checks of the parent, and the time that the previous wrangler may take to end. */
const timeoutMs = { parent: 500, predecessor: 10_000 };

// A thread of wrangler loads this file, too.
if (isMainThread) {
  const parameters = new URL(import.meta.url).searchParams;
  const parent = Number(parameters.get("parent"));
  const look = () => process.ppid === parent || process.kill(0, "SIGKILL");
  setInterval(look, timeoutMs.parent).unref();
  const lock = parameters.get("lock") ?? "";
  if (!(await takeLock(lock, timeoutMs.predecessor))) {
    throw new Error(`Another wrangler is still running and holds ${lock}.`);
  }
}

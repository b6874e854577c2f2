/**
 * Opens the data folder that its first argument names, at the time that the second one says, as Date.now()
 * does. Says `open` and holds the folder until it is killed, or says why it was refused and ends.
 */
import { setTimeout as pause } from "node:timers/promises";
import { openState } from "../../../cli/state.ts";

const [dir = "", at = "0"] = process.argv.slice(2);
await pause(Math.max(0, Number(at) - Date.now()));
try {
  // Nothing refers to what was opened, and the folder has to be held all the same.
  await openState(dir, 1_000).then(() => console.log("open"));
  setInterval(() => globalThis.gc?.(), 20);
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
}

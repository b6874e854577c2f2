/**
 * Opens the data folder in its first argument, at the time in its second (as Date.now() returns it). Prints
 * `open` and holds the folder until it is killed, or prints the reason for the refusal and exits.
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

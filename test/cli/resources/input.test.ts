import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";

const module = new URL("../../../cli/resources/input.ts", import.meta.url).href;

/** Starts like our programs: any use of process.stdin makes its descriptor non-blocking. */
const script = `
import process from "node:process";
process.stdin.readableLength;
const { readInput } = await import(${JSON.stringify(module)});
process.stdout.write(readInput("-"));`;

test("standard input is read to its end, at any speed", async () => {
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => {
    out += text;
  });
  child.stderr.on("data", (text) => {
    err += text;
  });
  await wait(300);
  child.stdin.write('{"description":');
  await wait(100);
  child.stdin.end(' "slow"}');
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect({ code, err, out }).toEqual({ code: 0, err: "", out: '{"description": "slow"}' });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { endProgram } from "../../bench/programs.ts";

const start = (script: string) => spawn(process.execPath, ["-e", script], { stdio: "ignore" });

test("a program has exited once it was stopped", async () => {
  const child = start("setInterval(() => {}, 1000)");
  await endProgram(child);
  expect(child.signalCode).toBe("SIGTERM");
});

test.each(["process.exit(3)", "process.kill(process.pid, 'SIGKILL')"])(
  "a program that has exited already is not waited for: %s",
  async (script) => {
    const child = start(script);
    await once(child, "exit");
    await endProgram(child);
    expect(child.killed).toBe(false);
  },
);

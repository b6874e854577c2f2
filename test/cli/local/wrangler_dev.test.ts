import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../../cli/project.ts";

const program = "cli/local/wrangler_dev.js";

test("wrangler dev says what a checkout needs, and no other command does", () => {
  const folder = mkdtempSync(join(tmpdir(), "wrangler-dev-"));
  mkdirSync(join(folder, "cli/local"), { recursive: true });
  copyFileSync(join(projectRoot, program), join(folder, program));
  const run = (command: string, check = "") => {
    const env = { ...process.env, WRANGLER_COMMAND: command, WRANGLER_DEV_CHECK: check };
    const { status, stderr } = spawnSync(process.execPath, [join(folder, program)], { env });
    return { status, why: stderr.toString() };
  };
  expect(run("deploy")).toEqual({ status: 0, why: "" });
  expect(run("dev")).toEqual({ status: 1, why: expect.stringMatching(/npm ci && npm start/) });

  expect(run("dev", "off")).toEqual({ status: 0, why: "" });

  mkdirSync(join(folder, ".wrangler/state/v3"), { recursive: true });
  writeFileSync(join(folder, ".dev.vars"), "");
  expect(run("dev")).toEqual({ status: 0, why: "" });

  mkdirSync(join(folder, ".platform"));
  writeFileSync(join(folder, ".platform/lock"), `${process.pid}\n`);
  expect(run("dev").why).toContain(`process ${process.pid}`);
  // The process of that number ended, and left the file behind.
  writeFileSync(join(folder, ".platform/lock"), "4194304\n");
  expect(run("dev")).toEqual({ status: 0, why: "" });
});

import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePrivate } from "../../../cli/account/private_files.ts";

const before = process.umask();
beforeEach(() => void process.umask(0o022));
const made: string[] = [];
afterEach(() => {
  process.umask(before);
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

const modeOf = (...path: string[]) => (lstatSync(join(...path)).mode & 0o777).toString(8);

test("a folder that others could read becomes accessible to its owner only, with its content", () => {
  const folder = mkdtempSync(join(tmpdir(), "platform-private-"));
  made.push(folder);
  mkdirSync(join(folder, "d1/v3"), { recursive: true, mode: 0o755 });
  for (const name of ["keys.env", "d1/v3/a.sqlite", "d1/v3/a.sqlite-wal", "d1/v3/a.sqlite-shm"]) {
    writeFileSync(join(folder, name), "x", { mode: 0o644 });
  }
  const outside = mkdtempSync(join(tmpdir(), "platform-private-"));
  made.push(outside);
  writeFileSync(join(outside, "file"), "x", { mode: 0o644 });
  symlinkSync(join(outside, "file"), join(folder, "link"));
  makePrivate(folder);
  for (const name of [".", "d1", "d1/v3"]) expect(modeOf(folder, name)).toBe("700");
  for (const name of ["keys.env", "d1/v3/a.sqlite", "d1/v3/a.sqlite-wal", "d1/v3/a.sqlite-shm"]) {
    expect(modeOf(folder, name)).toBe("600");
  }
  expect(modeOf(outside, "file")).toBe("644");
  writeFileSync(join(folder, "later"), "x");
  spawnSync("sh", ["-c", `echo x > ${folder}/child && mkdir ${folder}/new`]);
  expect([modeOf(folder, "later"), modeOf(folder, "child")]).toEqual(["600", "600"]);
  expect(modeOf(folder, "new")).toBe("700");
});

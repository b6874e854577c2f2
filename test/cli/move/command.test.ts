import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyDatabase } from "../../world/own_platform.ts";
import { platformctl } from "../command.ts";

const folder = await mkdtemp(join(tmpdir(), "move-"));
await copyDatabase(join(folder, "d1/v3"));
afterAll(() => rm(folder, { recursive: true }));

const move = (...args: string[]) => platformctl(["organization", "move", ...args]);

test("the command needs a place, and names a folder without a platform", async () => {
  const nowhere = await move("example.com", "--to-database", "DB_2");
  expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining("--remote or --local")]);
  const empty = await move(
    "example.com",
    "--to-database",
    "DB_2",
    "--local",
    "--folder",
    "/nowhere",
  );
  expect([empty.code, empty.err]).toEqual([1, expect.stringContaining("no platform in /nowhere")]);
});

test("an unknown organization is an error", async () => {
  const { code, err } = await move(
    "unknown.example",
    "--to-database",
    "DB",
    "--local",
    "--folder",
    folder,
  );
  expect(code).toBe(1);
  expect(err).toContain("There is no organization with the name or uid unknown.example.");
}, 120_000);

/** SQL on the file of a local database, also while a platform has it open. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseFiles, localDatabases } from "../../../cli/local/databases.ts";
import { executeLocally, queryLocally } from "../../../cli/local/statements.ts";
import { startOwnPlatform } from "../../world/own_platform.ts";

let folder = "";
let platform: Awaited<ReturnType<typeof startOwnPlatform>>;
const local = () => ({ name: "platform", folder });
const limit = (uid: string, bytes: number) =>
  `INSERT INTO organization_storage (uid, byte_limit) VALUES ('${uid}', ${bytes})`;
const limitOf = (uid: string) =>
  `SELECT byte_limit FROM organization_storage WHERE uid LIKE '${uid}%'`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "platform-test-"));
  platform = await startOwnPlatform({ folder: join(folder, "v3") });
});
afterAll(async () => {
  await platform.stop();
  await rm(folder, { recursive: true });
});

test("while a platform runs, it sees what a command writes, and the command what it writes", async () => {
  await executeLocally(local(), limit("command", 1));
  expect((await platform.db.prepare(limitOf("command")).all()).results).toEqual([
    { byte_limit: 1 },
  ]);
  await platform.db.prepare(limit("platform", 2)).run();
  expect(await queryLocally(local(), [limitOf("command"), limitOf("platform")])).toEqual([
    [{ byte_limit: 1 }],
    [{ byte_limit: 2 }],
  ]);
});

test("a command waits for a write of another process", async () => {
  const [file = ""] = databaseFiles(folder, localDatabases());
  const program = `
    const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
    db.exec("BEGIN IMMEDIATE; ${limit("other", 3)}");
    console.log("writes");
    setTimeout(() => db.exec("COMMIT"), 300);
  `;
  const child = spawn(process.execPath, ["--no-warnings", "-e", program, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  await executeLocally(local(), limit("waiting", 4));
  const both = ["other", "waiting"].map(limitOf);
  expect(await queryLocally(local(), both)).toEqual([[{ byte_limit: 3 }], [{ byte_limit: 4 }]]);
});

test("SQL is run as a whole or not at all, and a failure says why", async () => {
  const twice = `${limit("twice", 5)}; ${limit("twice", 6)}`;
  await expect(executeLocally(local(), twice)).rejects.toThrow(
    "The local database failed: UNIQUE constraint failed",
  );
  expect(await queryLocally(local(), [limitOf("twice")])).toEqual([[]]);
});

test("a database is found by its binding, and one that is not there is refused", async () => {
  const select = ["SELECT 1 AS one"];
  expect(await queryLocally({ name: "DB", folder }, select)).toEqual([[{ one: 1 }]]);
  await expect(queryLocally({ name: "other", folder }, select)).rejects.toThrow(
    "wrangler.toml has no database other.",
  );
  const empty = join(folder, "empty");
  await expect(queryLocally({ name: "DB", folder: empty }, select)).rejects.toThrow(
    "has no tables yet. Run `npm start` first",
  );
  await expect(queryLocally(local(), ["SELECT * FROM missing"])).rejects.toThrow("npm start");
});

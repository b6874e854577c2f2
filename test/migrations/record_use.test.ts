/** The migration that begins to record use keeps what is known, and claims nothing that is not. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { runFsck } from "../../cli/fsck/run.ts";
import { storeOf } from "../cli/fsck/world.ts";
import { iso } from "../world/times.ts";

const folder = fileURLToPath(new URL("../../migrations/", import.meta.url));
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".sql"))
  .sort();
/** The migration adds the column, whatever its number is. */
const adding = names.findIndex((name) => read(name).includes("ADD `last_used_time`"));

function read(name: string) {
  return readFileSync(join(folder, name), "utf8");
}

const day = 24 * 3600 * 1000;
const now = Date.now();
const never = Number.MAX_SAFE_INTEGER;
const root = "a".repeat(40);
const step = (name: string) =>
  `${root}/${Buffer.from(name).toString("hex").padEnd(16, "0").slice(0, 16)}`;

let db: DatabaseSync;
let start: number;

function insert(table: string, row: Record<string, string | number | null>) {
  const columns = Object.keys(row).join(", ");
  const marks = Object.keys(row).map(() => "?");
  db.prepare(`insert into ${table} (${columns}) values (${marks})`).run(...Object.values(row));
}

const times = { create_time: 1000, update_time: 1000 };

function identity(name: string, row: Record<string, string | number | null>, uid = step(name)) {
  insert("identities", { uid, name, last_seen_time: 1000, ...times, ...row });
}

const keys = (expirationTime?: string) => ({
  relationship_type: 2,
  relationship: JSON.stringify({ case: "staticKeys", value: { issuer: "i", expirationTime } }),
});

beforeAll(async () => {
  db = new DatabaseSync(":memory:");
  for (const name of names.slice(0, adding)) db.exec(read(name));
  insert("groups", { uid: root, name: "org", ...times });
  identity("never", {});
  identity("seen", { last_seen_time: 5000 });
  identity("direct", { first_used_time: 4000, issuer: "i", subject: "s" });
  identity("both", { first_used_time: 4000, last_seen_time: 9000 });
  identity("person", {}, "b".repeat(40));
  identity("invited", {}, "c".repeat(40));
  insert("sign_ins", {
    ...{ identity_provider_uid: step("sso"), identity_uid: "b".repeat(40) },
    ...{ create_time: 1000, last_time: 1000 },
  });
  identity("far", keys(iso(now + 200 * day)));
  identity("close", keys(iso(now + 10 * day)));
  identity("precise", keys("2100-01-01T00:00:00.123Z"));
  identity("past", keys(iso(now - day)));
  identity("old", { ...keys(), create_time: now - 300 * day });
  const role = db.prepare("select uid from roles limit 1").get() as { uid: string };
  insert("role_bindings", {
    ...{ uid: step("binding"), identity_uid: step("seen"), role_uid: role.uid },
    ...times,
  });
  const provider = (name: string, expires: number | null, revoked: number | null) =>
    insert("identity_providers", {
      ...{ uid: step(name), name, default_role: "", issuer: "i", client_id: "c", ...times },
      ...{ scim_token_expire_time: expires, scim_token_revoke_time: revoked },
    });
  provider("token", now + 100 * day, null);
  provider("revoked", now + 100 * day, now);
  provider("forever", null, null);
  start = Math.floor(Date.now() / 1000) * 1000;
  for (const name of names.slice(adding)) db.exec(read(name));
});

const column = (table: string, name: string) =>
  Object.fromEntries(
    (
      db.prepare(`select name, ${name} as value from ${table}`).all() as {
        name: string;
        value: number | null;
      }[]
    ).map((row) => [row.name, row.value]),
  );

test("identities have their last known use, and none if they were never used", () => {
  expect(never).toBe(9007199254740991);
  expect(column("identities", "last_used_time")).toMatchObject({
    ...{ never: 0, seen: 5000, direct: 4000, both: 9000, person: 1000, invited: 0 },
  });
});

test("the use of role bindings is unknown until the migration", () => {
  const [binding] = db.prepare("select * from role_bindings").all();
  expect(binding).toMatchObject({ last_used_time: 0 });
  expect(Number(binding?.idle_since_time)).toBeGreaterThanOrEqual(start);
});

test("keys and tokens have their expiry and their next event, and those within 30 days are due", () => {
  expect(column("identities", "key_expire_time")).toMatchObject({
    ...{ never: null, far: now + 200 * day, close: now + 10 * day, past: now - day },
    ...{ precise: Date.parse("2100-01-01T00:00:00.123Z"), old: now + 65 * day },
  });
  expect(column("identities", "key_notice_time")).toMatchObject({
    ...{ never: null, far: now + 170 * day, close: now - 20 * day, past: null },
    old: now + 35 * day,
  });
  expect(column("identity_providers", "scim_token_notice_time")).toEqual({
    ...{ token: now + 70 * day, revoked: null, forever: null },
  });
});

test("the database is healthy afterwards", async () => {
  const outcomes = await runFsck(storeOf(db), false);
  const expiries = outcomes.filter(({ name }) => name === "expiries");
  expect(expiries.map(({ found, examples }) => ({ found, examples }))).toEqual([
    { found: 0, examples: [] },
  ]);
});

/** Restores an owner to an organization that has lost all of them, by SQL and by the command. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, inject, test } from "vitest";
import { startBenchPlatform } from "../../../bench/stage.ts";
import { bootstrapSql, type NewOwner, newOwnerSql, personUid } from "../../../cli/bootstrap.ts";
import { personUid as personOfLogin } from "../../../src/auth/person.ts";
import { copyDatabase } from "../../world/own_platform.ts";
import { long } from "../../world/tiers.ts";
import { newFolder, platformctl } from "../command.ts";
import { newDatabase } from "../new_database.ts";

const organization = "a".repeat(40);
const founder = "c".repeat(40);
const claimMatch = { issuer: "https://idp.example.com", subject: "o'brien; --" };
const owner = { name: "new owner", uid: personUid(claimMatch) };
const wanted: NewOwner = { organization, owner, claimMatch, besideOthers: false, now: 5 };

/** A database with one organization. Only the given bindings of its founder remain. */
function newPlatform({ keeps = false } = {}): DatabaseSync {
  const database = newDatabase();
  const rows = {
    organizations: [{ name: "example.com", uid: organization }],
    owner: { name: "founder", uid: founder },
    now: 1,
  };
  database.exec(bootstrapSql(rows).sql);
  if (!keeps) database.exec("DELETE FROM role_bindings");
  return database;
}

const ownersIn = (database: DatabaseSync) =>
  database
    .prepare(
      `SELECT b.identity_uid AS identity, b.accepted, b.update_time AS time FROM role_bindings b
       JOIN roles r ON r.uid = b.role_uid WHERE r.name = 'owner' ORDER BY b.identity_uid`,
    )
    .all();

test("the person is created as by a registration, and owns the organization", async () => {
  const database = newPlatform();
  database.exec(newOwnerSql(wanted));
  expect(ownersIn(database)).toEqual([{ identity: owner.uid, accepted: 1, time: 5 }]);
  const [person] = database.prepare("SELECT * FROM identities WHERE uid = ?").all(owner.uid);
  expect(person).toMatchObject({ ...claimMatch, name: "new owner", relationship_type: 1 });
  expect(owner.uid).toBe(await personOfLogin(claimMatch.issuer, claimMatch.subject));
  database.exec(newOwnerSql({ ...wanted, now: 9 }));
  expect(ownersIn(database)).toEqual([{ identity: owner.uid, accepted: 1, time: 5 }]);
});

test("their pending binding is accepted, and the existing owners do not change", () => {
  const database = newPlatform();
  database.exec(
    `INSERT INTO identities (uid, name, last_seen_time, create_time, update_time)
       VALUES ('${owner.uid}', 'ada', 1, 1, 1);
     INSERT INTO role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
       SELECT '${organization}/0000000000000000', '${owner.uid}', uid, 0, 1, 1 FROM roles WHERE name = 'owner'`,
  );
  database.exec(newOwnerSql(wanted));
  expect(ownersIn(database)).toEqual([{ identity: owner.uid, accepted: 1, time: 5 }]);
  expect(database.prepare("SELECT name FROM identities WHERE uid = ?").all(owner.uid)).toEqual([
    { name: "ada" },
  ]);
});

test("if there is another owner, nothing changes unless the command requests it", () => {
  const database = newPlatform({ keeps: true });
  database.exec(newOwnerSql(wanted));
  expect(ownersIn(database)).toMatchObject([{ identity: founder }]);
  expect(database.prepare("SELECT 1 FROM identities WHERE uid = ?").all(owner.uid)).toEqual([]);
  database.exec(newOwnerSql({ ...wanted, besideOthers: true }));
  expect(ownersIn(database).map(({ identity }) => identity)).toEqual([owner.uid, founder].sort());
});

test(
  "the command names the organization and the person, fails if there is an owner, and then creates one",
  long,
  async () => {
    const state = join(await newFolder(), "state");
    const folder = join(state, "d1/v3");
    await copyDatabase(folder);
    const bundle = await readFile(inject("bundle"), "utf8");
    const stage = await startBenchPlatform(bundle, folder);
    await stage.db
      .prepare(
        `INSERT INTO identities (uid, name, last_seen_time, create_time, update_time) VALUES ('${founder}', 'ann', 1, 1, 1)`,
      )
      .bind()
      .all();
    const body = { name: "lost.example" };
    const made = await stage.call(await stage.tokenFor(founder), "/iam/v2/groups", {
      method: "POST",
      body,
    });
    const uid = String(made.body?.uid);
    await stage.stop();
    const asked = ["--issuer", claimMatch.issuer, "--subject", claimMatch.subject, "--json"];
    const name = (...more: string[]) =>
      platformctl(["bootstrap", "--local", "--folder", state, ...more, ...asked]);
    const refused = await name("--owner-of", "lost.example");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`ann (${founder})`)]);
    const file = (await readdir(state, { recursive: true })).find((one) =>
      /[0-9a-f]{64}\.sqlite$/.test(one),
    );
    const database = new DatabaseSync(join(state, file ?? ""));
    database.exec("DELETE FROM role_bindings");
    database.close();
    expect((await name("--owner-of", "nobody.example")).err).toContain("NOT_FOUND");
    const dry = JSON.parse((await name("--owner-of", uid, "--dry-run")).out);
    expect(dry).toMatchObject({ dryRun: true, organization: { uid, name: "lost.example" } });
    const done = await name("--owner-of", "lost.example");
    expect(JSON.parse(done.out)).toMatchObject({ created: true, owner: { uid: owner.uid } });
    expect(JSON.parse((await name("--owner-of", uid)).out)).toMatchObject({ created: false });
    const again = await startBenchPlatform(bundle, folder);
    const seen = await again.call(await again.tokenFor(owner.uid), `/iam/v2/groups/${uid}`, {});
    expect(seen.body).toMatchObject({ name: "lost.example" });
    await again.stop();
    await rm(state, { recursive: true });
  },
);

test.each([
  [["--organization", "a.example", "--owner-of", "a.example"]],
  [["--organization", "a.example", "--beside-others"]],
  [[]],
])("%j is rejected before anything runs", async (args) => {
  const person = ["--issuer", claimMatch.issuer, "--subject", "me"];
  const { code, out } = await platformctl(["bootstrap", "--local", ...person, ...args]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

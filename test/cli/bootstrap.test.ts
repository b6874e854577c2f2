import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { bootstrapSql } from "../../cli/bootstrap.ts";
import { platformctl } from "./command.ts";
import { newDatabase } from "./new_database.ts";

const uid = (letter: string) => letter.repeat(40);
const rows = {
  organizations: [
    { name: "example.com", uid: uid("a") },
    { name: "public", uid: uid("b") },
  ],
  owner: { name: "it's me", uid: uid("c") },
  now: 1_700_000_000_000,
};

const groupsIn = (database: DatabaseSync) =>
  database.prepare("SELECT uid, name, verified, kind, status FROM groups ORDER BY uid").all();
const bindingsIn = (database: DatabaseSync) =>
  database
    .prepare(
      "SELECT b.parent AS 'group', b.identity_uid AS identity, r.name AS role FROM role_bindings b JOIN roles r ON r.uid = b.role_uid ORDER BY b.parent, r.name",
    )
    .all();

test("the organizations are verified and ready, and their owner is the operator of the platform", () => {
  const database = newDatabase();
  database.exec(bootstrapSql(rows).sql);
  expect(groupsIn(database)).toEqual([
    { uid: uid("a"), name: "example.com", verified: 1, kind: 2, status: 2 },
    { uid: uid("b"), name: "public", verified: 1, kind: 2, status: 2 },
  ]);
  expect(bindingsIn(database)).toEqual(
    ["a", "b"].flatMap((group) =>
      ["operator", "owner"].map((role) => ({ group: uid(group), identity: uid("c"), role })),
    ),
  );
  const [identity] = database.prepare("SELECT * FROM identities").all();
  expect(identity).toMatchObject({ uid: uid("c"), name: "it's me", create_time: rows.now });
  expect(identity).toMatchObject({ relationship: null, issuer: null, subject: null });
});

test("the same SQL again changes nothing", () => {
  const database = newDatabase();
  const { sql } = bootstrapSql(rows);
  expect(bootstrapSql(rows).sql).toBe(sql);
  database.exec(sql);
  const before = database.prepare("SELECT * FROM counts ORDER BY ancestor, kind").all();
  database.exec(sql);
  expect(database.prepare("SELECT * FROM counts ORDER BY ancestor, kind").all()).toEqual(before);
});

test("the next run completes an interrupted one", () => {
  const database = newDatabase();
  const { sql } = bootstrapSql(rows);
  for (const statement of sql.split("\n").slice(0, 3)) database.exec(statement);
  database.exec(sql);
  expect(groupsIn(database)).toHaveLength(2);
  expect(bindingsIn(database)).toHaveLength(4);
});

test("nothing is created on a platform that has another group", () => {
  const database = newDatabase();
  database.exec(bootstrapSql(rows).sql);
  database.exec(bootstrapSql({ organizations: [{ name: "intruder" }], owner: { name: "x" } }).sql);
  database.exec(bootstrapSql({ organizations: [{ name: "public" }], owner: { name: "x" } }).sql);
  expect(groupsIn(database)).toHaveLength(2);
  expect(bindingsIn(database)).toHaveLength(4);
  expect(database.prepare("SELECT uid FROM identities").all()).toHaveLength(1);
});

test.each([
  "o'brien; DROP TABLE groups; --",
  "back\\slash",
  '"quoted" /* comment */',
  "naïve ünïcode 中",
])("an owner matches exactly the given subject (%s)", (subject) => {
  const database = newDatabase();
  const claimMatch = { issuer: "https://idp.example.com", subject };
  database.exec(bootstrapSql({ ...rows, owner: { name: "owner", claimMatch } }).sql);
  const [found] = database.prepare("SELECT * FROM identities").all();
  expect(found).toMatchObject({ issuer: claimMatch.issuer, subject, relationship_type: 1 });
  expect(JSON.parse(String(found?.relationship))).toEqual({
    case: "claimMatch",
    value: claimMatch,
  });
});

test("uids are random if none are given", () => {
  const make = () => bootstrapSql({ organizations: [{ name: "a" }], owner: { name: "b" } });
  const [first, second] = [make(), make()];
  expect(first.owner.uid).toMatch(/^[0-9a-f]{40}$/);
  expect(first.owner.uid).not.toBe(second.owner.uid);
  expect(first.organizations[0]?.uid).not.toBe(second.organizations[0]?.uid);
});

test.each([
  ["--organization", "Capital"],
  ["--issuer", "http://idp.example.com"],
  ["--issuer", "idp"],
  ["--subject", "two\nlines"],
  ["--subject", ""],
])("%s %j is rejected before anything runs", async (option, value) => {
  const options = {
    "--organization": "example.com",
    "--issuer": "https://idp.example.com",
    "--subject": "me",
    [option]: value,
  };
  const args = Object.entries(options).flat();
  const { code, out } = await platformctl(["bootstrap", "--dry-run", ...args]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

test("a dry run prints SQL that works and changes nothing", async () => {
  const args = ["--organization", "example.com", "--issuer", "https://idp.example.com"];
  const { code, out } = await platformctl(["bootstrap", "--dry-run", ...args, "--subject", "me"]);
  expect(code).toBe(0);
  const database = newDatabase();
  database.exec(out);
  expect(groupsIn(database)).toMatchObject([{ name: "example.com" }]);
});

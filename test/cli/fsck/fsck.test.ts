/** fsck finds and repairs each kind of damage, and changes nothing else. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { D1Row } from "../../../cli/fsck/check.ts";
import { reportOf } from "../../../cli/fsck/report.ts";
import { runFsck } from "../../../cli/fsck/run.ts";
import {
  countedTables,
  parentedTables,
  readTriggers,
  references,
  summedTables,
} from "../../../cli/fsck/triggers.ts";
import { tableModules } from "../../../schema/describe/triggers.ts";
import { tiers } from "../../world/tiers.ts";
import { newFolder, root } from "../command.ts";
import {
  contentDamages,
  damages,
  expiryDamages,
  findingDamages,
  lineDamages,
  missingUid,
  repo,
  tag,
} from "./damages.ts";
import { addEvents, eventDamages } from "./stored_events.ts";
import {
  allRows,
  childUid,
  damageDatabase,
  foundProblems,
  hash,
  insertRow,
  newFile,
  openCopy,
  organizationUid,
  storeOf,
} from "./world.ts";

let folder: string;
let db: DatabaseSync;

const migrated = () => join(folder, "migrated.sqlite");

beforeAll(async () => {
  folder = await newFolder();
  await newFile(migrated());
  const file = new DatabaseSync(migrated());
  await addEvents(file);
  file.close();
});

afterAll(() => rm(folder, { recursive: true }));

beforeEach(() => {
  db = openCopy(migrated());
});

afterEach(() => db.close());

const look = () => runFsck(storeOf(db), false);
const repair = () => runFsck(storeOf(db), true);

const rows = (sql: string, ...values: string[]) => db.prepare(sql).all(...values) as D1Row[];

test("the triggers leave nothing to repair, at any depth, and a repair changes nothing", async () => {
  const before = allRows(db);
  const outcomes = await repair();
  expect(foundProblems(outcomes)).toEqual({});
  for (const { name, rows } of outcomes) expect(rows, name).toBeGreaterThan(3);
  expect(allRows(db)).toEqual(before);
});

describe("each kind of damage is found, named and repaired:", () => {
  const all = [
    ...damages,
    ...contentDamages,
    ...findingDamages,
    ...lineDamages,
    ...expiryDamages,
    ...eventDamages,
  ];
  const ofCheck = ([, , expected]: (typeof all)[number]) => Object.keys(expected).join();
  for (const [some, tier] of tiers(all, ofCheck))
    test.for(some)("%s", tier, async ([, sql, expected]) => {
      await damageDatabase(db, sql);
      const damaged = allRows(db);
      const first = await look();
      expect(allRows(db)).toEqual(damaged);
      const [[name = "", problems = 0] = []] = Object.entries(expected);
      // Of children, the first look sees the uppermost.
      if (name !== "parents") expect(foundProblems(first)).toEqual(expected);
      const seen = first.find((one) => one.name === name);
      expect(seen).toMatchObject({ repaired: 0, left: seen?.found });
      expect(seen?.examples).toHaveLength(Math.min(problems, 3));
      const repaired = await repair();
      expect(foundProblems(repaired)).toEqual(expected);
      for (const one of repaired) expect(one).toMatchObject({ left: 0, repaired: one.found });
      const sound = allRows(db);
      expect(sound.triggers).toEqual(damaged.triggers);
      expect(foundProblems(await look())).toEqual({});
      await repair();
      expect(allRows(db)).toEqual(sound);
    });
});

test("orphans are found below other orphans", async () => {
  await damageDatabase(db, `DELETE FROM groups WHERE uid = '${organizationUid}'`);
  const outcomes = await repair();
  expect(outcomes.map(({ left }) => left)).toEqual(outcomes.map(() => 0));
  const { groups, tags, advisories, advisory_events, counts, tag_moves } = allRows(db);
  expect([groups, tags, advisories, advisory_events]).toEqual([[], [], [], []]);
  expect(counts?.filter(({ descendants, kind }) => descendants && kind !== "roles")).toEqual([]);
  // History outlives its tags.
  expect(tag_moves).not.toEqual([]);
});

test("the history of a repaired tag continues with the current digest, and is not rewritten", async () => {
  await damageDatabase(
    db,
    `UPDATE tags SET digest = 'sha256:${hash("else")}', update_time = 5 WHERE uid = '${tag}'`,
  );
  const select =
    "SELECT update_time, digest FROM tag_moves WHERE repo_uid = ? AND tag = 'latest' ORDER BY 1";
  const before = rows(select, repo);
  await repair();
  const after = rows(select, repo);
  const updateTime = Number(before.at(-1)?.update_time) + 1;
  expect(after).toEqual([...before, { update_time: updateTime, digest: `sha256:${hash("else")}` }]);
  expect(rows("SELECT update_time FROM tags WHERE uid = ?", tag)).toEqual([
    { update_time: updateTime },
  ]);
});

test("a repaired history still cannot be changed", async () => {
  await damageDatabase(
    db,
    "INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT repo_uid, tag, update_time + 1, digest FROM tag_moves",
  );
  await repair();
  expect(() => db.exec("DELETE FROM tag_moves")).toThrow("append-only");
});

test("some rows are kept: a provider without its default role, a user without an identity", async () => {
  await damageDatabase(
    db,
    `UPDATE identity_providers SET default_role = '${missingUid}'; UPDATE scim_users SET identity_uid = '${missingUid}'`,
  );
  const before = allRows(db);
  await repair();
  const after = allRows(db);
  expect(after.identity_providers).toHaveLength(before.identity_providers?.length ?? 0);
  expect(after.identity_providers?.map((one) => one.default_role)).not.toContain(missingUid);
  expect(after.scim_users).toHaveLength(before.scim_users?.length ?? 0);
  expect(new Set(after.scim_users?.map((one) => one.identity_uid))).toEqual(new Set([null]));
});

test("a repair leaves stray objects to the clean-up, and a blob without all its bytes cannot be pulled", async () => {
  await damageDatabase(
    db,
    `UPDATE objects SET blob_id = NULL, idle_time = 1 WHERE key = 'x2'; INSERT INTO objects (key, size) VALUES ('s', 5)`,
  );
  await repair();
  expect(rows("SELECT fault, fault_time FROM blobs WHERE size = 1000")).toMatchObject([
    { fault: "missing", fault_time: null },
  ]);
  expect(rows("SELECT key FROM objects WHERE blob_id IS NULL AND idle_time > 1")).toMatchObject([
    { key: "s" },
  ]);
});

test("everything is repaired, some rows at a time", async () => {
  const series =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 230000)";
  await damageDatabase(
    db,
    `${series} INSERT INTO identity_metadata SELECT printf('%040x', i), '{}', 1 FROM n`,
  );
  expect(foundProblems(await repair())).toEqual({ references: 230_000 });
  expect(foundProblems(await look())).toEqual({});
});

test("damage that no repair can fix stays, and is reported", async () => {
  await damageDatabase(
    db,
    `UPDATE counts SET children = 99 WHERE ancestor = '${organizationUid}' AND kind = 'tags' AND class = 2`,
  );
  db.exec("CREATE TRIGGER stuck BEFORE UPDATE ON counts BEGIN SELECT RAISE(IGNORE); END");
  const outcomes = await repair();
  expect(outcomes.at(-1)).toMatchObject({ name: "counts", found: 1, repaired: 0, left: 1 });
  const text = reportOf(outcomes, { found: 1, left: 1 }, true);
  expect(text).toMatch(/^counts .* rows {2}1 problem, 1 left$/m);
  expect(text).toMatch(/\n1 problem could not be repaired\.$/);
});

describe("every table is covered:", () => {
  const tables = async () => {
    const exported = (await tableModules(root)).flatMap((one) => Object.values(one));
    return exported
      .filter((one) => is(one, SQLiteTable))
      .map((one) => getTableConfig(one as SQLiteTable));
  };

  test("each one that has parents is checked for orphans", async () => {
    const parented = parentedTables(await readTriggers(storeOf(db)));
    const names = parented.map(({ table }) => table).sort();
    // Events remain when their group is deleted. The schedule deletes the deliveries of deleted subscriptions.
    // The storage of a repository refers to it by its own uid. The ids of a finding have its uid.
    const having = (await tables()).filter(
      ({ name, columns }) =>
        !["events", "deliveries", "repo_storage", "finding_ids"].includes(name) &&
        columns.some((column) => column.name === "parent"),
    );
    expect(names).toEqual(having.map(({ name }) => name).sort());
    const orphans = names.map((table, n) => [table, childUid(missingUid, n)] as const);
    const triggers = await readTriggers(storeOf(db));
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    for (const [table, uid] of orphans) insertRow(db, table, { uid });
    for (const { sql } of triggers) db.exec(sql);
    db.exec(
      "INSERT OR IGNORE INTO tag_moves (repo_uid, tag, update_time, digest) SELECT parent, name, update_time, digest FROM tags",
    );
    expect((await look())[0]).toMatchObject({ name: "parents", found: names.length });
    for (const one of await repair()) expect(one.left).toBe(0);
  });

  test("each one whose triggers write totals is counted again", async () => {
    const triggers = await readTriggers(storeOf(db));
    const counted = countedTables(triggers)
      .map(({ table }) => table)
      .sort();
    const writing = triggers.filter(({ sql }) => /\bcounts\b/.test(sql.split("BEGIN")[1] ?? ""));
    const summed = summedTables(triggers);
    const tables = new Set([...counted, ...summed.map(({ table }) => table)]);
    expect([...tables].sort()).toEqual([...new Set(writing.map(({ table }) => table))].sort());
    const kinds = [...counted, ...new Set(summed.map(({ kind }) => kind))];
    const values = kinds.map((kind) => `('${missingUid}', '${kind}', 0, 1, 1)`);
    db.exec(
      `INSERT INTO counts (ancestor, kind, class, children, descendants) VALUES ${values.join(", ")}`,
    );
    expect(foundProblems(await look())).toEqual({ counts: kinds.length });
  });

  test("each column whose missing row triggers reject is checked", async () => {
    const found = references(await readTriggers(storeOf(db)));
    expect(found).toHaveLength(29);
    expect(found).toContainEqual({
      ...{ table: "role_bindings", column: "identity_uid", target: "identities" },
      where: "length(identity_uid) > 40",
    });
    expect(found).toContainEqual({
      ...{ table: "identity_providers", column: "default_role", target: "roles" },
      ...{ where: "default_role <> ''", becomes: "''" },
    });
  });

  test.each([
    ["pets_count_insert AFTER INSERT ON pets BEGIN UPDATE counts SET children = children + 1", []],
    [
      "pets_count_insert AFTER INSERT ON pets BEGIN INSERT INTO counts SELECT NEW.uid, 'cats', 0, 1, 1",
      "pets_count_insert",
    ],
    [
      "pets_sum_insert AFTER INSERT ON pets BEGIN UPDATE counts SET descendants = 1",
      "pets_sum_insert",
    ],
    ["pets_require_parent BEFORE INSERT ON pets BEGIN SELECT nothing", "pets_require_parent"],
    ["pets_require_owner BEFORE INSERT ON pets BEGIN SELECT nothing", "pets_require_owner"],
  ])("CREATE TRIGGER %s: an unknown form is reported by fsck", async (text, expected) => {
    db.exec("CREATE TABLE pets (uid)");
    const triggers = [
      { name: text.split(" ")[0] ?? "", table: "pets", sql: `CREATE TRIGGER ${text}; END` },
    ];
    const read = () => [
      ...countedTables(triggers),
      ...summedTables(triggers),
      ...parentedTables(triggers),
      ...references(triggers),
    ];
    if (typeof expected === "string") expect(read).toThrow(expected);
    else expect(read()).toEqual(expected);
  });
});

/**
 * The tags move in batches to a table without an index of their uids. Nothing is lost, whatever happens in between.
 *
 * @module-tag long
 */
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import { copyRows } from "../../cli/copies/row_copy.ts";
import { copyBefore } from "../../cli/migrations.ts";
import { hex } from "../world/uids.ts";
import { migrate, migrations as names, placeOf, runIn } from "./copying.ts";

const creating = placeOf("create_short_tags");
const replacing = placeOf("replace_tags");
const copy = copyBefore(names[replacing] ?? "");

const repos = ["a", "b", "c"].map(
  (name) => `${hex(name, 40)}/${hex("group", 16)}/${hex(name, 16)}`,
);
const nameOf = (n: number) =>
  [`1.${n}`, `sha256-${n}.sig`, `1.${n}-20260101`, `1.${n}-r1`, `Latest-${n}`][n % 5] ?? "";

/** Creates tags of every class, with every column set in some of them. */
function insertTags(db: DatabaseSync, from: number, count: number): void {
  const insert = db.prepare(`insert into tags
    (uid, create_time, update_time, name, digest, deprecated, deprecated_time, bundles, line, line_key)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  db.exec("begin");
  for (let n = from; n < from + count; n += 1) {
    const uid = `${repos[n % 3]}/${hex(`tag ${n}`, 16)}`;
    const digest = n % 11 === 0 ? "" : `sha256:${hex(`digest ${n % 50}`, 64)}`;
    const isDeprecated = n % 7 === 0 ? 1 : 0;
    const bundles = n % 13 === 0 ? '["a","b"]' : "[]";
    const line = n % 17 === 0 ? null : "2r|";
    insert.run(
      uid,
      n,
      n + 1,
      nameOf(n),
      digest,
      isDeprecated,
      isDeprecated * n,
      bundles,
      line,
      `a${n}`,
    );
  }
  db.exec("commit");
}

/** The changes that calls make during the copy, to rows before and after the place where it is. */
function change(db: DatabaseSync, round: number): void {
  insertTags(db, 20_000 + round * 300, 300);
  for (const from of [0, 6_000, 11_000, 20_000]) {
    const some = `rowid between ${from + round * 20} and ${from + round * 20 + 19}`;
    db.exec(`delete from tags where ${some} and create_time % 4 = 0;
      update tags set digest = 'sha256:moved', update_time = 7 where ${some} and create_time % 4 = 1;
      update tags set name = 'renamed-' || create_time || '-${round}-r2', line = 'x' where ${some} and create_time % 4 = 2;
      update tags set deprecated = 1, deprecated_time = 5, bundles = '["z"]' where ${some} and create_time % 4 = 3`);
  }
  // The names of two tags, exchanged as calls do it: one after the other.
  db.exec(`update tags set name = 'free' where create_time = ${10 * round + 100};
    update tags set name = '${nameOf(10 * round + 100)}' where create_time = ${10 * round + 103};
    update tags set name = '${nameOf(10 * round + 103)}' where create_time = ${10 * round + 100}`);
}

const all = (db: DatabaseSync, sql: string) => db.prepare(sql).all();
const tagsOf = (db: DatabaseSync) => all(db, "select rowid as id, * from tags order by uid");
const countsOf = (db: DatabaseSync) =>
  all(db, "select * from counts where kind = 'tags' order by ancestor, class");

/** Columns are in another order in the new table. */
const plain = (rows: ReturnType<typeof tagsOf>) =>
  rows.map((row) =>
    Object.entries(row)
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join("\n"),
  );

let old: DatabaseSync;
let db: DatabaseSync;

beforeAll(async () => {
  if (!copy) throw new Error("the migration has no copy");
  [old, db] = [new DatabaseSync(":memory:"), new DatabaseSync(":memory:")];
  for (const one of [old, db]) {
    migrate(one, names.slice(0, creating));
    for (const uid of repos) {
      const above = [uid.slice(0, 40), uid.slice(0, 57)];
      for (const group of above)
        one.exec(
          `insert or ignore into groups (uid, name, create_time, update_time) values ('${group}', '${group}', 1, 1)`,
        );
      one.exec(
        `insert into repos (uid, name, create_time, update_time) values ('${uid}', 'r', 1, 1)`,
      );
    }
    insertTags(one, 1, 12_000);
  }
  migrate(db, names.slice(creating, replacing));
  for (const round of [1, 2]) {
    await expect(
      copyRows(copy, runIn(db, { batches: 1, kept: 1, end: "rollback" })),
    ).rejects.toThrow("killed");
    for (const one of [old, db]) change(one, round);
  }
});

describe("a copy of tags that was killed twice, while tags were created, moved, renamed and deleted,", () => {
  test("does not let the old table go before its end", () => {
    db.exec("begin");
    expect(() => migrate(db, names.slice(replacing))).toThrow("have not all been copied");
    db.exec("rollback");
    expect(tagsOf(db)).toEqual(tagsOf(old));
  });

  test("continues where it ended, and every column of every tag is as it was", async () => {
    if (!copy) throw new Error("the migration has no copy");
    await copyRows(copy, runIn(db, { batches: 100 }));
    for (const one of [old, db]) change(one, 3);
    migrate(db, names.slice(replacing));
    expect(tagsOf(db).length).toBeGreaterThan(12_000);
    expect(plain(tagsOf(db))).toEqual(plain(tagsOf(old)));
    expect(countsOf(db)).toEqual(countsOf(old));
    expect(all(db, "pragma integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  test("leaves a table that counts, refuses and finds as the old one does", () => {
    for (const one of [old, db]) change(one, 4);
    expect(plain(tagsOf(db))).toEqual(plain(tagsOf(old)));
    expect(countsOf(db)).toEqual(countsOf(old));
    for (const one of [old, db]) {
      const [tag] = all(one, "select uid, name, parent from tags where class = 0 limit 1");
      const insert = (uid: string, name: string) => () =>
        one.exec(
          `insert into tags (uid, name, digest, create_time, update_time) values ('${uid}', '${name}', '', 1, 1)`,
        );
      expect(insert(String(tag?.uid), "another"), "two tags with a uid").toThrow("UNIQUE");
      expect(insert(`${tag?.parent}/${"0".repeat(16)}`, String(tag?.name)), "a name").toThrow(
        "UNIQUE",
      );
      expect(insert(`${hex("z", 40)}/${hex("z", 16)}/${"0".repeat(16)}`, "n")).toThrow(
        "parent is gone",
      );
    }
    const automatic = all(db, "select name from pragma_index_list('tags') where origin <> 'c'");
    expect(automatic, "indexes that SQLite made by itself").toEqual([]);
  });
});

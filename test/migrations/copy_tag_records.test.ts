/**
 * The history of tags moves to shorter rows in batches. Nothing is lost, whatever happens in between.
 *
 * @module-tag long
 */
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { copyRows } from "../../cli/copies/row_copy.ts";
import { copyBefore, migrationSteps } from "../../cli/migrations.ts";
import { hex } from "../world/uids.ts";
import { migrate, migrations as names, placeOf, runIn } from "./copying.ts";

const creating = placeOf("create_tag_records");
const replacing = placeOf("replace_tag_moves");
const copy = copyBefore(names[replacing] ?? "");

/** A record: the repository, the tag, the time, the digest, and who moved the tag. */
type Move = [string, string, number, string, string, string, string, number];

const insertText = `insert into tag_moves (repo_uid, tag, update_time, digest, repo, identity, identity_name, method)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

function insert(db: DatabaseSync, moves: Move[]): void {
  const statement = db.prepare(insertText);
  db.exec("begin");
  for (const move of moves) statement.run(...move);
  db.exec("commit");
}

const digestOf = (text: string) => `sha256:${hex(text, 64)}`;
const organizations = ["one", "two"].map((name) => hex(name, 40));

/** Records of every kind, with and without warnings, some of which are older than those before them. */
function generated(from: number, count: number): Move[] {
  const tags = ["latest", "1.2.3", "v2.0.0-a", "1.2"];
  return Array.from({ length: count }, (_, at) => {
    const n = from + at;
    const organization = organizations[n % 2] ?? "";
    const repo = `${organization}/${hex(`repo ${n % 14}`, 16)}`;
    const tag = n % 3 === 0 ? `burst-${n % 40}` : (tags[(n * 7) % 4] ?? "");
    const time = 1_700_000_000_000 + (n % 5 === 0 ? -1 : 1) * n * 1000;
    const kinds = ["", `sha512:${hex("a", 64)}${hex("b", 64)}`, `SHA256:${hex("A", 64)}`];
    const digest = kinds[n % 23] ?? digestOf(`digest ${n % 9}`);
    const who = n % 2 === 0 ? `${organization}/${hex("robot", 16)}` : "";
    return [repo, tag, time, digest, `app-${n % 3}`, who, `robot-${n % 2}`, n % 4];
  });
}

const file = new URL("../../../shared/data/tag-moves.jsonl.gz", import.meta.url);

/** More records than three batches copy, so that a copy can be killed twice. */
const count = 15_000;

/** The first real records, if they are there. */
function real(count: number): Move[] {
  if (!existsSync(file)) return [];
  const lines = gunzipSync(readFileSync(file)).toString().split("\n").slice(0, count);
  return lines.map((line): Move => {
    const { repo, tag, digest, updateTimestamp } = JSON.parse(line);
    const uid = `${hex("real", 40)}/${hex("group", 16)}/${hex(repo, 16)}`;
    return [uid, tag, Date.parse(updateTimestamp), digest, repo, "", "", 3];
  });
}

const columns = `repo_uid, tag, update_time, digest, repo, identity, identity_name, method, kind, previous_digest,
  warnings, uid, parent, ancestor0, ancestor1, ancestor2, ancestor3, ancestor4, ancestor5`;
const rowsOf = (db: DatabaseSync, table = "tag_moves") =>
  db.prepare(`select ${columns} from ${table} order by repo_uid, tag, update_time`).all() as Record<
    string,
    unknown
  >[];

/** The changes that calls make during the copy. The last one deletes records that repeat the one before. */
function change(db: DatabaseSync, round: number): void {
  insert(db, generated(20_000 + round * 100, 100));
  const some = "digest like 'sha256:%' and update_time / 1000 % 500 = ?";
  const rows = db.prepare(`select * from tag_moves where ${some}`).all(round);
  for (const row of rows as {
    repo_uid: string;
    tag: string;
    update_time: number;
    digest: string;
  }[]) {
    const older = row.update_time - 1;
    insert(db, [[row.repo_uid, row.tag, older, row.digest, "app", "", "", 3]]);
    db.prepare("delete from tag_moves where repo_uid = ? and tag = ? and update_time = ?").run(
      ...[row.repo_uid, row.tag, row.update_time],
    );
  }
}

let old: DatabaseSync;
let db: DatabaseSync;

beforeAll(async () => {
  if (!copy) throw new Error("no migration has a copy");
  old = new DatabaseSync(":memory:");
  migrate(old, names.slice(0, creating));
  db = new DatabaseSync(":memory:");
  migrate(db, names.slice(0, creating));
  const some = real(9000);
  for (const one of [old, db]) insert(one, [...generated(1, count - some.length), ...some]);
  migrate(db, names.slice(creating, replacing));
  for (const [at, end] of ["rollback", "commit"].entries()) {
    await expect(copyRows(copy, runIn(db, { batches: 1, kept: 3, end }))).rejects.toThrow("killed");
    for (const one of [old, db]) change(one, at + 1);
  }
});

describe("a copy that was killed twice, while records were written, deleted and described again,", () => {
  test("does not let the old table go before its end", () => {
    const [replace = ""] = names.slice(replacing);
    db.exec("begin");
    expect(() => migrate(db, [replace])).toThrow("have not all been copied");
    db.exec("rollback");
    expect(rowsOf(db)).toHaveLength(rowsOf(old).length);
  });

  test("continues where it ended, and every column of every record is as it was", async () => {
    if (!copy) throw new Error("no migration has a copy");
    await copyRows(copy, runIn(db, { batches: 100 }));
    for (const one of [old, db]) change(one, 3);
    migrate(db, names.slice(replacing));
    const [before, after] = [rowsOf(old), rowsOf(db)];
    expect(before.length).toBeGreaterThan(6000);
    expect(after).toHaveLength(before.length);
    for (const [at, row] of before.entries()) {
      for (const [column, value] of Object.entries(row)) {
        if (after[at]?.[column] !== value) expect(after[at]).toEqual(row);
      }
    }
    const kinds = new Set(after.map(({ kind, warnings }) => `${kind} ${warnings}`));
    for (const one of ["1 0", "2 0", "2 1", "3 2", "3 3", "4 0", "2 4"]) {
      expect(kinds, "a record with this kind and these warnings").toContain(one);
    }
  });

  test("leaves a history that continues as the old one does, and that nothing can change", () => {
    for (const one of [old, db]) change(one, 4);
    expect(rowsOf(db)).toEqual(rowsOf(old));
    const bursts = "select * from tag_bursts order by repo_uid";
    expect(db.prepare(bursts).all()).toEqual(old.prepare(bursts).all());
    for (const table of ["tag_moves", "tag_records", "tag_repos", "tag_names", "tag_origins"]) {
      expect(() => db.exec(`delete from ${table}`), table).toThrow("append-only");
    }
    for (const column of [
      "tag_id",
      "update_time",
      "organization_id",
      "repo_id",
      "digest",
      "origin_id",
    ]) {
      expect(() => db.exec(`update tag_records set ${column} = 1`), column).toThrow("append-only");
    }
    const isKeyed = "select wr from pragma_table_list('tag_records')";
    expect(db.prepare(isKeyed).get(), "the table has no rowid").toEqual({ wr: 1 });
    expect(() => db.exec("update tag_moves set kind = 1")).toThrow("append-only");
    expect(() => db.exec("update tag_origins set repo = 'x'")).toThrow("append-only");
  });
});

const removing = placeOf("replace_tags");
const last = { copy: copyBefore(names[removing] ?? ""), names: names.slice(removing) };

test("a new database has nothing to copy, and an older one copies between two steps", () => {
  expect(migrationSteps(names, [])).toEqual([{ names }]);
  expect(migrationSteps(names, names)).toEqual([]);
  const applied = names.slice(0, creating);
  const rest = { copy, names: names.slice(replacing, removing) };
  expect(migrationSteps(names, applied)).toEqual([
    { names: names.slice(creating, replacing) },
    rest,
    last,
  ]);
  const stopped = names.slice(0, replacing);
  expect(migrationSteps(names, stopped)).toEqual([rest, last]);
  expect(migrationSteps(names, names.slice(0, removing))).toEqual([last]);
});

test("a migration that takes something away does not wait if a later one is pending", () => {
  const later = [...names, "9999_add_something.sql"];
  expect(migrationSteps(later, names.slice(0, removing))).toEqual([
    { copy: last.copy, names: [...names.slice(removing), "9999_add_something.sql"] },
  ]);
});

/** Measures how many bytes of the database a tag and a record of its history take, with all their indexes. */
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Findings, Goal } from "../report/findings.ts";

/** The goals, in bytes. */
const goals = { tag: 800, record: 70 };

/** In megabytes: the file of a new `npm start` after the import of its tag moves. */
const wantedFile = 28;

/** The most bytes of a database (https://developers.cloudflare.com/d1/platform/limits/). */
const largest = 10e9;

/** The tags that must fit into it, with so many records each. */
const wantedTags = 8e6;
const recordsOfTag = 4;

/** The rows of a table and the bytes of its pages. `part` is a beginning of the names of its tables. */
function bytesOf(db: DatabaseSync, part: string, table: string) {
  const sizes = db
    .prepare(
      `select s.name, sum(s.pgsize) as bytes from dbstat as s join sqlite_schema as m on m.name = s.name
        where m.tbl_name glob ? group by s.name order by bytes desc`,
    )
    .all(part) as { name: string; bytes: number }[];
  const { rows } = db.prepare(`select count(*) as rows from "${table}"`).get() as { rows: number };
  const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0);
  return { rows, bytes, each: bytes / rows, sizes };
}

/** Reads the file of a database with tags and their history. No program may have it open for writing. */
export function measureBytes(file: string): Pick<Findings, "tables" | "goals"> {
  const db = new DatabaseSync(file, { readOnly: true });
  const tag = bytesOf(db, "tags", "tags");
  const record = bytesOf(db, "tag_[mnro]*", "tag_moves");
  db.close();
  const fitting = Math.floor(largest / (tag.each + recordsOfTag * record.each));
  const checked: Goal[] = [
    { what: "a tag", bound: goals.tag, measured: tag.each },
    { what: "a record of the history", bound: goals.record, measured: record.each },
  ].map(({ what, bound, measured }) => ({
    what: `bytes of ${what}, with all indexes`,
    bound: `at most ${bound}`,
    measured: measured.toFixed(0),
    kept: measured <= bound,
  }));
  checked.push({
    what: `tags with ${recordsOfTag} records each that fit into the 10 GB of a database`,
    bound: `at least ${wantedTags / 1e6} million`,
    measured: `${(fitting / 1e6).toFixed(1)} million`,
    kept: fitting >= wantedTags,
  });
  const megabytes = statSync(file).size / 1e6;
  checked.push({
    what: "the database after that import",
    bound: `at most ${wantedFile} MB`,
    measured: `${megabytes.toFixed(1)} MB`,
    kept: megabytes <= wantedFile,
  });
  const shown = [
    ...tag.sizes.map((size) => ["tag", size.name, size.bytes / tag.rows] as const),
    ...record.sizes.map((size) => ["record", size.name, size.bytes / record.rows] as const),
  ];
  return {
    goals: checked,
    tables: [
      {
        title: "Bytes of a tag and of a record",
        text: `After the import. The database has ${tag.rows} tags and ${record.rows} records. Its file has ${megabytes.toFixed(1)} MB.`,
        head: ["of a", "table or index", "bytes"],
        rows: shown
          .filter(([, , bytes]) => bytes >= 1)
          .map(([of, name, bytes]) => [of, name, Math.round(bytes)]),
      },
    ],
  };
}

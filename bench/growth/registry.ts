/** A large registry: the tags of one organization, one of which has moved very often. */
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import { loadByTriggers, loadInBulk, openFile, type TableLoad } from "../cost/bulk_load.ts";

const hex = (text: string, length: number) =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** In milliseconds: the time of the first tag. */
const begun = Date.UTC(2026, 0, 1);

/** In milliseconds: the first record, and the pause between two, which is longer than {@link loadInBulk} needs. */
const firstRecord = Date.UTC(2020, 0, 1);
const pause = 11 * 60_000;

const root = hex("organization", 40);
const owner = hex("owner", 40);
const repoCount = 40;
const repos = Array.from(
  { length: repoCount },
  (_, index) => `${root}/${hex(`repo ${index}`, 16)}`,
);
const moving = `${root}/${hex("moving", 16)}`;

/** The fixtures, by the names that callers use. */
export const registryFixtures = {
  root,
  /** The uid of an identity that owns the organization. */
  owner,
  /** The name of the tag that has moved often. */
  image: "bench.example/moving",
  tag: "latest",
  /** Returns the time of the n-th record of its history in milliseconds, from 0. */
  timeOf: (record: number) => firstRecord + record * pause,
  /** Returns the digest of that record. */
  digestOf: (record: number) => `sha256:${record.toString(16).padStart(64, "0")}`,
};

/** SQL: the numbers from 0 to `count` - 1, as `n(i)`. */
const numbers = (count: number) =>
  `with recursive n(i) as (select 0 union all select i + 1 from n limit ${count})`;

const few = (): TableLoad[] => [
  {
    table: "groups",
    sql: `insert into groups (uid, name, verified, create_time, update_time)
      values ('${root}', 'bench.example', 1, ${begun}, ${begun})`,
  },
  {
    table: "identities",
    sql: `insert into identities (uid, name, last_seen_time, create_time, update_time)
      values ('${owner}', 'owner', ${begun}, ${begun}, ${begun})`,
  },
  {
    table: "role_bindings",
    sql: `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
      values ('${root}/${hex("binding", 16)}', '${owner}', '${OWNER_ROLE}', ${begun}, ${begun})`,
  },
  ...[...repos, moving].map((uid, index) => ({
    table: "repos",
    sql: `insert into repos (uid, name, create_time, update_time)
      values ('${uid}', '${uid === moving ? "moving" : `image-${index}`}', ${begun}, ${begun})`,
  })),
];

/**
 * Uids, names and times each have a different order, so that no index has the order of the table. Two rows have the
 * same time. The factors are prime, so that each number below a round size appears once.
 */
const tagsOf = (count: number): TableLoad => ({
  table: "tags",
  sql: `${numbers(count)} insert into tags (uid, name, digest, create_time, update_time)
    select '${JSON.stringify(repos)}' ->> (i % ${repoCount}) || printf('/%016x', i * 7919 % ${count}), printf('1.%07d', i * 104729 % ${count}),
      'sha256:' || printf('%064x', i), ${begun} + i * 611953 % ${count} / 2 * 1000,
      ${begun} + i * 15485863 % ${count} / 2 * 1000 + ${count} * 1000
    from n`,
});

const movesOf = (count: number): TableLoad => ({
  table: "tag_moves",
  sql: `${numbers(count)} insert into tag_moves (repo_uid, tag, update_time, digest)
    select '${moving}', '${registryFixtures.tag}', ${firstRecord} + i * ${pause}, 'sha256:' || printf('%064x', i) from n`,
});

/**
 * Fills the file of a migrated D1 with this number of tags and records. All tags are plain, so that a List shows them.
 */
export function fillRegistry(
  file: string,
  { tags, records }: { tags: number; records: number },
  say: (line: string) => void,
): void {
  const db: DatabaseSync = openFile(file);
  loadByTriggers(db, few());
  loadInBulk(db, [tagsOf(tags), movesOf(records)], say);
  db.close();
}

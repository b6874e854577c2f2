/** Writes the history of a tag that first moved each week and at last several times an hour. */
import { below } from "../../test/world/uids.ts";
import type { BenchOrganization } from "../organization.ts";
import type { BenchPlatform } from "../stage.ts";

const day = 86_400_000;

/** The first record, before now. */
const years = 10 * 365 * day;

/**
 * Adds a tag with so many records and returns its uid. Their distances shrink evenly from the first to the last, so that
 * the last year has most of them. One batch writes them without the trigger that describes each record.
 */
export async function addHistory(
  { db }: BenchPlatform,
  { repo }: BenchOrganization,
  records: number,
): Promise<string> {
  const now = Date.now();
  const name = `moved-${records}`;
  const digest = (number: string) => `'sha256:' || printf('%064x', ${number})`;
  const { results } = await db
    .prepare("select sql from sqlite_master where name = 'tag_moves_describe'")
    .all<{ sql: string }>();
  const [trigger] = results;
  if (!trigger) throw new Error("there is no trigger tag_moves_describe");
  const age = `${years} * (1 - i / ${records}.0) * (1 - i / ${records}.0)`;
  const statements = [
    "drop trigger tag_moves_describe",
    `with recursive n(i) as (select 0 union all select i + 1 from n limit ${records})
      insert into tag_moves (repo_uid, tag, update_time, digest, repo, kind, previous_digest, method)
      select '${repo}', '${name}', ${now} - cast(${age} as integer) - (${records} - i), ${digest("i")}, 'bench',
        iif(i = 0, 1, iif(i % 50 = 0, 3, 2)), iif(i = 0, '', ${digest("i - 1")}), 2 from n`,
    trigger.sql,
    `insert into tags (uid, name, digest, line, create_time, update_time)
      values ('${below(repo, name)}', '${name}', ${digest(String(records - 1))}, '', ${now}, ${now})`,
  ];
  await db.batch(statements.map((sql) => db.prepare(sql)));
  return below(repo, name);
}

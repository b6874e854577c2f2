/** Writes the history of a tag that first moved each week and at last several times an hour. */
import { below } from "../../test/world/uids.ts";
import type { BenchOrganization } from "../organization.ts";
import type { BenchPlatform } from "../stage.ts";

const day = 86_400_000;

/** The first record, before now. */
const years = 10 * 365 * day;

/**
 * Adds a tag with so many records and returns its uid. Their distances shrink evenly from the first to the last, so
 * that the last year has most of them. Only the first one is written through the view, whose trigger describes each
 * record.
 */
export async function addHistory(
  { db }: BenchPlatform,
  { repo }: BenchOrganization,
  records: number,
): Promise<string> {
  const now = Date.now();
  const name = `moved-${records}`;
  const digest = (number: string) => `'sha256:' || printf('%064x', ${number})`;
  const age = `${years} * (1 - i / ${records}.0) * (1 - i / ${records}.0)`;
  const time = `${now} - cast(${age} as integer) - (${records} - i)`;
  const statements = [
    `insert into tag_moves (repo_uid, tag, update_time, digest, repo, method)
      select '${repo}', '${name}', ${time}, ${digest("0")}, 'bench', 2 from (select 0 as i)`,
    `with recursive n(i) as (select 1 union all select i + 1 from n limit ${records - 1})
      insert into tag_records (tag_id, update_time, organization_id, repo_id, digest, origin_id, flags)
      select first.tag_id, ${time}, first.organization_id, first.repo_id, unhex(printf('%064x', i)), first.origin_id,
        iif(i % 50 = 0, 3, 2)
      from n cross join tag_records as first where first.tag_id = (select id from tag_names where tag = '${name}')`,
    `insert into tags (uid, name, digest, line, create_time, update_time)
      values ('${below(repo, name)}', '${name}', ${digest(String(records - 1))}, '', ${now}, ${now})`,
  ];
  await db.batch(statements.map((sql) => db.prepare(sql)));
  return below(repo, name);
}

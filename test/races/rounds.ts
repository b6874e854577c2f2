/** Rounds of a race over plain HTTP, and the damage after one. */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { expect } from "vitest";
import { step } from "../contract/fixtures.ts";
import type { Organization } from "../world/personas.ts";
import { type Answer, callRest, sql } from "../world/platform.ts";

export const rounds = Number(process.env.RACES_ROUNDS ?? 10);

/** One round. Returns the damage after it, in words. */
type Round = (at: number) => Promise<string[]>;

/** Runs all rounds. Prints how many there were, and how many left damage. */
export async function play(name: string, round: Round): Promise<void> {
  const damaged: string[] = [];
  for (let at = 0; at < rounds; at += 1) {
    const wrong = await round(at);
    if (wrong.length > 0) damaged.push(`round ${at}: ${wrong.join("; ")}`);
  }
  const line = `${name}: ${rounds} rounds, damage in ${damaged.length}\n`;
  process.stdout.write(line);
  if (process.env.RACES_REPORT) appendFileSync(process.env.RACES_REPORT, line);
  expect(damaged.slice(0, 5)).toEqual([]);
}

/** All other statuses. No race may lead to them. */
export const unexpectedStatuses = (answers: Answer[], ...usual: number[]) =>
  answers
    .filter(({ status }) => !usual.includes(status))
    .map(({ status, body }) => `answered ${status} ${JSON.stringify(body)}`);

export const day = (number: number) => `2026-02-0${number}T00:00:00Z`;

export const importing =
  ({ uid, owner }: Organization, collection: string) =>
  (body: object) =>
    callRest(`/vulnerabilities/v2/${collection}/${uid}:import`, { token: owner.token, body });

/** Rows in an organization that belong to no advisory. */
export async function orphanRows({ uid }: Organization): Promise<string[]> {
  const tables = { advisory_events: "advisory_uid", osv_records: "uid", vex_subjects: "uid" };
  const all = Object.entries(tables).map(async ([table, column]) => {
    const rows = await sql(
      `select ${column} from ${table} as one where ${column} > ?1 || '/' and ${column} < ?1 || '0'
       and not exists (select 1 from advisories where uid = one.${column})`,
      uid,
    );
    return rows.map(() => `a row of ${table} has no advisory`);
  });
  return (await Promise.all(all)).flat();
}

/** Records that differ from the source that their advisories name. */
export async function strayRecords({ uid }: Organization): Promise<string[]> {
  const rows = await sql<{ record: string; source_digest: string; advisory_id: string }>(
    `select record, source_digest, advisory_id from advisories
     join osv_records on osv_records.uid = advisories.uid where parent = ?`,
    uid,
  );
  const isStray = (row: (typeof rows)[number]) =>
    createHash("sha256").update(`4\n${row.record}`).digest("hex") !== row.source_digest;
  return rows.filter(isStray).map((row) => `${row.advisory_id} is not what its record says`);
}

/** The data of an organization about a shared record, without uids. */
export const sharedRecordState = ({ uid }: Organization) =>
  sql(
    `select advisory_id, aliases, artifact_name, record, json_group_array(detail) as events from (
       select advisories.*, osv_records.record, detail from advisories
       join osv_records on osv_records.uid = advisories.uid
       left join advisory_events on advisory_uid = advisories.uid
       where parent = ? and advisory_id = 'SHARED' order by detail) group by advisory_id`,
    uid,
  );

/** 67 groups in an organization, at two depths. */
export async function groupsBelow(uid: string): Promise<string[]> {
  const above = Array.from({ length: 7 }, () => `${uid}/${step()}`);
  const below = Array.from({ length: 60 }, (_, at) => `${above[at % above.length]}/${step()}`);
  const all = [...above, ...below];
  await sql(
    `insert into groups (uid, name, create_time, update_time)
     select value ->> 0, value ->> 1, 1, 1 from json_each(?)`,
    JSON.stringify(all.map((group, at) => [group, `group-${at}`])),
  );
  return all;
}

/** Reads the trust policies about a repository, in the batch of the caller. */
import { type SQL, sql } from "drizzle-orm";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { trustChanges, trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import { ancestry } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { onlyIf, type Statement } from "../../outbox/commit.ts";
import { readTrust, type Trust, TrustError } from "../../signatures/trust.ts";

/** The condition that a policy belongs to the repository or to a group above it. */
const isAbout = (repo: string): SQL =>
  sql`(${sql.join(
    ancestry(repo).map((uid) => sql`${trustPolicies.parent} is ${uid}`),
    sql` or `,
  )})`;

/** The statement that reads the policies about a repository. */
export const selectPolicies = (db: Database, repo: string) =>
  db.select(rowColumns(trustPolicies)).from(trustPolicies).where(isAbout(repo));

/** A row of {@link selectPolicies}. */
export type PolicyRow = Awaited<ReturnType<typeof selectPolicies>>[number];

/** A policy, ready to verify signatures with. */
export interface ReadPolicy {
  uid: string;
  name: string;
  trustTime: number;
  trust: Trust;
}

/** Reads the policies of rows. One that cannot be read any more trusts nothing. */
export async function readPolicies(rows: readonly PolicyRow[]): Promise<ReadPolicy[]> {
  const read = rows.map(async (row): Promise<ReadPolicy[]> => {
    try {
      return [
        { uid: row.uid, name: row.name, trustTime: row.trustTime, trust: await readTrust(row) },
      ];
    } catch (thrown) {
      if (thrown instanceof TrustError) return [];
      throw thrown;
    }
  });
  return (await Promise.all(read)).flat();
}

/** The statement that undoes its batch unless the policies about the repository are those that were read. */
export function requireSamePolicies(
  db: Database,
  repo: string,
  read: readonly Pick<PolicyRow, "uid" | "updateTime">[],
): Statement {
  const sorted = read.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const versions = sorted.map(({ uid, updateTime }) => [uid, updateTime]);
  const now = sql`(select json_group_array(json_array("uid", "update_time")) from (
    select ${trustPolicies.uid}, ${trustPolicies.updateTime} from ${trustPolicies}
      where ${isAbout(repo)} order by ${trustPolicies.uid}))`;
  return onlyIf(db, sql`${now} = ${JSON.stringify(versions)}`);
}

/** The statement that has the schedule verify all signatures below a group or a repository again. */
export const markChanged = ({ db, now }: Pick<Call, "db" | "now">, scope: string): Statement =>
  db
    .insert(trustChanges)
    .values({ uid: scope, changeTime: now })
    .onConflictDoUpdate({ target: trustChanges.uid, set: { changeTime: now, cursor: "" } });

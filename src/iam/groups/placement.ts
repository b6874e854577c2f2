/** Where a new organization is, and the names that only one organization of the platform can have. */
import { and, eq, sql } from "drizzle-orm";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { organizationDatabases } from "../../../schema/tables/platform/organizations.ts";
import { alreadyExists } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { type Call, callAt } from "../../auth/call.ts";
import { isSpread } from "../../auth/databases.ts";
import type { Caller } from "../../auth/grants.ts";
import { copyPerson } from "../../auth/person_copies.ts";
import { verifiedInEach } from "../../auth/verified_names.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";

/**
 * Enters a new organization in the directory. Returns the call that creates it, and the statements that come before all
 * others, because its founder must be in its database too. An entry without an organization has no effect.
 */
export async function locateOrganization(
  call: Call,
  caller: Caller,
  uid: string,
): Promise<{ call: Call; before: Statement[] }> {
  const { databases } = call;
  const { first, forNew } = databases;
  if (!isSpread(databases)) return { call, before: [] };
  if (forNew === "DB") return { call: callAt(call, uid), before: [] };
  const [founder] = await first
    .select(rowColumns(identities))
    .from(identities)
    .where(eq(identities.uid, caller.identity));
  const entry = first.insert(organizationDatabases).values({ uid, database: forNew });
  // With a key, a write waits for the answer. The entry cannot, because the next read finds the database by it.
  const { idempotency: _, ...writer } = call;
  // The guards of the call are about the first database. Its access was checked there, in the batch of the entry.
  await commit({ ...writer, db: first }, [entry]);
  if (call.validateOnly) return { call: { ...call, db: first }, before: [] };
  const there = { ...callAt(call, uid), guards: new Map() };
  return { call: there, before: founder ? copyPerson(there, founder) : [] };
}

/** Removes a deleted organization from the directory. */
export async function forgetOrganization({ databases }: Call, uid: string): Promise<void> {
  if (!isSpread(databases) || parentOf(uid) !== "") return;
  const { first } = databases;
  await first.delete(organizationDatabases).where(eq(organizationDatabases.uid, uid));
}

/**
 * Reserves the name of an organization that becomes verified, before its row says so. The first database decides, so
 * two organizations in different databases cannot get one name. Throws ALREADY_EXISTS.
 */
export async function reserveName(call: Call, uid: string, name: string): Promise<void> {
  const { databases } = call;
  if (!isSpread(databases)) return;
  const taken = () => alreadyExists("iam/Group", name);
  const others = await verifiedInEach(databases, [name]);
  if (others.some((organization) => organization.uid !== uid)) throw taken();
  const { first } = databases;
  const isTaken = sql`exists (select 1 from ${groups} where ${and(
    eq(groups.name, name),
    sql`${groups.verified} = 1`,
    sql`${groups.uid} <> ${uid}`,
  )})`;
  const entry = first
    .insert(organizationDatabases)
    .values({ uid, database: "DB", verifiedName: name })
    .onConflictDoUpdate({ target: organizationDatabases.uid, set: { verifiedName: name } });
  const { validateOnly = false } = call;
  await commit({ db: first, validateOnly }, [onlyIf(first, sql`not ${isTaken}`), entry], taken);
}

/** Gives the name of an organization back that is no longer verified. */
export async function releaseName({ databases, validateOnly }: Call, uid: string): Promise<void> {
  if (!isSpread(databases) || validateOnly) return;
  const { first } = databases;
  await first
    .update(organizationDatabases)
    .set({ verifiedName: null })
    .where(eq(organizationDatabases.uid, uid));
}

/**
 * Records which identities and role bindings are used, to the day. It costs at most one write a day for each,
 * after the response. A record that cannot be written never fails a call: a full database still serves reads.
 */
import { and, eq, inArray, lt, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../../schema/tables/columns.ts";
import { identities } from "../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../schema/tables/iam/role_bindings.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import type { Call, Database } from "./call.ts";
import type { GrantRow } from "./grant_rows.ts";
import type { Caller } from "./grants.ts";
import type { FoundGrants } from "./grants_across.ts";

/** The beginning of the day of a time, in UTC. Both are in milliseconds since 1970. */
export const dayOf = (now: number) => now - (now % DAY_MS);

/** One value is the usual case. A subquery of it would read three rows more. */
const isOneOf = (column: SQLiteColumn, [first = "", ...more]: readonly string[]): SQL =>
  more.length === 0 ? eq(column, first) : inArray(column, valuesSubselect([first, ...more]));

/** The statement that records a use of the identities. It writes nothing if they were used earlier today. */
export const identityUse = (db: Database, uids: readonly string[], now: number) =>
  db
    .update(identities)
    .set({ lastUsedTime: now })
    .where(
      and(isOneOf(identities.uid, [...new Set(uids)]), lt(identities.lastUsedTime, dayOf(now))),
    );

const bindingUse = (db: Database, uids: readonly string[], now: number) =>
  db
    .update(roleBindings)
    .set({ lastUsedTime: now })
    .where(and(isOneOf(roleBindings.uid, uids), lt(roleBindings.lastUsedTime, dayOf(now))));

/** The capabilities that an accepted call needed, at the uid if the call is about one. */
export interface AcceptedCall {
  capabilities: readonly number[];
  scope?: string;
}

/**
 * Records that the platform accepted a call. The call uses the caller's identity, and each role binding that
 * gave it one of the capabilities. `grants` are the grants that were read with the call. They say what was used
 * earlier today, which costs nothing. With `succeeded`, the call counts only if it succeeds.
 */
export function recordUse(
  { now, after }: Pick<Call, "now" | "after">,
  caller: Caller,
  grants: FoundGrants[],
  accepted: AcceptedCall,
  when: "over" | "succeeded" = "over",
): void {
  for (const { db, rows } of grants) recordUseIn({ db, now, after }, caller, rows, accepted, when);
}

function recordUseIn(
  { db, now, after }: Pick<Call, "db" | "now" | "after">,
  caller: Caller,
  grantRows: GrantRow[],
  { capabilities, scope }: AcceptedCall,
  when: "over" | "succeeded",
): void {
  const decided = caller.grants.filter(
    (grant) =>
      (scope === undefined || isAtOrAbove(grant.group, scope)) &&
      capabilities.some((capability) => grant.capabilities.has(capability)),
  );
  const granting = new Set(decided.flatMap(({ binding }) => binding ?? []));
  const day = dayOf(now);
  const isUsed = ({ identity, binding }: GrantRow) =>
    identity === caller.identity || (binding !== null && granting.has(binding));
  const usedIdentities = grantRows.flatMap((row) =>
    row.lastUsedTime < day && isUsed(row) ? [row.identity] : [],
  );
  const usedBindings = grantRows.flatMap(({ binding, bindingUsedTime }) =>
    binding !== null && granting.has(binding) && (bindingUsedTime ?? 0) < day ? [binding] : [],
  );
  const [first, ...rest] = [
    ...(usedIdentities.length > 0 ? [identityUse(db, usedIdentities, now)] : []),
    ...(usedBindings.length > 0 ? [bindingUse(db, usedBindings, now)] : []),
  ];
  // If this fails, the next call of the day records the use.
  if (first) after(() => db.batch([first, ...rest]), when);
}

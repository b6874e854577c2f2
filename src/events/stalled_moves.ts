/**
 * Ends what a move left half done when it was killed (docs/decisions/0010). While an organization is leaving, it takes no
 * writes. Once it has departed, and until the copy serves it, it serves no calls, and the events of its database wait.
 */
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import {
  organizationMoves as moves,
  organizationDatabases,
} from "../../schema/tables/platform/organizations.ts";
import type { Database } from "../auth/call.ts";
import { type Databases, isSpread } from "../auth/databases.ts";

/** In milliseconds. A move that runs renews the time of its row far more often. */
const stalledAfter = 5 * 60_000;

const endedOf = sql`${moves.progress} ->> 'ended'`;

/** The schedule of the events runs it. Any of its steps can be repeated. */
export async function settleMoves(databases: Databases, now: number): Promise<void> {
  if (!isSpread(databases)) return;
  for (const [index, db] of databases.all.entries()) {
    const isStalled = lt(moves.time, now - stalledAfter);
    await db
      .update(moves)
      .set({ state: "copying", time: now })
      .where(and(eq(moves.state, "leaving"), isStalled));
    const departed = await db
      .select({ uid: moves.uid, to: moves.database })
      .from(moves)
      .where(and(eq(moves.state, "departed"), isNull(endedOf), isStalled));
    for (const { uid, to } of departed) {
      const target = databases.all[databases.names.indexOf(to)];
      const from = databases.names[index] ?? "";
      if (target) await settle({ uid, from, to, source: db, target, first: databases.first }, now);
    }
  }
}

interface StalledMove {
  uid: string;
  from: string;
  to: string;
  source: Database;
  target: Database;
  first: Database;
}

/**
 * Goes back if the copy does not serve the organization yet, and otherwise forward. The row of the copy decides: the move
 * deletes it to switch, and this marks it, and only one of both finds it unchanged.
 */
async function settle(move: StalledMove, now: number): Promise<void> {
  const { uid, from, source, target } = move;
  const isCopy = and(eq(moves.uid, uid), eq(moves.state, "arriving"));
  // A schedule that comes late leaves the copy of a newer move alone.
  await target
    .update(moves)
    .set({ database: "" })
    .where(and(isCopy, eq(moves.database, from), lt(moves.time, now - stalledAfter)));
  const [copy] = await target.select({ database: moves.database }).from(moves).where(isCopy);
  if (copy) {
    await source
      .update(moves)
      .set({ state: "copying", time: now })
      .where(and(eq(moves.uid, uid), eq(moves.state, "departed"), isNull(endedOf)));
  } else await finish(move);
}

/** Names the new database. The old rows remain until `platformctl organization move` runs again. */
async function finish({ uid, to, source, target, first }: StalledMove): Promise<void> {
  const [group] = await target
    .select({ name: groups.name, isVerified: groups.verified })
    .from(groups)
    .where(eq(groups.uid, uid));
  const verifiedName = group?.isVerified ? group.name : null;
  await first
    .insert(organizationDatabases)
    .values({ uid, database: to, verifiedName })
    .onConflictDoUpdate({
      target: organizationDatabases.uid,
      set: {
        database: to,
        verifiedName: sql`ifnull(${organizationDatabases.verifiedName}, excluded."verified_name")`,
      },
    });
  await source
    .update(moves)
    .set({ progress: sql`json_set(${moves.progress}, '$.ended', 'switched')` })
    .where(and(eq(moves.uid, uid), eq(moves.state, "departed"), isNull(endedOf)));
}

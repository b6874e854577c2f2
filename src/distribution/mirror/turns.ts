/**
 * One fetch for many callers. The request that fetches has the turn, and the others wait. Within an isolate, they look at a
 * map. Across isolates, they look at a row of D1 that runs out, so that a request that was cut off holds up no other.
 */
import { and, eq, gt, lt, sql } from "drizzle-orm";
import { mirrorFetches } from "../../../schema/tables/registry/mirrors.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { toHex } from "../../aip/sha256.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import type { RegistryContext } from "../context.ts";
import { fetchIsBusy } from "./failures.ts";
import type { Mirror } from "./setting.ts";

/** How long a turn is valid without a renewal, in milliseconds. */
const lease = 30_000;

/** The fetches that one organization can have in progress. */
const maxFetches = 40;

/** How often a waiting request looks, in milliseconds: at the map, and at the database. */
const pauses = { here: 25, elsewhere: 500 };

/** The fetches of this isolate, with the time until which they are valid. The runtime does not let one request wake another. */
const flights = new Map<string, number>();

/** The right to fetch. */
export interface Turn {
  /** Says that the fetch still runs. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

type Context = Pick<RegistryContext, "db" | "now">;

/**
 * Takes the turn. If another request has it, waits until that is done, and returns `after`: what was fetched may be there
 * now. Returns `busy` if it is not done within `patience` milliseconds since the caller's request began. Throws 503 if the organization has too many fetches.
 */
export async function takeTurn(
  { db, now }: Context,
  { holder, path }: Mirror,
  reference: string,
  patience: number,
): Promise<Turn | "after" | "busy"> {
  const row = { repo: holder.uid, reference: `${path} ${reference}` };
  const key = `${row.repo} ${row.reference}`;
  const end = now + patience;
  if (isFlying(key)) return (await waitHere(key, end)) ? "after" : "busy";
  flights.set(key, Date.now() + lease);
  try {
    const id = toHex(crypto.getRandomValues(new Uint8Array(8)));
    if (await acquire(db, row, id)) return turnOf(db, row, key, id);
    return (await waitElsewhere(db, row, key, end)) ? "after" : "busy";
  } catch (thrown) {
    flights.delete(key);
    throw thrown;
  }
}

interface Row {
  repo: string;
  reference: string;
}

const isFlying = (key: string) => (flights.get(key) ?? 0) > Date.now();

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

async function waitHere(key: string, end: number): Promise<boolean> {
  while (isFlying(key)) {
    if (Date.now() > end) return false;
    await pause(pauses.here);
  }
  return true;
}

/** Waits for a request of another isolate. Those of this isolate wait for this one. */
async function waitElsewhere(db: Database, row: Row, key: string, end: number): Promise<boolean> {
  try {
    while (Date.now() <= end) {
      flights.set(key, Date.now() + lease);
      await pause(pauses.elsewhere);
      const held = await db
        .select({ holder: mirrorFetches.holder })
        .from(mirrorFetches)
        .where(and(isRow(row), gt(mirrorFetches.expireTime, Date.now())));
      if (held.length === 0) return true;
    }
    return false;
  } finally {
    flights.delete(key);
  }
}

const isRow = ({ repo, reference }: Row) =>
  and(eq(mirrorFetches.repo, repo), eq(mirrorFetches.reference, reference));

/** Writes the row, unless another request has it. */
async function acquire(db: Database, row: Row, holder: string): Promise<boolean> {
  const now = Date.now();
  const root = rootOf(row.repo);
  const others = sql`(select count(*) from ${mirrorFetches} where ${mirrorFetches.repo} >= ${root}
    and ${mirrorFetches.repo} < ${`${root}0`} and ${mirrorFetches.expireTime} > ${now})`;
  const expireTime = now + lease;
  const values = { ...row, holder, expireTime };
  const taken = await insertFrom(db, mirrorFetches, values, sql`where ${others} < ${maxFetches}`)
    .onConflictDoUpdate({
      target: [mirrorFetches.repo, mirrorFetches.reference],
      set: { holder, expireTime },
      setWhere: lt(mirrorFetches.expireTime, now),
    })
    .returning({ holder: mirrorFetches.holder });
  if (taken.length > 0) return true;
  const [held] = await db
    .select({ until: mirrorFetches.expireTime })
    .from(mirrorFetches)
    .where(and(isRow(row), gt(mirrorFetches.expireTime, now)));
  if (held) return false;
  throw fetchIsBusy(
    `the organization has ${maxFetches} fetches from upstreams in progress; try again`,
  );
}

function turnOf(db: Database, row: Row, key: string, holder: string): Turn {
  const isOwn = and(isRow(row), eq(mirrorFetches.holder, holder));
  let renewed = Date.now();
  return {
    async renew() {
      const now = Date.now();
      flights.set(key, now + lease);
      if (now - renewed < lease / 3) return;
      renewed = now;
      await db
        .update(mirrorFetches)
        .set({ expireTime: now + lease })
        .where(isOwn);
    },
    async release() {
      flights.delete(key);
      await db.delete(mirrorFetches).where(isOwn);
    },
  };
}

/** Deletes the rows of requests that were cut off. */
export const forgetFetches = (db: Database, now: number) =>
  db.delete(mirrorFetches).where(lt(mirrorFetches.expireTime, now));

/** Counts the requests of networks in the device flow, across all isolates, so that no one can try many codes. */
import { sql } from "drizzle-orm";
import { deviceNetworks } from "../../../schema/tables/issuer/device_codes.ts";
import type { Database } from "../../auth/call.ts";
import { deleteExpired } from "../expired_rows.ts";

/** The length of a window, in milliseconds. It is that of a code. */
const windowLength = 10 * 60_000;
/** The most codes that the programs of a network can request in a window. */
export const maxStarts = 20;
/** The most wrong codes that the people of a network can type in a window. */
export const maxGuesses = 10;

/** Counts one more for a network, and returns its counts in this window. */
export async function countNetwork(
  db: Database,
  network: string,
  now: number,
  what: "starts" | "guesses",
): Promise<{ starts: number; guesses: number }> {
  const fresh = { starts: 0, guesses: 0, [what]: 1, expireTime: now + windowLength };
  const isOver = sql`${deviceNetworks.expireTime} <= ${now}`;
  const counted = (name: "starts" | "guesses") =>
    sql`case when ${isOver} then ${fresh[name]} else ${deviceNetworks[name]} + ${fresh[name]} end`;
  const [[row]] = await db.batch([
    db
      .insert(deviceNetworks)
      .values({ network, ...fresh })
      .onConflictDoUpdate({
        target: deviceNetworks.network,
        set: {
          starts: counted("starts"),
          guesses: counted("guesses"),
          expireTime: sql`case when ${isOver} then ${fresh.expireTime} else ${deviceNetworks.expireTime} end`,
        },
      })
      .returning({ starts: deviceNetworks.starts, guesses: deviceNetworks.guesses }),
    deleteExpired(db, deviceNetworks, deviceNetworks.network, now),
  ]);
  return row ?? fresh;
}

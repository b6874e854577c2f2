/** What the platform says of a call when it runs with `METER=true`. */
import type { Meter } from "../../src/rpc/database.ts";

/** What a call cost in D1, by its `server-timing` header. Throws where that does not say so. */
export function costOf(header: string): Meter {
  const read = (name: string) => {
    const found = new RegExp(`${name}=(\\d+)`).exec(header)?.[1];
    if (found === undefined) throw new Error(`no ${name} in server-timing: ${header}`);
    return Number(found);
  };
  return {
    roundTrips: read("round_trips"),
    rowsRead: read("rows_read"),
    rowsWritten: read("rows_written"),
  };
}

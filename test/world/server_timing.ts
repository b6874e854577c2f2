/** The data about a call from a platform that runs with `METER=true`. */
import type { Meter } from "../../src/rpc/session.ts";

/** The D1 cost of a call, from its `server-timing` header. Throws if the header does not contain it. */
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

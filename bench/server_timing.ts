/** What the platform tells of a call when it runs with `METER=true`. */

/** D1 round trips and rows that one call cost, from its `server-timing` header. */
export interface Cost {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** What a call cost, by its `server-timing` header. Throws where that does not tell. */
export function costOf(header: string): Cost {
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

/** Checks that the data of every event can be read. */
import { gunzipSync } from "node:zlib";
import {
  maxDataBytes,
  type PackedData,
  packedStart,
} from "../../schema/tables/events/event_data.ts";
import { sqlLiteral } from "../bootstrap.ts";
import { type DamagedRow, type FsckCheck, forUids, maxExamples } from "./check.ts";

/** The most events that one statement looks at. D1 ends a statement after 30 seconds. */
const maxLooked = 100_000;

const looked = (after: number) =>
  `(SELECT seq, uid, data FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${maxLooked})`;

const isPacked = `substr(data, 1, ${packedStart.length}) = ${sqlLiteral(packedStart)}`;

/** The next events whose data is packed or is not JSON, as many as fit in a response. */
const page = (after: number, size: number) =>
  `SELECT seq, uid, data FROM (
    SELECT seq, uid, data, sum(length(data)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING) AS size
    FROM ${looked(after)} WHERE ${isPacked} OR NOT json_valid(data))
  WHERE size - length(data) < ${size} ORDER BY seq`;

/** The number of the last event that this statement looks at. */
const lastOf = (after: number) => `SELECT max(seq) AS last FROM ${looked(after)}`;

const count = 'SELECT count(*) AS "rows" FROM events';

type Stored = { seq: number; uid: string; data: string };

/** Whether packed data can be unpacked as Workers do it (src/outbox/stored_data.ts), and contains an object. */
function isReadable(data: string): boolean {
  if (!data.startsWith(packedStart)) return false;
  try {
    const { packed } = JSON.parse(data) as PackedData;
    const json = gunzipSync(Buffer.from(atob(packed), "latin1"), { maxOutputLength: maxDataBytes });
    const unpacked: unknown = JSON.parse(json.toString());
    return typeof unpacked === "object" && unpacked !== null;
  } catch {
    return false;
  }
}

/** Reads all packed data, and returns the uids of events whose data cannot be read. */
async function findUnreadable({ query, pageSize }: Parameters<FsckCheck["look"]>[0]) {
  const strange: string[] = [];
  const [[total] = []] = (await query([count])) as { rows: number }[][];
  let after: number | undefined = Number.MIN_SAFE_INTEGER;
  while (after !== undefined) {
    const [events = [], [end] = []] = (await query([page(after, pageSize), lastOf(after)])) as [
      Stored[],
      { last: number | null }[],
    ];
    for (const { uid, data } of events) if (!isReadable(data)) strange.push(uid);
    const isCut = events.reduce((sum, { data }) => sum + data.length, 0) >= pageSize;
    after = isCut ? events.at(-1)?.seq : (end?.last ?? undefined);
  }
  return { rows: total?.rows ?? 0, strange };
}

/** The actor is stored next to packed data, and stays. */
const removeBody = (uids: string[]): string[] =>
  forUids(
    uids,
    (isOne) =>
      `UPDATE events SET body_type = '', data = iif(json_valid(data),
        json_object('actor', json(coalesce(data -> '$.actor', '{}'))), '{"actor":{}}') WHERE ${isOne}`,
  );

export const eventsCheck: FsckCheck = {
  name: "events",
  promise: "The data of every event can be read.",
  remedy: "keeps the event without its body",
  async look(store) {
    const { rows, strange } = await findUnreadable(store);
    const examples = strange
      .slice(0, maxExamples)
      .map((uid): DamagedRow => ({ uid, wrong: "has data that cannot be read" }));
    return { rows, problems: strange.length, examples, repair: removeBody(strange) };
  },
};

/** Measures the history of one tag that has moved very often, at its start, at its end and in between. */
import { createClient } from "../../client/index.ts";
import type { Meter } from "../../src/rpc/session.ts";
import { costOf } from "../../test/world/server_timing.ts";
import type { Findings, Goal } from "../report/findings.ts";
import type { BenchPlatform } from "../stage.ts";
import { registryFixtures } from "./registry.ts";
import { type Timing, timeByTurns } from "./timing.ts";

const page = 1000;
const rounds = 30;
/** The rows that a response may read in addition to its records: grants, the path of names, and one row ahead. */
const extraRows = 100;

/** The result of a reading: the first digest, and the number of records. */
interface HistoryAnswer {
  first: string;
  records: number;
}

/** One way to read the history. */
interface Reading {
  name: string;
  read(): Promise<HistoryAnswer>;
  expected: HistoryAnswer;
}

interface Line extends Timing {
  name: string;
  calls: number;
  records: number;
  cost: Meter;
}

const iso = (record: number) => new Date(registryFixtures.timeOf(record)).toISOString();

/** Returns a fetch that adds up the cost of its calls. */
function meteredFetch() {
  const sum = { calls: 0, roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const metered: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { roundTrips, rowsRead, rowsWritten } = costOf(
      response.headers.get("server-timing") ?? "",
    );
    sum.calls += 1;
    sum.roundTrips += roundTrips;
    sum.rowsRead += rowsRead;
    sum.rowsWritten += rowsWritten;
    return response;
  };
  return { sum, metered };
}

type Fetch = ReturnType<typeof meteredFetch>["metered"];

/** Makes one request as any client would. */
async function oneAnswer(
  fetcher: Fetch,
  url: string,
  token: string,
  query: string,
): Promise<HistoryAnswer> {
  const path = `/v2/${registryFixtures.image}/_vendor/history/${registryFixtures.tag}${query}`;
  const response = await fetcher(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const body = (await response.json()) as { history?: { digest: string }[] };
  if (!body.history) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
  return { first: body.history[0]?.digest ?? "", records: body.history.length };
}

function readingsOf(
  platform: BenchPlatform,
  token: string,
  records: number,
  fetcher: Fetch,
): Reading[] {
  const client = createClient({
    url: platform.url,
    registry: { url: platform.url, token: async () => token },
    fetch: fetcher,
  });
  const from = (record: number, name: string): Reading => ({
    name,
    read: () =>
      oneAnswer(fetcher, platform.url, token, record === 0 ? "" : `?start=${iso(record)}`),
    expected: {
      first: registryFixtures.digestOf(record),
      records: Math.min(page, records - record),
    },
  });
  const asOf = (record: number, name: string): Reading => ({
    name,
    // The time is half a minute after a record and before the next one, so that no record has exactly this time.
    async read() {
      const end = new Date(registryFixtures.timeOf(record) + 30_000);
      const image = `${registryFixtures.image}:${registryFixtures.tag}`;
      for await (const { digest } of client.history(image, { end, reverse: true })) {
        return { first: digest, records: 1 };
      }
      return { first: "", records: 0 };
    },
    expected: { first: registryFixtures.digestOf(record), records: 1 },
  });
  const half = Math.floor(records / 2);
  return [
    from(0, `first ${page}`),
    from(half, `${page} from the middle`),
    from(records - page, `last ${page}`),
    from(records - 1, "the last record alone"),
    asOf(Math.floor(page / 2), `as of record ${Math.floor(page / 2)}`),
    asOf(half, `as of record ${half}`),
    asOf(records - 1, `as of record ${records - 1}`),
  ];
}

/** Measures the history of the tag that has moved `records` times. Throws an Error if a reading is wrong. */
export async function measureHistory(
  platform: BenchPlatform,
  records: number,
  say: (line: string) => void,
): Promise<Pick<Findings, "tables" | "goals">> {
  say("tag history");
  const token = await platform.tokenFor(registryFixtures.owner, platform.registryAudience);
  const { sum, metered } = meteredFetch();
  const readings = readingsOf(platform, token, records, metered);
  const counted: Omit<Line, keyof Timing>[] = [];
  for (const { name, read, expected } of readings) {
    Object.assign(sum, { calls: 0, roundTrips: 0, rowsRead: 0, rowsWritten: 0 });
    const answer = await read();
    if (answer.first !== expected.first || answer.records !== expected.records) {
      throw new Error(`history, ${name}: ${answer.records} records from ${answer.first}`);
    }
    const { calls, ...cost } = sum;
    counted.push({ name, calls, records: answer.records, cost });
  }
  const timings = await timeByTurns(
    readings.map(({ read }) => read),
    rounds,
  );
  return findingsOf(
    counted.flatMap((line, index) => {
      const timing = timings[index];
      return timing ? [{ ...line, ...timing }] : [];
    }),
    records,
  );
}

function findingsOf(lines: Line[], total: number): Pick<Findings, "tables" | "goals"> {
  const pages = lines.filter(({ records }) => records === page);
  const goals = pages.map(
    ({ name, cost: { roundTrips, rowsRead } }): Goal => ({
      what: `tag history of ${total} records, ${name}`,
      bound: `one round trip, at most ${page + extraRows} rows read`,
      measured: `${roundTrips}, ${rowsRead} rows`,
      kept: roundTrips === 1 && rowsRead <= page + extraRows,
    }),
  );
  const [first] = pages;
  const last = pages.at(-1);
  if (first && last) {
    goals.push({
      what: `tag history of ${total} records, last ${page} compared with the first ${page}`,
      bound: "the same number of rows read, plus or minus one",
      measured: `${last.cost.rowsRead} to ${first.cost.rowsRead}`,
      kept: Math.abs(last.cost.rowsRead - first.cost.rowsRead) <= 1,
    });
  }
  return {
    goals,
    tables: [
      {
        title: `Tag history of ${total} records`,
        text:
          "The first rows of the table are single calls. A response contains the oldest records of its range. To find the record " +
          "that was valid at some moment, the client therefore searches (`client.history` with `end` and `reverse`, as in " +
          "`platformctl pin`). Each call halves the remaining time range.",
        head: ["what", "calls", "round trips", "rows read", "median ms", "p99 ms"],
        rows: lines.map(({ name, calls, cost, median, p99 }) => [
          name,
          calls,
          cost.roundTrips,
          cost.rowsRead,
          Number(median.toFixed(2)),
          Number(p99.toFixed(2)),
        ]),
      },
    ],
  };
}

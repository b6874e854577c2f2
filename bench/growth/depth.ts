/** Compares a page of ListTags far down a list with the first one. */
import type { Chart, Findings, Goal, Table } from "../report/findings.ts";
import type { Answer, BenchPlatform } from "../stage.ts";
import { registryFixtures } from "./registry.ts";
import { type Timing, timeByTurns } from "./timing.ts";

const pageSize = 50;
const rounds = 150;
/** Relative to the first page. */
const maxRatio = 1.2;

const orders = ["uid", "name", "create_time", "update_time desc"] as const;
/** The shares of the list before the page. */
const shares = [0, 0.01, 0.1, 0.5, 0.9];

/** One page: its path, and its cost. */
interface Page {
  before: number;
  path: string;
  rowsRead: number;
  roundTrips: number;
}

const pathOf = (query: Record<string, string>) =>
  `/registry/v2/tags?${new URLSearchParams({
    "uidp.descendants_of": registryFixtures.root,
    page_size: String(pageSize),
    ...query,
  })}`;

const uidsOf = ({ body }: Answer) =>
  ((body?.tags ?? []) as { uid: string }[]).map(({ uid }) => uid);

/**
 * Returns the page after `before` rows. It uses the token of the previous page, which `skip` leads to. Throws an Error
 * unless the page has the rows that plain SQL finds there.
 */
async function pageAt(
  platform: BenchPlatform,
  token: string,
  order: string,
  before: number,
  total: number,
): Promise<Page> {
  let path = pathOf({ order_by: order });
  if (before > 0) {
    const skip = String(before - pageSize);
    const { body } = await platform.call(token, pathOf({ order_by: order, skip }));
    path = pathOf({ order_by: order, page_token: String(body?.nextPageToken) });
  }
  const answer = await platform.call(token, path);
  const [field = "", direction = "asc"] = order.split(" ");
  // Rows with the same value are in the order of the last steps of their uids.
  const keys = field === "uid" ? "uid" : `${field} ${direction}, substr(uid, -16) ${direction}`;
  const { results } = await platform.db
    .prepare(
      `select uid from tags where ancestor0 = ? and class = 0 order by ${keys} limit ? offset ?`,
    )
    .bind(registryFixtures.root, pageSize, before)
    .all<{ uid: string }>();
  const isSame = String(uidsOf(answer)) === String(results.map(({ uid }) => uid));
  if (!isSame || results.length !== pageSize || answer.body?.totalCount !== String(total)) {
    throw new Error(`the page by ${order} after ${before} of ${total} tags is wrong`);
  }
  return { before, path, rowsRead: answer.cost.rowsRead, roundTrips: answer.cost.roundTrips };
}

type Line = Page & Timing & { order: string };

/** Measures pages of every order of a list of `total` tags. */
export async function measureDepth(
  platform: BenchPlatform,
  total: number,
  say: (line: string) => void,
): Promise<Pick<Findings, "tables" | "goals" | "charts">> {
  const token = await platform.tokenFor(registryFixtures.owner);
  const lines: Line[] = [];
  for (const order of orders) {
    say(`pages by ${order}`);
    const pages: Page[] = [];
    for (const share of shares) {
      // If there are few rows, a small share of them is less than a page.
      const before = share === 0 ? 0 : Math.max(pageSize, Math.round(share * total));
      pages.push(await pageAt(platform, token, order, before, total));
    }
    const timings = await timeByTurns(
      pages.map(
        ({ path }) =>
          () =>
            platform.call(token, path),
      ),
      rounds,
    );
    for (const [index, page] of pages.entries()) {
      const timing = timings[index];
      if (timing) lines.push({ order, ...page, ...timing });
    }
  }
  return findingsOf(lines, total);
}

function findingsOf(lines: Line[], total: number): Pick<Findings, "tables" | "goals" | "charts"> {
  const byOrder = orders.map((order) => lines.filter((line) => line.order === order));
  const ratio = (line: Line) => {
    const [first] = byOrder.find((all) => all.includes(line)) ?? [];
    return line.median / (first?.median ?? Number.NaN);
  };
  const goals = byOrder.flatMap((all): Goal[] => {
    const deepest = all.at(-1);
    if (!deepest) return [];
    const measured = ratio(deepest);
    return [
      {
        what: `page by ${deepest.order} after ${deepest.before} of ${total} tags, compared with the first page`,
        bound: `under ${maxRatio} × at the median`,
        measured: `${measured.toFixed(2)} ×`,
        kept: measured < maxRatio,
      },
    ];
  });
  const chart: Chart = {
    name: "growth",
    title: `A page of ${pageSize} of ${total} tags`,
    kind: "lines",
    xTitle: "tags before the page",
    yTitle: "relative to the first page",
    bound: maxRatio,
    series: byOrder.map((all, index) => ({
      name: `by ${orders[index] ?? ""}`,
      points: all.map((line) => ({ x: line.before, y: ratio(line) })),
    })),
  };
  return { goals, charts: [chart], tables: [tableOf(lines, total, ratio)] };
}

const tableOf = (lines: Line[], total: number, ratio: (line: Line) => number): Table => ({
  title: `A page of ${pageSize} of ${total} tags, by the number of tags before it`,
  text: `The pages of one sort order take turns, and each is read ${rounds} times. A separate query checks that they contain the right rows. The first page also reads the total.`,
  head: [
    "order",
    "tags before it",
    "round trips",
    "rows read",
    "median ms",
    "p99 ms",
    "/ first page",
  ],
  rows: lines.map((line) => [
    line.order,
    line.before,
    line.roundTrips,
    line.rowsRead,
    Number(line.median.toFixed(2)),
    Number(line.p99.toFixed(2)),
    Number(ratio(line).toFixed(2)),
  ]),
});

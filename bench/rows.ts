/**
 * Rows that D1 reads for one page of ListTags, which should be those of the page: by scope, order,
 * visibility and depth of paging, at several sizes of the registry. Every answer measured is also
 * compared with a query of our own.
 */
import { join } from "node:path";
import { fill, type Organization } from "./organization.ts";
import type { Report } from "./report.ts";
import { besides, printBesides } from "./rows_besides.ts";
import { type Answer, makeDatabase, openStage, removeFolder, type Stage } from "./stage.ts";
import type { Cell as TableCell } from "./table.ts";

export const pageSize = 50;
/** Rows that a page may cost: its own, and 20 for grants, total and looking ahead. */
export const bound = pageSize + 20;

const orders = ["uid", "name", "create_time", "update_time"] as const;
const everything = { include_referrers: "true", include_dates: "true", include_epochs: "true" };
const visibilities = [
  { name: "default", query: {}, classes: [0] },
  { name: "all", query: everything, classes: [0, 1, 2, 3] },
];

/** Pages are compared with SQL where that sorts no more rows than this: more takes seconds each. */
const sortable = 200_000;

/** One way to ask for tags. `where` selects the same rows in SQL. */
interface Scope {
  name: string;
  query: Record<string, string>;
  where: string;
  values: string[];
}

function scopesOf({ root, group, nested, repo }: Organization): Scope[] {
  const under = (name: string, uid: string): Scope => ({
    name: `${name}, descendants_of`,
    query: { "uidp.descendants_of": uid },
    where: "uid > ? and uid < ?",
    values: [`${uid}/`, `${uid}0`],
  });
  return [
    under("root", root),
    under("group", group),
    under("nested group", nested),
    under("repo", repo),
    { ...under("repo", repo), name: "repo, children_of", query: { "uidp.children_of": repo } },
    { ...under("root", root), name: "no scope, one grant", query: {} },
  ];
}

/** What the pages of one scope, visibility and order cost, and whether they were right. */
interface Cell {
  scope: string;
  visibility: string;
  order: string;
  first: number;
  deep: number;
  roundTrips: number;
  total: number;
  wrong: string[];
}

const uidsOf = ({ body }: Answer) =>
  ((body?.tags ?? []) as { uid: string }[]).map((tag) => tag.uid);

const pathOf = (query: Record<string, string>) =>
  `/registry/v2/tags?${new URLSearchParams({ page_size: String(pageSize), ...query })}`;

/** Uids of one page and the number of all matches, by plain SQL. */
interface Reference {
  page(order: string, offset: number): Promise<string[]>;
  total: number;
}

async function referenceOf(stage: Stage, scope: Scope, classes: number[]): Promise<Reference> {
  const where = `${scope.where} and class in (${classes})`;
  const rows = async <Row>(query: string) =>
    (
      await stage.db
        .prepare(query)
        .bind(...scope.values)
        .all<Row>()
    ).results;
  const [count] = await rows<{ n: number }>(`select count(*) as n from tags where ${where}`);
  return {
    total: count?.n ?? 0,
    async page(order, offset) {
      const [field, direction = "asc"] = order.split(" ");
      const keys = field === "uid" ? `uid ${direction}` : `${field} ${direction}, uid ${direction}`;
      const found = await rows<{ uid: string }>(
        `select uid from tags where ${where} order by ${keys} limit ${pageSize} offset ${offset}`,
      );
      return found.map((row) => row.uid);
    },
  };
}

/**
 * The first page; then, by `skip`, one at a third, and the page that its token leads to. What
 * `skip` itself passes over is read, as it must be, and is not part of the measure.
 */
async function measure(
  stage: Stage,
  token: string,
  scope: Scope,
  visibility: (typeof visibilities)[number],
  order: string,
  reference: Reference,
): Promise<Cell> {
  const query = { ...scope.query, ...visibility.query, order_by: order };
  const first = await stage.call(token, pathOf(query));
  const skip = Math.floor(reference.total / 3);
  const middle = await stage.call(token, pathOf({ ...query, skip: String(skip) }));
  const page_token = String(middle.body?.nextPageToken);
  const deep = await stage.call(token, pathOf({ ...query, page_token }));
  const wrong: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (String(found) !== String(expected)) wrong.push(what);
  };
  if (reference.total <= sortable) {
    expect("first page", uidsOf(first), await reference.page(order, 0));
    expect("deep page", uidsOf(deep), await reference.page(order, skip + pageSize));
  }
  expect("totalCount", first.body?.totalCount, reference.total);
  expect("totalCount of the deep page", deep.body?.totalCount, reference.total);
  return {
    scope: scope.name,
    visibility: visibility.name,
    order,
    first: first.cost.rowsRead,
    deep: deep.cost.rowsRead,
    roundTrips: Math.max(first.cost.roundTrips, deep.cost.roundTrips),
    total: reference.total,
    wrong,
  };
}

/** What was measured at one size; `others` are lines of a table. */
interface Measured {
  size: number;
  cells: Cell[];
  others: TableCell[][];
}

/** Every page of a scope, one after the other, against one query. Answers what differs. */
async function walk(stage: Stage, token: string, scope: Scope, order: string): Promise<string[]> {
  const [field = "", direction = "asc"] = order.split(" ");
  const { results } = await stage.db
    .prepare(
      `select uid from tags where ${scope.where} and class = 0 order by ${field} ${direction}, uid ${direction}`,
    )
    .bind(...scope.values)
    .all<{ uid: string }>();
  const found: string[] = [];
  let page_token = "";
  do {
    const query = { ...scope.query, order_by: order, page_size: "200", page_token };
    const answer = await stage.call(token, pathOf(query));
    found.push(...uidsOf(answer));
    page_token = String(answer.body?.nextPageToken ?? "");
  } while (page_token !== "");
  const isSame = String(found) === String(results.map((row) => row.uid));
  return isSame ? [] : [`pages of ${scope.name} by ${order} are not the ordered rows`];
}

async function measureSize(bundle: string, folder: string, size: number): Promise<Measured> {
  const place = join(folder, `rows-${size}`);
  const organization = fill(await makeDatabase(place), size);
  const stage = await openStage(bundle, place);
  try {
    const token = await stage.tokenFor(organization.owner);
    const cells: Cell[] = [];
    for (const scope of scopesOf(organization)) {
      for (const visibility of visibilities) {
        const reference = await referenceOf(stage, scope, visibility.classes);
        for (const order of orders.flatMap((field) => [field, `${field} desc`])) {
          cells.push(await measure(stage, token, scope, visibility, order, reference));
        }
      }
    }
    const [, , , repo] = scopesOf(organization);
    const [some] = cells;
    if (repo && some) some.wrong.push(...(await walk(stage, token, repo, "update_time desc")));
    return { size, cells, others: await besides(stage, organization) };
  } finally {
    await stage.stop();
    await removeFolder(place);
  }
}

/** What is wrong with one cell, measured at every size. */
function reasonsOf(cells: Cell[]): string[] {
  const counts = cells.flatMap(({ first, deep }) => [first, deep]);
  const differs = new Set(cells.map(({ first, deep }) => `${first} ${deep}`)).size > 1;
  return [
    ...(Math.max(...counts) > bound ? ["above"] : []),
    ...(differs ? ["differs between sizes"] : []),
    ...cells.flatMap(({ wrong }) => wrong),
  ];
}

/** Measures every size and says which cells are above the bound, wrong, or differ between sizes. */
export async function rows(
  bundle: string,
  folder: string,
  sizes: number[],
  report: Report,
): Promise<void> {
  const bySize: Measured[] = [];
  for (const size of sizes) bySize.push(await measureSize(bundle, folder, size));
  const [smallest] = bySize;
  const lines = (smallest?.cells ?? []).map((cell, at) => {
    const cells = bySize.map((measured) => measured.cells[at] ?? cell);
    const verdict = report.verdict(
      reasonsOf(cells),
      `${cell.scope} by ${cell.order}, ${cell.visibility}`,
    );
    return { cell, counts: cells.flatMap(({ first, deep }) => [first, deep]), verdict };
  });
  // Orders of one scope that cost the same share a line.
  const alike = Map.groupBy(lines, ({ cell, counts, verdict }) =>
    [cell.scope, cell.visibility, counts, cell.roundTrips, verdict].join(),
  );
  report.table(
    `Rows read for a page of ${pageSize} tags (at most ${bound})`,
    ["scope", "tags", ...sizes.flatMap((size) => [`${size} first`, `${size} deep`])].concat(
      "round trips",
      "",
      "orders",
    ),
    [...alike.values()].flatMap(([line, ...rest]) => {
      if (!line) return [];
      const { cell, counts, verdict } = line;
      const same = [line, ...rest].map((one) => one.cell.order);
      const text = same.length === 2 * orders.length ? "each, asc and desc" : same.join(", ");
      return [[cell.scope, cell.visibility, ...counts, cell.roundTrips, verdict, text]];
    }),
  );
  for (const { size, others } of bySize) printBesides(others, size, report);
}

/** Measures what every RPC costs in D1, how the cost grows with the tables, and the price of a million calls. */
import type { BenchSetup, Cell, Chart, Findings, Table } from "../report/findings.ts";
import { measureAllCases } from "./all_cases.ts";
import type { CostRecord, MeasuredCase } from "./caller.ts";
import { maxOtherRows } from "./fixtures.ts";
import { casesOf, goalsOf, missesTable, type SizedCase } from "./goals.ts";
import { millionCpuMilliseconds, millionRequests, millionRows, priceOfMillion } from "./prices.ts";

export type { CostRecord } from "./caller.ts";

const text = `The benchmark calls every RPC that is served, in both versions, in organizations of several sizes. It uses
REST if the RPC has a path. The platform reports what each call costs in D1 (\`METER=true\`, \`server-timing\`). The
figures are exact and the same on every machine.

- The size is the number of tags. The tables of the RPCs have a column for each size. There are as many repositories,
  identities, groups, advisories and role bindings as tags. Every other resource has at most ${maxOtherRows} rows,
  because a database with a million of each is larger than D1 allows.
- Two fifths of the rows are in the organization itself. A quarter is in a chain of four nested groups, the deepest
  that the platform allows. A tag in the deepest group is therefore on the sixth level below the organization.
- Another quarter of the rows is in fifty sibling groups, and a tenth belongs to another organization. One in a
  hundred identities has 1 to 50 role bindings.
- *first page* is the first page of 50 rows. *a third in* is the page after a third of the list, reached by a page
  token. The caller with *50 grants* has role bindings on the fifty sibling groups and nowhere else.
- In every order of a list, \`totalCount\` is compared with a separate \`count(*)\`.
- A List of version 1 without pages returns all its rows, as the API defines it. The benchmark calls such a List for a
  group with 1/200 of the rows. It reads a few rows for each row that it returns.
- Prices are those that Cloudflare publishes (\`bench/cost/prices.ts\`), beyond what the Workers Paid plan includes.
  They are $${millionRequests} for a million requests, $${millionRows.read.toFixed(3)} for a million rows read, and
  $${millionRows.written.toFixed(2)} for a million rows written. Storage and CPU time are extra. Each millisecond of
  CPU time of a call adds $${millionCpuMilliseconds.toFixed(2)} to the price of a million calls.`;

const shortName = (rpc: string) => rpc.replace(/^platform\./, "");
const dollars = (price: number) => Number(price.toFixed(3));

/** Joins the names of cases. The case without a name has one only if others are next to it. */
function caseNames(names: string[]): string {
  const different = [...new Set(names)];
  return different.length === 1
    ? different.join()
    : different.map((name) => name || "the usual case").join(", ");
}

/** Returns a table in which the cases of an RPC that cost the same at every size share a line. */
function tableOf(title: string, cases: SizedCase[], sizes: number[]): Table {
  const costOf = (sized: SizedCase) =>
    sized.map(({ roundTrips, rowsRead, rowsWritten }) => [roundTrips, rowsRead, rowsWritten]);
  const alike = Map.groupBy(cases, (sized) => `${sized[0].rpc} ${costOf(sized).join(" ")}`);
  const rows = [...alike.values()].flatMap((group): Cell[][] => {
    const [sized] = group;
    if (!sized) return [];
    const last = sized[sized.length - 1] ?? sized[0];
    return [
      [
        shortName(sized[0].rpc),
        caseNames(group.map(([first]) => first.case)),
        Math.max(...sized.map(({ roundTrips }) => roundTrips)),
        ...sized.map(({ rowsRead }) => rowsRead),
        last.rowsWritten,
        last.rows,
        dollars(priceOfMillion(last)),
      ],
    ];
  });
  const read = sizes.map((size) => `read at ${size}`);
  const head = [
    "RPC",
    "case",
    "round trips",
    ...read,
    "written",
    "most rows",
    "$ per million calls",
  ];
  return { title, head, rows };
}

/** Draws the rows read against the rows of the table, for the Lists that are called most often. */
function growthChart(cases: SizedCase[], sizes: number[]): Chart {
  const shown: [string, string, string][] = [
    ["list tags by name", "registry.v2.TagsService/ListTags", "first page by name"],
    ["… a third in", "registry.v2.TagsService/ListTags", "a third in, by name"],
    ["list role bindings", "iam.v2.RoleBindingsService/ListRoleBindings", "first page by uid"],
    ["list advisories", "vulnerabilities.v2.AdvisoriesService/ListAdvisories", "first page by uid"],
    ["get a repo", "registry.v2.ReposService/GetRepo", ""],
    ["create a tag", "registry.v2.TagsService/CreateTag", "a new one"],
  ];
  const series = shown.map(([name, rpc, caseName]) => {
    const sizedCase = cases.find(
      ([first]) => shortName(first.rpc) === rpc && first.case === caseName,
    );
    if (!sizedCase) throw new Error(`the chart shows ${rpc} ${caseName}, which was not measured`);
    return {
      name,
      points: sizedCase.map(({ rowsRead }, index) => ({ x: sizes[index] ?? 0, y: rowsRead })),
    };
  });
  return {
    name: "cost",
    title: "Rows that D1 reads for a call",
    kind: "lines",
    xTitle: "rows of the resource",
    yTitle: "rows read",
    logX: true,
    series,
  };
}

/** Draws the price of a million calls at the largest size, for the calls that are made most often. */
function priceChart(cases: SizedCase[]): Chart {
  const shown = [
    "registry.v2.TagsService/GetTag",
    "registry.v2.TagsService/ListTags",
    "registry.v2.TagsService/CreateTag",
    "registry.v2.ReposService/CreateRepo",
    "iam.v2.RoleBindingsService/CreateRoleBinding",
    "iam.v2.GroupsService/ListGroups",
    "GET /v2/{image}/_{vendor}/history/{tag}",
  ];
  const points = shown.map((rpc) => {
    const sizedCase = cases.find(([first]) => shortName(first.rpc) === rpc);
    const last = sizedCase?.at(-1);
    if (!last) throw new Error(`the chart shows ${rpc}, which was not measured`);
    const name = rpc.startsWith("GET") ? "tag history" : rpc.replace(/^.*\//, "");
    return { x: name, y: dollars(priceOfMillion(last)) };
  });
  return {
    name: "price",
    title: "Price of a million calls: requests and rows of D1, without CPU time",
    kind: "bars",
    xTitle: "RPC",
    yTitle: "US dollars",
    series: [{ name: "requests and rows of D1", points }],
  };
}

const isV2 = ([{ rpc }]: SizedCase) => /\.v2\.|^(GET|platform\.oidc)/.test(rpc);

/** Measures every RPC at every size. */
export async function measureCost(setup: BenchSetup): Promise<Findings> {
  const cases = casesOf(await measureAllCases(setup));
  return {
    title: "Cost",
    text,
    tables: [
      missesTable(cases),
      tableOf("Version 2, token exchange and the registry host", cases.filter(isV2), setup.sizes),
      tableOf(
        "Version 1",
        cases.filter((measured) => !isV2(measured)),
        setup.sizes,
      ),
    ],
    goals: goalsOf(cases),
    charts: [growthChart(cases, setup.sizes), priceChart(cases)],
  };
}

/** Returns the same measurements as records, one for each case and size. */
export async function costRecords(setup: BenchSetup): Promise<CostRecord[]> {
  const measured: MeasuredCase[] = (await measureAllCases(setup)).flat();
  return measured.map(({ rpc, case: name, rows, pageSize, roundTrips, rowsRead, rowsWritten }) => ({
    rpc,
    case: name,
    rows,
    pageSize,
    roundTrips,
    rowsRead,
    rowsWritten,
  }));
}

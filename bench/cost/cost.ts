/** What every RPC costs in D1, how that grows with the tables, and what a million calls come to. */
import type { BenchSetup, Cell, Chart, Findings, Table } from "../report/findings.ts";
import { measureAllCases } from "./all_cases.ts";
import type { CostRecord, MeasuredCase } from "./caller.ts";
import { maxOtherRows } from "./fixtures.ts";
import { casesOf, goalsOf, missesTable, type SizedCase } from "./goals.ts";
import { millionCpuMilliseconds, millionRequests, millionRows, priceOfMillion } from "./prices.ts";

export type { CostRecord } from "./caller.ts";

const text = `Every RPC that is served, in both versions, is called on an organization that has as many rows of
every resource as the column says, over REST where it has a path. What it cost in D1 is told by the platform
(\`METER=true\`, \`server-timing\`) and exact: the same on every machine.

- Tags, repos, identities, groups, advisories and role bindings are as many as the column says; of every other
  resource there are ${maxOtherRows} at most, since a database with a million of each is larger than D1 lets one be.
- Two fifths of the rows are in the organization, a quarter on four levels of groups below each other (which is as
  deep as groups may be; with repo and tag that makes six levels), a quarter in fifty groups side by side, and a tenth
  is another organization's. A hundredth of the identities have 1 to 50 bindings each.
- *first page* is the first of 50; *a third in* is the page that a token leads to after a third of the list. The
  caller with 50 grants is bound at the fifty groups and nowhere else.
- \`totalCount\` of every order is compared with a \`count(*)\` of our own.
- Lists of version 1 that have no pages answer everything, by their contract. They are asked for a group with a
  two-hundredth of the rows, and cost as many rows as that has, a few times over.
- Prices are what Cloudflare publishes (\`bench/cost/prices.ts\`) beyond what the Workers Paid plan includes:
  $${millionRequests} for a million requests, $${millionRows.read.toFixed(3)} for a million rows read, $${millionRows.written.toFixed(2)} for a million rows
  written. Storage and CPU time come on top: each millisecond of CPU time that a call takes adds $${millionCpuMilliseconds.toFixed(2)} to a
  million calls.`;

const shortName = (rpc: string) => rpc.replace(/^platform\./, "");
const dollars = (price: number) => Number(price.toFixed(3));

/** Cases of one RPC that cost the same at every size share a line. */
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
        group.map(([one]) => one.case).join(", "),
        Math.max(...sized.map(({ roundTrips }) => roundTrips)),
        ...sized.map(({ rowsRead }) => rowsRead),
        last.rowsWritten,
        last.rows,
        dollars(priceOfMillion(last)),
      ],
    ];
  });
  const read = sizes.map((size) => `read at ${size}`);
  const head = ["RPC", "case", "round trips", ...read, "written", "most rows", "$ a million calls"];
  return { title, head, rows };
}

/** Rows read against rows of the table, for the Lists that are asked for most. */
function growthChart(cases: SizedCase[], sizes: number[]): Chart {
  const shown: [string, string, string][] = [
    ["list tags by name", "registry.v2.TagsService/ListTags", "first page by name"],
    ["… a third in", "registry.v2.TagsService/ListTags", "a third in, by name"],
    ["list role bindings", "iam.v2.RoleBindingsService/ListRoleBindings", "first page by uid"],
    ["list advisories", "vulnerabilities.v2.AdvisoriesService/ListAdvisories", "first page by uid"],
    ["get a repo", "registry.v2.ReposService/GetRepo", ""],
    ["create a tag", "registry.v2.TagsService/CreateTag", "a new one"],
  ];
  const series = shown.map(([name, rpc, one]) => {
    const found = cases.find(([first]) => shortName(first.rpc) === rpc && first.case === one);
    if (!found) throw new Error(`the chart shows ${rpc} ${one}, which was not measured`);
    return { name, points: found.map(({ rowsRead }, at) => ({ x: sizes[at] ?? 0, y: rowsRead })) };
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

/** A million calls of what is called most, at the largest size. */
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
    const found = cases.find(([first]) => shortName(first.rpc) === rpc);
    const last = found?.at(-1);
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
        cases.filter((one) => !isV2(one)),
        setup.sizes,
      ),
    ],
    goals: goalsOf(cases),
    charts: [growthChart(cases, setup.sizes), priceChart(cases)],
  };
}

/** The same as records, one for each case and size. */
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

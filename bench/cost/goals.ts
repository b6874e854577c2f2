/** What the platform promises of its costs, held against what was measured. */
import type { Goal, Table } from "../report/findings.ts";
import type { CaseKind, MeasuredCase } from "./caller.ts";

/** D1 round trips that a case may make. */
const maxRoundTrips: Record<CaseKind, number> = {
  get: 1,
  list: 1,
  whole: 1,
  "open get": 2,
  "open list": 2,
  "open whole": 2,
  grants: 2,
  write: 2,
  import: 2,
};

/** Rows that a page may cost beyond its own: for grants, total and looking ahead. */
const extraRows = 20;
const grants = 50;
/** Rows that a case may cost more than at the smallest size: the data are not quite the same at each. */
const tolerance = 3;

/** A case at every size that was measured, the smallest first. */
export type SizedCase = readonly [MeasuredCase, ...MeasuredCase[]];

/** What a goal is about, and what of a case breaks it; undefined where it is kept. */
interface Commitment {
  what: string;
  bound: string;
  /** Sizes are held against each other, so that one alone shows nothing. */
  comparesSizes?: true;
  isAbout(one: MeasuredCase): boolean;
  missOf(sizes: SizedCase): string | undefined;
}

const nameOf = ({ rpc, case: name }: MeasuredCase) =>
  `${rpc.replace(/^platform\./, "")}${name === "" ? "" : ` (${name})`}`;

const readOf = (sizes: SizedCase) => sizes.map(({ rowsRead }) => rowsRead).join(", ");

/** Sizes at which a page is not full yet are left out, since there it has to grow. */
function growthOf(sizes: SizedCase): string | undefined {
  const full = sizes.filter(({ pageSize, answered }) => pageSize === 0 || answered >= pageSize);
  const compared = full.length > 1 ? full : sizes;
  const [first = sizes[0]] = compared;
  if (compared.some(({ rowsRead }) => rowsRead > first.rowsRead + tolerance)) {
    return `reads ${readOf(sizes)}`;
  }
  const hasGrown = compared.some(({ rowsWritten }) => rowsWritten > first.rowsWritten + tolerance);
  return hasGrown ? `writes ${sizes.map(({ rowsWritten }) => rowsWritten).join(", ")}` : undefined;
}

function above(sizes: SizedCase, most: number): string | undefined {
  return sizes.some(({ rowsRead }) => rowsRead > most) ? `reads ${readOf(sizes)}` : undefined;
}

function tripsOf(sizes: SizedCase): string | undefined {
  const most = Math.max(...sizes.map(({ roundTrips }) => roundTrips));
  return most > maxRoundTrips[sizes[0].kind] ? `${most} round trips` : undefined;
}

const isPage = ({ kind }: MeasuredCase) => kind === "list" || kind === "open list";

/** A filter's total is counted: no table says in advance how many rows a filter leaves. */
const isFiltered = ({ case: name }: MeasuredCase) => name.startsWith("filter");

const commitments: Commitment[] = [
  {
    what: "Get: D1 round trips",
    bound: "1",
    isAbout: ({ kind }) => kind === "get",
    missOf: tripsOf,
  },
  {
    what: "List in a scope: D1 round trips",
    bound: "1",
    isAbout: ({ kind }) => kind === "list" || kind === "whole",
    missOf: tripsOf,
  },
  {
    what: "List or Get without a scope, and a write: D1 round trips",
    bound: "at most 2",
    isAbout: ({ kind }) => kind !== "get" && kind !== "list" && kind !== "whole",
    missOf: tripsOf,
  },
  {
    what: "List in every scope and order, without a filter: rows read",
    bound: `at most page_size + ${extraRows}`,
    isAbout: (one) => isPage(one) && !isFiltered(one),
    missOf: (sizes) => above(sizes, sizes[0].pageSize + extraRows),
  },
  {
    what: "List with a filter: rows read",
    bound: `at most page_size + ${extraRows}`,
    isAbout: (one) => isPage(one) && isFiltered(one),
    missOf: (sizes) => above(sizes, sizes[0].pageSize + extraRows),
  },
  {
    what: "List: rows read do not grow with the table",
    bound: `at most ${tolerance} more than at the smallest size`,
    comparesSizes: true,
    isAbout: (one) => isPage(one),
    missOf: growthOf,
  },
  {
    what: "Get and write: rows read and written do not grow with the table",
    bound: `at most ${tolerance} more than at the smallest size`,
    comparesSizes: true,
    isAbout: ({ kind }) => /get$/.test(kind) || kind === "write" || kind === "import",
    missOf: growthOf,
  },
  {
    what: `List by a caller with ${grants} grants: rows read`,
    bound: `at most ${grants} × (page_size + ${extraRows})`,
    isAbout: ({ kind }) => kind === "grants",
    missOf: (sizes) => above(sizes, grants * (sizes[0].pageSize + extraRows)),
  },
  {
    what: "totalCount against a count of our own",
    bound: "equal",
    isAbout: ({ case: name }) => name.startsWith("first page by"),
    missOf: (sizes) => sizes.flatMap(({ wrong }) => wrong).join("; ") || undefined,
  },
];

/** Cases of all sizes side by side. Throws where one size has another number of cases. */
export function casesOf(bySize: MeasuredCase[][]): SizedCase[] {
  const [smallest = [], ...others] = bySize;
  const lost = others.some(({ length }) => length !== smallest.length);
  if (lost) throw new Error("some cases were not measured at every size");
  return smallest.map((one, at) => {
    const same = others.map((cases) => cases[at]);
    for (const other of same) {
      if (other?.rpc === one.rpc && other.case === one.case) continue;
      throw new Error(`${nameOf(one)} was not measured at every size`);
    }
    return [one, ...(same as MeasuredCase[])];
  });
}

/** What breaks a commitment: an RPC, its cases that do, and how. */
interface Miss {
  what: string;
  rpc: string;
  cases: string[];
  how: string[];
}

function missesOf(commitment: Commitment, cases: SizedCase[]): Miss[] {
  const found = cases.flatMap((sizes) => {
    const how = commitment.isAbout(sizes[0]) ? commitment.missOf(sizes) : undefined;
    return how === undefined ? [] : [{ rpc: sizes[0].rpc, name: sizes[0].case, how }];
  });
  return [...Map.groupBy(found, ({ rpc }) => rpc)].map(([rpc, missed]) => ({
    what: commitment.what,
    rpc: rpc.replace(/^platform\./, ""),
    cases: missed.map(({ name }) => name),
    how: [...new Set(missed.map(({ how }) => how))],
  }));
}

/**
 * Every promise, and how many break it; at one size alone, nothing of growth. Throws where a promise is about
 * none of the cases.
 */
export function goalsOf(cases: SizedCase[]): Goal[] {
  const hasSizes = cases.some((sizes) => sizes.length > 1);
  const shown = commitments.filter(({ comparesSizes = false }) => hasSizes || !comparesSizes);
  return shown.map((commitment) => {
    const about = cases.filter(([first]) => commitment.isAbout(first));
    if (about.length === 0) throw new Error(`no case is about "${commitment.what}"`);
    const misses = missesOf(commitment, cases);
    const kept = misses.length === 0;
    const names = misses.map(({ rpc, cases: missed }) => `${rpc} (${missed.length} cases)`);
    const measured = kept
      ? `kept by all ${about.length} cases`
      : `of ${about.length} cases all but those of ${names.join(", ")}`;
    return { what: `cost: ${commitment.what}`, bound: commitment.bound, measured, kept };
  });
}

/** Why an RPC reads more than its page, where what it answers says so. */
const reasons: [RegExp, string][] = [
  [/ListRoleBindings/, "each row shows its identity, role and group, which are rows too"],
  [/ListGroupInvites/, "each row shows its role, which is a row too"],
  [/Advisories/, "each row comes with its events; two orders and some filters have no index"],
  [/ListDocuments/, "each row comes with the advisories and events of its package"],
  [/ListResolvedVulns/, "finds the fixes of a day, which are in several tables"],
  [/ListArtifacts$/, "the order by uid and the filters have no index of their own"],
];

/** Figures of one RPC in the table; all are in the tables of costs. */
const maxShown = 6;

/** Everything that breaks a promise, as a table. */
export function missesTable(cases: SizedCase[]): Table {
  const misses = commitments.flatMap((commitment) => missesOf(commitment, cases));
  return {
    title: "Promises that are not kept, and by what",
    text: "Numbers are those of the sizes, the smallest first.",
    head: ["promise", "RPC", "cases", "measured", "why"],
    rows: misses.map(({ what, rpc, cases: missed, how }) => [
      ...[what, rpc, missed.join(", ")],
      [...how.slice(0, maxShown), ...(how.length > maxShown ? ["…"] : [])].join("; "),
      reasons.find(([name]) => name.test(rpc))?.[1] ?? "",
    ]),
  };
}

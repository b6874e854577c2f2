/** Compares the goals for costs with the measurements. */
import type { Goal, Table } from "../report/findings.ts";
import type { CaseKind, MeasuredCase } from "./caller.ts";

/** The D1 round trips that a case may need. */
const maxRoundTrips: Record<CaseKind, number> = {
  get: 1,
  list: 1,
  whole: 1,
  "open get": 2,
  "open list": 2,
  "open whole": 2,
  preview: 4,
  grants: 2,
  write: 2,
  import: 2,
  batches: 20,
};

/** The rows that a page may read for each of its rows, and beyond them: for grants, the total and the row after it. */
const rowsOfOne = 4;
const extraRows = 100;
const mostRows = (pageSize: number) => rowsOfOne * pageSize + extraRows;
const boundOfPage = `${rowsOfOne} × page_size + ${extraRows}`;
const grants = 50;

/** The rows of one grant: its role binding, its role, the first row of its walk, and its number of rows. */
const rowsOfGrant = 4;
/** The rows that a case may read beyond those of the smallest size, because the data differ slightly between sizes. */
const tolerance = 3;

/** A case at every measured size, the smallest first. */
export type SizedCase = readonly [MeasuredCase, ...MeasuredCase[]];

/** A goal: the cases that it covers, and how a case misses it. `missOf` returns undefined if the goal is met. */
interface Commitment {
  what: string;
  bound: string;
  /** Whether the goal compares sizes, so that a single size shows nothing. */
  comparesSizes?: true;
  isAbout(measured: MeasuredCase): boolean;
  missOf(sizes: SizedCase): string | undefined;
}

const nameOf = ({ rpc, case: name }: MeasuredCase) =>
  `${rpc.replace(/^platform\./, "")}${name === "" ? "" : ` (${name})`}`;

const readOf = (sizes: SizedCase) => sizes.map(({ rowsRead }) => rowsRead).join(", ");

/** Leaves out sizes at which a page is not full yet, because the cost has to grow there. */
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

/** The total of a filter is counted, because no table knows in advance how many rows match. */
const isFiltered = ({ case: name }: MeasuredCase) => name.startsWith("filter");

/** The rows that a write may cost, with its event and its history: the RPC, its case, and the most rows. */
const mostWritten: [string, string, number][] = [
  ["registry.v2.TagsService/CreateTag", "a new one", 20],
  ["registry.v2.TagsService/CreateTag", "moves it", 10],
  ["registry.v2.ReposService/CreateRepo", "", 18],
  ["iam.v2.IdentitiesService/CreateIdentity", "", 18],
  ["iam.v2.RoleBindingsService/CreateRoleBinding", "", 16],
];

const writeCommitments = mostWritten.map(([rpc, name, most]): Commitment => {
  const named = name === "" ? rpc : `${rpc} (${name})`;
  return {
    what: `rows written by ${named}`,
    bound: `at most ${most}`,
    isAbout: (measured) => measured.rpc === `platform.${rpc}` && measured.case === name,
    missOf: (sizes) => {
      const written = sizes.map(({ rowsWritten }) => rowsWritten);
      return Math.max(...written) > most ? `writes ${written.join(", ")}` : undefined;
    },
  };
});

const commitments: Commitment[] = [
  {
    what: "D1 round trips of a Get",
    bound: "1",
    isAbout: ({ kind }) => kind === "get",
    missOf: tripsOf,
  },
  {
    what: "D1 round trips of a List in a scope",
    bound: "1",
    isAbout: ({ kind }) => kind === "list" || kind === "whole",
    missOf: tripsOf,
  },
  {
    what: "D1 round trips of a write, and of a List or Get without a scope",
    bound: "at most 2",
    isAbout: ({ kind }) => !["get", "list", "whole", "preview", "batches"].includes(kind),
    missOf: tripsOf,
  },
  {
    what: "D1 round trips of an expiry plan for a repository with two tags",
    bound: `at most ${maxRoundTrips.batches}`,
    isAbout: ({ kind }) => kind === "batches",
    missOf: tripsOf,
  },
  {
    what: "D1 round trips of a preview of a rule: the scope, the tags, their moves, and what is known of their images",
    bound: "at most 4",
    isAbout: ({ kind }) => kind === "preview",
    missOf: tripsOf,
  },
  {
    what: "rows read by a List without a filter, in any scope and order",
    bound: `at most ${boundOfPage}`,
    isAbout: (measured) => isPage(measured) && !isFiltered(measured),
    missOf: (sizes) => above(sizes, mostRows(sizes[0].pageSize)),
  },
  {
    what: "rows read by a List with a filter",
    bound: `at most ${boundOfPage}`,
    isAbout: (measured) => isPage(measured) && isFiltered(measured),
    missOf: (sizes) => above(sizes, mostRows(sizes[0].pageSize)),
  },
  {
    what: "rows read by a List do not grow with the table",
    bound: `at most ${tolerance} more than at the smallest size`,
    comparesSizes: true,
    isAbout: (measured) => isPage(measured),
    missOf: growthOf,
  },
  {
    what: "rows read and written by a Get or a write do not grow with the table",
    bound: `at most ${tolerance} more than at the smallest size`,
    comparesSizes: true,
    isAbout: ({ kind }) => /get$/.test(kind) || kind === "write" || kind === "import",
    missOf: growthOf,
  },
  {
    what: `rows read by a List of a caller with ${grants} grants`,
    bound: `at most ${grants} × ${rowsOfGrant} + ${boundOfPage}`,
    isAbout: ({ kind }) => kind === "grants",
    missOf: (sizes) => above(sizes, grants * rowsOfGrant + mostRows(sizes[0].pageSize)),
  },
  {
    what: "totalCount compared with a separate count",
    bound: "equal",
    isAbout: ({ case: name }) => name.startsWith("first page by"),
    missOf: (sizes) => sizes.flatMap(({ wrong }) => wrong).join("; ") || undefined,
  },
  ...writeCommitments,
];

/** Returns the cases of all sizes side by side. Throws an Error if the sizes have different cases. */
export function casesOf(bySize: MeasuredCase[][]): SizedCase[] {
  const [smallest = [], ...others] = bySize;
  const lost = others.some(({ length }) => length !== smallest.length);
  if (lost) throw new Error("some cases were not measured at every size");
  return smallest.map((first, index) => {
    const same = others.map((cases) => cases[index]);
    for (const other of same) {
      if (other?.rpc === first.rpc && other.case === first.case) continue;
      throw new Error(`${nameOf(first)} was not measured at every size`);
    }
    return [first, ...(same as MeasuredCase[])];
  });
}

/** A missed goal: the RPC, its cases, and how they miss it. */
interface Miss {
  what: string;
  rpc: string;
  cases: string[];
  how: string[];
}

function missesOf(commitment: Commitment, cases: SizedCase[]): Miss[] {
  const misses = cases.flatMap((sizes) => {
    const how = commitment.isAbout(sizes[0]) ? commitment.missOf(sizes) : undefined;
    return how === undefined ? [] : [{ rpc: sizes[0].rpc, name: sizes[0].case, how }];
  });
  return [...Map.groupBy(misses, ({ rpc }) => rpc)].map(([rpc, missed]) => ({
    what: commitment.what,
    rpc: rpc.replace(/^platform\./, ""),
    cases: missed.map(({ name }) => name),
    how: [...new Set(missed.map(({ how }) => how))],
  }));
}

/**
 * Returns every goal, and how many cases miss it. With a single size, it leaves out the goals about growth. Throws an
 * Error if a goal covers no case.
 */
export function goalsOf(cases: SizedCase[]): Goal[] {
  const hasSizes = cases.some((sizes) => sizes.length > 1);
  const shown = commitments.filter(({ comparesSizes = false }) => hasSizes || !comparesSizes);
  return shown.map((commitment) => {
    const about = cases.filter(([first]) => commitment.isAbout(first));
    if (about.length === 0) throw new Error(`no case is covered by "${commitment.what}"`);
    const misses = missesOf(commitment, cases);
    const kept = misses.length === 0;
    const names = misses.map(({ rpc, cases: missed }) => `${rpc} (${missed.length})`);
    const measured = kept
      ? `met by all ${about.length} cases`
      : `${about.length} cases, of which these miss the goal: ${names.join(", ")}`;
    return { what: commitment.what, bound: commitment.bound, measured, kept };
  });
}

/** Why an RPC reads more than its page, if its response explains it. */
const reasons: [RegExp, string][] = [
  [/ListRoleBindings/, "a page includes its identities, roles and groups, each of which is a row"],
  [/Advisories/, "some filters have no index, and a page then looks at 20,000 rows at most"],
  [/ListDocuments/, "each row includes the advisories of its package"],
  [/ListManifests/, "each row includes its tags"],
  [/ListEndOfLifeTags/, "each row includes its repository and its pulls"],
  [/ListTagMoves/, "a page includes its names and origins, and the digest before it for each tag"],
  [/ListPastTags/, "each name is looked up, and then its record at that time"],
  [/ListAccess/, "each row includes its identity, and a page its roles"],
  [/ListTags/, "the total counts each match"],
  [/ListResolvedVulns/, "the fixes of a day are in several tables"],
  [/ListArtifacts$/, "the filter query has no index, and totals count each match"],
];

/** The most figures of one RPC in the table. The tables of costs contain all of them. */
const maxShown = 6;

/** Returns a table of all missed goals. */
export function missesTable(cases: SizedCase[]): Table {
  const misses = commitments.flatMap((commitment) => missesOf(commitment, cases));
  return {
    title: "Goals that are not met",
    text: "Each series of numbers begins with the smallest size.",
    head: ["goal", "RPC", "cases", "measured", "reason"],
    rows: misses.map(({ what, rpc, cases: missed, how }) => [
      ...[what, rpc, missed.join(", ")],
      [...how.slice(0, maxShown), ...(how.length > maxShown ? ["…"] : [])].join("; "),
      reasons.find(([name]) => name.test(rpc))?.[1] ?? "",
    ]),
  };
}

/**
 * Lists (AIP-132, AIP-158): returns the rows that a caller may see, page by page. `page.ts` turns the request into a
 * query and the rows into a response. `requested_scope.ts` finds the scopes that the caller may see, `scope.ts` the
 * range of an index for each, and `rows.ts` and `totals.ts` read them. `listing.ts` describes the List of a resource.
 */
import type { BatchItem } from "drizzle-orm/batch";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { UIDPFilter } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument, resourceExhausted } from "../aip/errors.ts";
import { authorizeAndRead, missingCapabilities, readWithGrants } from "../auth/access.ts";
import { type Call, type CallAnywhere, callAt, callAtCaller, type Database } from "../auth/call.ts";
import { holds } from "../auth/grants.ts";
import type { Measured } from "./byte_limit.ts";
import { type Examined, splitEnd } from "./examined_rows.ts";
import type { Listing, ListQuery, Scope } from "./listing.ts";
import {
  type FoundRows,
  type ListOptions,
  type Page,
  type PagedRequest,
  paginate,
} from "./page.ts";
import {
  byDatabase,
  narrowed,
  requestedScope,
  requireFewScopes,
  singleScope,
  visibleScopes,
} from "./requested_scope.ts";
import { scopesOfStatements, selectRows } from "./rows.ts";
import { selectTotal } from "./totals.ts";

/** A List request whose caller chooses the scope. */
export type ListRequest = PagedRequest & { uidp?: UIDPFilter | undefined };

/**
 * Returns one page of a List. It takes one D1 round trip if the filter names a scope, or one uid, that the caller's
 * grants cover, and two round trips otherwise. Throws PERMISSION_DENIED if the caller has the capability nowhere in the scope, and INVALID_ARGUMENT for `order_by`,
 * `page_token`, and too many scopes.
 */
export const list = <Row extends { uid: string }>(
  anywhere: CallAnywhere,
  request: ListRequest,
  listing: Listing<Row>,
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(anywhere, request, listing, options, async (query) => {
    const { isRootShared = false, parent = "" } = options;
    const requested = requestedScope(request.uidp);
    const single = singleScope(requested, isRootShared);
    const call = single ? callAt(anywhere, single.uid) : callAtCaller(anywhere);
    // The scope is read before the caller's access is known. Its rows are used only if the caller may see
    // them.
    const named = narrowed(single ? [single.scope] : [], parent);
    const hoped = statementsOf(call.db, listing, query, named);
    const { caller, rows } = await readWithGrants(call, single && { around: single.uid }, hoped);
    if (single && holds(caller, call.capabilities, single.uid)) {
      return { ...collect<Row>(rows, query), caller };
    }
    const scopes = visibleScopes(caller, call.capabilities, requested, {
      isRootShared,
      isKeyedByGroup: listing.isKeyedByGroup,
    });
    if (scopes.length === 0) throw missingCapabilities(call.capabilities, single?.uid ?? "");
    if (options.maxScopes !== undefined) requireFewScopes(scopes, options.maxScopes);
    const visible = narrowed(scopes, parent);
    return { ...(await readScopes(call, listing, query, visible)), caller };
  });

/**
 * Returns one page of the rows of a scope that the handler chooses. The caller must have the RPC's
 * capabilities at the uid `holder`. It takes one D1 round trip. `exists` selects a row that must exist for
 * the list to make sense. Throws `absent()` if it does not.
 */
export const listAt = <Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  listing: Listing<Row>,
  scope: Scope,
  { holder, exists, absent }: { holder: string; exists: BatchItem<"sqlite">; absent: () => Error },
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(call, request, listing, options, async (query) => {
    const statements = statementsOf(call.db, listing, query, [scope]);
    const { rows } = await authorizeAndRead(call, holder, [exists, ...statements]);
    const [existing, ...answers] = rows;
    if (existing.length === 0) throw absent();
    return collect<Row>(answers, query);
  });

/** The most rows that a request can skip if anyone can send it, because skipped rows are read. */
const maxOpenSkip = 10_000;

/** Throws INVALID_ARGUMENT if a request that anyone can send skips too many rows. */
export function refuseLongSkip({ skip }: ListQuery): void {
  if (skip <= maxOpenSkip) return;
  const text = `skip must be at most ${maxOpenSkip}; you sent ${skip}; use page_token instead`;
  throw invalidArgument("skip", text);
}

/**
 * Returns one page of the rows of these scopes to any caller: the handler has decided that they may be seen.
 * It takes one D1 round trip. Without a scope it takes none, and returns no rows.
 */
export const listScopes = <Row extends { uid: string }>(
  call: CallAnywhere,
  request: PagedRequest,
  listing: Listing<Row>,
  scopes: Scope[],
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(call, request, listing, options, async (query) => {
    refuseLongSkip(query);
    return readScopes(call, listing, query, scopes);
  });

/** Reads the rows of the scopes in one round trip. Scopes in several databases are read at the same time. */
async function readScopes<Row>(
  call: CallAnywhere,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
): Promise<FoundRows<Row>> {
  if (scopes.length === 0) return { rows: [[]], total: 0 };
  const parts = await byDatabase(call, scopes);
  const results = await Promise.all(
    parts.map(async ({ db, scopes: here }) => {
      const [first, ...rest] = statementsOf(db, listing, query, here, parts.length);
      return collect<Row>(first ? await db.batch([first, ...rest]) : [], query, parts.length);
    }),
  );
  return {
    rows: results.flatMap(({ rows }) => rows),
    ends: results.flatMap(({ ends = [] }) => ends),
    total: sumOf(results.map(({ total }) => total)),
  };
}

/** A result of {@link statementsOf}: the rows of some scopes, or the number of rows that match in them. */
type Answer<Row> = (Row | FoundRow<Row>)[] | { total: number | null }[];

type FoundRow<Row> = Row & Partial<Measured> & Partial<Examined>;

/**
 * The statements of the scopes: first those for their rows, then those for their totals if the query counts. One
 * statement merges the rows of as many scopes as D1 can compile. `databases` is the number of those that are read.
 */
function statementsOf<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  databases = 1,
) {
  const { ownRows } = listing;
  const together = ownRows
    ? scopes.map((scope) => [scope])
    : scopesOfStatements(db, listing, query, scopes);
  const isOnly = databases === 1 && together.length === 1;
  const maxBytes = query.maxBytes && shareOf(query.maxBytes, databases * together.length);
  const rows = together.map((group) => {
    const [scope] = group;
    return ownRows && scope
      ? ownRows(db, query, scope, isOnly)
      : selectRows(db, listing, { ...query, maxBytes }, group, isOnly);
  });
  const totals = query.isCounted
    ? together.map((group) => selectTotal(db, listing, query, group))
    : [];
  const all: RunnableQuery<Answer<Row>, "sqlite">[] = [...rows, ...totals];
  return all;
}

/** The bytes of each statement. Together they are at most twice `bytes`, and one can have more than its part. */
const shareOf = (bytes: number, statements: number) => Math.floor((2 * bytes) / (statements + 1));

/**
 * Splits the results of {@link statementsOf} into the rows of each scope and the sum of their totals. Throws
 * RESOURCE_EXHAUSTED if a statement could not return all its rows.
 */
function collect<Row>(
  answers: Answer<Row>[],
  query: ListQuery,
  databases = 1,
): FoundRows<FoundRow<Row>> {
  const scopes = query.isCounted ? answers.length / 2 : answers.length;
  // A cast, because the types do not say where the totals begin.
  const [rowsByScope, totals] = [answers.slice(0, scopes), answers.slice(scopes)] as [
    FoundRow<Row>[][],
    { total: number | null }[][],
  ];
  const share = shareOf(query.maxBytes ?? Number.POSITIVE_INFINITY, databases * scopes);
  if (rowsByScope.some((rows) => (rows.at(-1)?.bytesSoFar ?? 0) > share)) {
    throw resourceExhausted(
      "the rows that match have more than 16 MiB; narrow the scope, or use version 2, which returns pages",
    );
  }
  const split = rowsByScope.map((rows) => splitEnd(rows));
  return {
    rows: split.map(({ rows }) => rows),
    ends: split.map(({ end }) => end),
    total: sumOf(totals.map(([first]) => (first ? first.total : 0))),
  };
}

/** The sum of the totals. Null if one of them was not counted. */
const sumOf = (totals: (number | null)[]): number | null =>
  totals.reduce<number | null>(
    (sum, total) => (sum === null || total === null ? null : sum + total),
    0,
  );

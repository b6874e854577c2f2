/**
 * Lists (AIP-132, AIP-158): returns the rows that a caller may see, page by page.
 *
 * A request goes through the files in this order. `page.ts` turns the request into a query (`order.ts`,
 * `page_token.ts`, `query.ts`). `requested_scope.ts` finds the scopes that the caller named and may see, and
 * `by_database.ts` divides them if there are several databases. `scope.ts` has the conditions of a scope,
 * `name_prefix.ts` that of a search by name, and `rows.ts` and `totals.ts` are the two statements of some scopes,
 * which `merged_parts.ts` merges. `looked_rows.ts` limits what a page without an index reads, `byte_limit.ts` holds back long values if the response has no pages.
 * `merge.ts` merges the rows of several statements into one page, and `page.ts` builds the response. `listing.ts`
 * describes the List of a resource.
 */
import type { BatchItem } from "drizzle-orm/batch";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { UIDPFilter } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { authorizeAndRead, missingCapabilities, readWithGrants } from "../auth/access.ts";
import { type Call, callAt, type Database } from "../auth/call.ts";
import { holds } from "../auth/grants.ts";
import { byDatabase } from "./by_database.ts";
import { fitsLimit, type Measured } from "./byte_limit.ts";
import type { Listing, RowQuery } from "./listing.ts";
import { type Looked, splitEnd } from "./looked_rows.ts";
import {
  type FoundRows,
  type ListOptions,
  type OwnRows,
  type Page,
  type PagedRequest,
  paginate,
} from "./page.ts";
import type { ListQuery } from "./query.ts";
import { narrowed, requestedScope, singleScope, visibleScopes } from "./requested_scope.ts";
import { scopesOfStatements, selectRows } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { selectTotal } from "./totals.ts";

/** A List request whose caller chooses the scope. */
export type ListRequest = PagedRequest & { uidp?: UIDPFilter | undefined };

/**
 * Returns one page of a List. It takes one D1 round trip if the filter names a scope, or one uid, that the caller's
 * grants cover, and two round trips otherwise. Throws PERMISSION_DENIED if the caller has the capability nowhere in the scope, and INVALID_ARGUMENT for `order_by` and
 * `page_token`.
 */
export const list = <Row extends { uid: string }>(
  anywhere: Call,
  request: ListRequest,
  listing: Listing<Row>,
  options: ListOptions<NoInfer<Row>> = {},
): Promise<Page<Row>> =>
  paginate(anywhere, request, listing, options, async (query) => {
    const { isRootShared = false, parent = "", ownRows } = options;
    const requested = requestedScope(request.uidp);
    const single = singleScope(requested, isRootShared);
    const call = single ? callAt(anywhere, single.uid) : anywhere;
    // The scope is read before the caller's access is known. Its rows are used only if the caller may see
    // them.
    const named = narrowed(single ? [single.scope] : [], parent);
    const hoped = statementsOf(call.db, listing, query, named, { ownRows });
    const { caller, rows } = await readWithGrants(call, single && { around: single.uid }, hoped);
    if (single && holds(caller, call.capabilities, single.uid)) {
      return { ...collect<Row>(rows, query), caller };
    }
    const { isKeyedByGroup } = listing;
    const scopes = visibleScopes(caller, call.capabilities, requested, {
      isRootShared,
      isKeyedByGroup,
    });
    if (scopes.length === 0) throw missingCapabilities(call.capabilities, single?.uid ?? "");
    const visible = narrowed(scopes, parent);
    return { ...(await readScopes(call, listing, query, visible, ownRows)), caller };
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
    const [found, ...answers] = rows;
    if (found.length === 0) throw absent();
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
  call: Call,
  request: PagedRequest,
  listing: Listing<Row>,
  scopes: Scope[],
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(call, request, listing, options, async (query) => {
    refuseLongSkip(query);
    return readScopes(call, listing, query, scopes);
  });

/**
 * Reads the rows of the scopes in one round trip. Scopes in several databases are read at the same time. If the
 * response has no pages, the statements share the limit for long values. If one of them exceeds its share while the
 * others leave enough, the rows are read a second time.
 */
async function readScopes<Row>(
  call: Call,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  ownRows?: OwnRows<Row>,
): Promise<FoundRows<Row>> {
  const { maxBytes } = query;
  if (scopes.length === 0) return { rows: [[]], total: 0 };
  const parts = await byDatabase(call, scopes);
  const isOnly = parts.length === 1 ? undefined : false;
  const some = parts.reduce(
    (sum, part) => sum + scopesOfStatements(part.db, listing, query, part.scopes).length,
    0,
  );
  const share = maxBytes === undefined ? maxBytes : Math.floor(maxBytes / some);
  const readWith = async (most: number | undefined) => {
    const limited = { ...query, maxBytes: most };
    const found = await Promise.all(
      parts.map(async ({ db, scopes: here }) => {
        const [first, ...rest] = statementsOf(db, listing, limited, here, { ownRows, isOnly });
        return collect<Row>(first ? await db.batch([first, ...rest]) : [], query);
      }),
    );
    return {
      rows: found.flatMap(({ rows }) => rows),
      ends: found.flatMap(({ rows, ends }) => ends ?? rows.map(() => undefined)),
      total: sumOf(found.map(({ total }) => total)),
    };
  };
  const found = await readWith(share);
  return share === undefined || fitsLimit(found.rows, share) ? found : readWith(maxBytes);
}

/** A result of {@link statementsOf}: the rows of some scopes, or the number of rows that match in them. */
type Answer<Row> = FoundRow<Row>[] | { total: number | null }[];

type FoundRow<Row> = Row & Partial<Measured> & Partial<Looked>;

/**
 * The statements of the scopes: first those for their rows, then those for their totals if the query counts. One
 * statement merges the rows of as many scopes as D1 can compile.
 */
function statementsOf<Row>(
  db: Database,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
  { ownRows, isOnly }: { ownRows?: OwnRows<Row> | undefined; isOnly?: boolean | undefined } = {},
) {
  const together = scopesOfStatements(db, listing, query, scopes);
  const own =
    ownRows && scopes.map((one) => ownRows.select(db, query, one, isOnly ?? scopes.length === 1));
  const rows = own
    ? // A cast, because such rows have no long values, which are measured.
      (own as RowQuery<Row & Partial<Measured>>[])
    : together.map((some) => selectRows(db, listing, query, some, isOnly ?? together.length === 1));
  const totals = query.isCounted
    ? together.map((some) => selectTotal(db, listing, query, some))
    : [];
  const all: RunnableQuery<Answer<Row>, "sqlite">[] = [...rows, ...totals];
  return all;
}

/**
 * Splits the results of {@link statementsOf} into the rows of each scope and the sum of their totals. Throws
 * RESOURCE_EXHAUSTED if the rows have too many bytes for one response.
 */
function collect<Row>(answers: Answer<Row>[], query: ListQuery): FoundRows<FoundRow<Row>> {
  const scopes = query.isCounted ? answers.length / 2 : answers.length;
  // A cast, because the types do not say where the totals begin.
  const [found, totals] = [answers.slice(0, scopes), answers.slice(scopes)] as [
    FoundRow<Row>[][],
    { total: number | null }[][],
  ];
  const split = found.map((one) => splitEnd(one));
  const rows = split.map((one) => one.rows);
  if (query.maxBytes !== undefined) fitsLimit(rows, query.maxBytes);
  return {
    rows,
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

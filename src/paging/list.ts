/**
 * Lists (AIP-132, AIP-158): the rows that a caller may see of those it asks for, page by page.
 *
 * The files in the order in which a request goes through them: `page.ts` makes a query of the request
 * (`order.ts`, `page_token.ts`, `query.ts`). `requested_scope.ts` says which scopes the caller named and
 * may see. `scope.ts` is the condition of a scope, `rows.ts` and `totals.ts` are its two statements,
 * `byte_limit.ts` holds back long values where all rows are one answer. `merge.ts` makes one page of the
 * rows of several scopes, and `page.ts` the response. `listing.ts` is what a resource says of itself.
 */
import type { BatchItem } from "drizzle-orm/batch";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { UIDPFilter } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument } from "../aip/errors.ts";
import { authorizeAndRead, missingCapabilities, readWithGrants } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { holds } from "../auth/grants.ts";
import { fitsLimit, type Measured } from "./byte_limit.ts";
import type { Listing } from "./listing.ts";
import {
  type FoundRows,
  type ListOptions,
  type Page,
  type PagedRequest,
  paginate,
} from "./page.ts";
import type { ListQuery } from "./query.ts";
import { requestedScope, singleScope, visibleScopes } from "./requested_scope.ts";
import { selectRows } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { selectTotal } from "./totals.ts";

/** A request of a List whose scope the caller chooses. */
export type ListRequest = PagedRequest & { uidp?: UIDPFilter | undefined };

/**
 * One page of a List. One D1 round trip where the filter names a scope, or one uid, that the caller's
 * grants cover, else two. Throws PERMISSION_DENIED when the caller holds the capability nowhere in the
 * scope; INVALID_ARGUMENT for order_by and page_token.
 */
export const list = <Row extends { uid: string }>(
  call: Call,
  request: ListRequest,
  listing: Listing<Row>,
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(call, request, listing, options, async (query) => {
    const { isRootShared = false } = options;
    const requested = requestedScope(request.uidp);
    const single = singleScope(requested, isRootShared);
    // The scope is read in the hope that the caller may: nothing of it is used unless it does.
    const hoped = single ? statementsOf(call, listing, query, [single.scope]) : [];
    const { caller, rows } = await readWithGrants(call, single && { around: single.uid }, hoped);
    if (single && holds(caller, call.capabilities, single.uid)) return collect(rows, query);
    const { isKeyedByGroup } = listing;
    const scopes = visibleScopes(caller, call.capabilities, requested, {
      isRootShared,
      isKeyedByGroup,
    });
    if (scopes.length === 0) throw missingCapabilities(call.capabilities);
    return readScopes(call, listing, query, scopes);
  });

/**
 * One page of the rows of a scope that the handler names, for whoever holds the RPC's capabilities at
 * the uid `holder`. One D1 round trip. `exists` selects the row without which there is nothing to list
 * of, else throws `absent()`.
 */
export const listAt = <Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  listing: Listing<Row>,
  scope: Scope,
  { holder, exists, absent }: { holder: string; exists: BatchItem<"sqlite">; absent: () => Error },
): Promise<Page<Row>> =>
  paginate(call, request, listing, {}, async (query) => {
    const statements = statementsOf(call, listing, query, [scope]);
    const { rows } = await authorizeAndRead(call, holder, [exists, ...statements]);
    const [found, ...answers] = rows;
    if (found.length === 0) throw absent();
    return collect(answers, query);
  });

/** Most rows that a request may skip in {@link listScopes}: its caller need not be anybody, and skipped rows are read. */
const maxOpenSkip = 10_000;

/**
 * One page of the rows of these scopes, whoever calls: it is the handler that decided that they may be
 * seen. One D1 round trip; none, and no rows, without a scope.
 */
export const listScopes = <Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  listing: Listing<Row>,
  scopes: Scope[],
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(call, request, listing, options, async (query) => {
    if (query.skip > maxOpenSkip) {
      throw invalidArgument("skip", `skip must be at most ${maxOpenSkip}`);
    }
    if (scopes.length === 0) return { rows: [[]], total: 0 };
    return readScopes(call, listing, query, scopes);
  });

/**
 * The rows of the scopes, in one round trip. Where all rows are one answer, the scopes share what may
 * be read of long values; where one of them has more than its share and the others leave enough, they
 * are read once more.
 */
async function readScopes<Row>(
  call: Call,
  listing: Listing<Row>,
  query: ListQuery,
  scopes: Scope[],
): Promise<FoundRows<Row>> {
  const { maxBytes } = query;
  const share = maxBytes === undefined ? maxBytes : Math.floor(maxBytes / scopes.length);
  const readWith = async (most: number | undefined) => {
    const limited = { ...query, maxBytes: most };
    const [first, ...rest] = statementsOf(call, listing, limited, scopes);
    return collect(first ? await call.db.batch([first, ...rest]) : [], query);
  };
  const found = await readWith(share);
  return share === undefined || fitsLimit(found.rows, share) ? found : readWith(maxBytes);
}

/** What a statement of {@link statementsOf} answers: rows of a scope, or how many match there. */
type Answer<Row> = (Row & Partial<Measured>)[] | { total: number }[];

/** The statements of the scopes: those of their rows, then those of their totals if the query counts. */
function statementsOf<Row>(call: Call, listing: Listing<Row>, query: ListQuery, scopes: Scope[]) {
  const isOnly = scopes.length === 1;
  const rows = scopes.map((scope) => selectRows(call.db, listing, query, scope, isOnly));
  const totals = query.isCounted
    ? scopes.map((scope) => selectTotal(call.db, listing, query, scope))
    : [];
  const all: RunnableQuery<Answer<Row>, "sqlite">[] = [...rows, ...totals];
  return all;
}

/**
 * Splits what {@link statementsOf} answered into the scopes' rows and the sum of their totals. Throws
 * RESOURCE_EXHAUSTED where the rows have too many bytes for one answer.
 */
function collect<Row>(
  answers: Answer<Row>[],
  query: ListQuery,
): FoundRows<Row & Partial<Measured>> {
  const scopes = query.isCounted ? answers.length / 2 : answers.length;
  // A cast, as types do not know at which place the totals begin.
  const [rows, totals] = [answers.slice(0, scopes), answers.slice(scopes)] as [
    (Row & Partial<Measured>)[][],
    { total: number }[][],
  ];
  if (query.maxBytes !== undefined) fitsLimit(rows, query.maxBytes);
  return { rows, total: totals.reduce((sum, [first]) => sum + (first?.total ?? 0), 0) };
}

/** Lists: what the caller may see of what it asked for, page by page. */
import { type Message, toBinary } from "@bufbuild/protobuf";
import type { SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { UIDPFilter } from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument, resourceExhausted } from "../aip/errors.ts";
import {
  type Arm,
  type Listing,
  type Lookup,
  mergeRows,
  type Query,
  type Sorting,
  selectRows,
  selectTotal,
} from "../aip/listing.ts";
import { readOrder } from "../aip/order_by.ts";
import { openPageToken, signPageToken } from "../aip/page_token.ts";
import { areWhole, greatestWidth } from "../aip/wide_rows.ts";
import { authorized, missing, read } from "./access.ts";
import { oneOf, soleOf, visible } from "./asked.ts";
import type { Call } from "./call.ts";
import { holds } from "./grants.ts";

type Statement = BatchItem<"sqlite">;

/** The fields by which every List request pages. */
export type PagedRequest = Message & {
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** As above, of a List whose scope the caller chooses. */
export type ListRequest = PagedRequest & { uidp?: UIDPFilter | undefined };

/** What one List adds to its listing. */
export interface Options {
  filters?: (SQL | undefined)[];
  lookup?: Lookup;
  partitions?: number[];
  /** Root-level rows everyone sees who holds the capability anywhere. */
  root?: boolean;
  /** Most rows where all are answered at once; {@link greatestWhole} unless told. */
  greatest?: number;
  /** What to do where there are more; to name a narrower scope, unless told. */
  advice?: string;
  /** False where nobody is told how many rows match: the total is 0 then. */
  isCounted?: boolean;
}

/** One page: the rows and the rest of the response's envelope. */
export interface Page<Row> {
  rows: Row[];
  envelope: { nextPageToken: string; totalCount: bigint; skipped: number };
}

/** Header of an answer whose page token had expired: the rows are those of the first page. */
export const expiredHeader = "page-token-expired";

const defaultPageSize = 50;
const greatestOpenSkip = 10_000;

/** Most rows of a List that answers all of them at once: they have to fit into a Worker's memory. */
export const greatestWhole = 20_000;

/**
 * One page of a List. One D1 round trip where the filter names a scope, or one uid, that the caller's
 * grants cover, else two. Throws PERMISSION_DENIED when the caller holds the capability nowhere in the
 * scope; INVALID_ARGUMENT for order_by and page_token.
 */
export const list = <Row extends { uid: string }>(
  call: Call,
  request: ListRequest,
  listing: Listing<Row>,
  options: Options = {},
): Promise<Page<Row>> =>
  page(call, request, listing, options, (query) =>
    readArms(call, request.uidp, listing, query, options.root ?? false),
  );

/**
 * One page of the rows of one arm, for whoever holds the RPC's capabilities at `scope`. One D1 round
 * trip. `exists` selects the row without which there is nothing to list of, else throws `absent()`.
 */
export const listArm = <Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  listing: Listing<Row>,
  arm: Arm,
  { scope, exists, absent }: { scope: string; exists: Statement; absent: () => Error },
): Promise<Page<Row>> =>
  page(call, request, listing, {}, async (query) => {
    const statements = armStatements(call, listing, query, [arm]) as unknown as Statement[];
    const { rows } = await authorized(call, scope, [exists, ...statements]);
    const [found, ...answers] = rows as unknown as unknown[][];
    if (found?.length === 0) throw absent();
    return collect<Row>(answers, query);
  });

/**
 * One page of the rows of these arms, whoever calls: it is the handler that decided that they may be
 * seen. One D1 round trip; none, and no rows, without an arm.
 */
export const listArms = <Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  listing: Listing<Row>,
  arms: Arm[],
  options: Options = {},
): Promise<Page<Row>> =>
  page(call, request, listing, options, async (query) => {
    // Whoever asks here need not be anybody, and what is jumped over is read.
    if (query.skip > greatestOpenSkip) {
      throw invalidArgument("skip", `skip must be at most ${greatestOpenSkip}`);
    }
    if (arms.length === 0) return { rows: [[]], total: 0 };
    return readAll(call, listing, query, arms);
  });

/**
 * The call as one that answers all rows at once, unless the request names a page: of a List whose requests have no
 * pages in the contract. Clients that know no pages would take the first one for everything.
 */
export const wholeUnlessPaged = (call: Call, { pageSize, pageToken, skip }: PagedRequest): Call =>
  pageSize === 0 && pageToken === "" && skip === 0 ? { ...call, isWhole: true } : call;

/** What else to do about more rows than one answer has; requests of version 1 have no pages. */
export const pagesInstead = ({ origin }: Call): string =>
  origin ? "use version 2, which pages" : "set page_size, to read page by page";

/**
 * Pages, order and total of rows that `readRows` reads by the query: of one arm, those from the
 * cursor and the skip on, one more than the page; and how many match, which counts without a cursor.
 */
export async function page<Row extends { uid: string }>(
  call: Call,
  request: PagedRequest,
  listing: Sorting<Row>,
  options: Options,
  readRows: (query: Query) => Promise<{ rows: Row[][]; total: number }>,
): Promise<Page<Row>> {
  const order = readOrder(request.orderBy, Object.keys(listing.orders), listing.byDefault);
  const digest = await queryDigest(call, request, `${order.field} ${order.descending}`);
  const cursor = await openCursor(call, request.pageToken, digest);
  const greatest = options.greatest ?? greatestWhole;
  const query: Query = {
    order,
    filters: (options.filters ?? []).filter((filter) => filter !== undefined),
    lookup: options.lookup ?? "walk",
    partitions: options.partitions ?? [],
    pageSize: call.isWhole ? greatest : request.pageSize || defaultPageSize,
    skip: request.skip,
    cursor,
    isCounted: !cursor && !call.isWhole && options.isCounted !== false,
    mostWide: call.isWhole ? greatestWidth : undefined,
  };
  const found = await readRows(query);
  const { rows, more } = mergeRows(listing, query, found.rows);
  if (call.isWhole && more) {
    throw resourceExhausted(
      `more than ${greatest} rows match; ${options.advice ?? "name a narrower scope"}, or ${pagesInstead(call)}`,
    );
  }
  const skipped = (cursor?.skipped ?? 0) + query.skip;
  const total = call.isWhole ? rows.length : (cursor?.total ?? found.total);
  const last = rows.at(-1);
  const after = (row: Row): [string | number, string] => [
    row[listing.orders[order.field] ?? "uid"] as string | number,
    row.uid,
  ];
  const nextPageToken =
    more && last
      ? await signPageToken(
          { after: after(last), skipped, total },
          digest,
          call.config.pageTokenKeys,
          call.now,
        )
      : "";
  return { rows, envelope: { nextPageToken, totalCount: BigInt(total), skipped } };
}

async function openCursor(call: Call, token: string, digest: string) {
  if (token === "") return undefined;
  const cursor = await openPageToken(token, digest, call.config.pageTokenKeys, call.now);
  if (cursor !== "expired") return cursor;
  call.answer.set(expiredHeader, "true");
  return undefined;
}

/**
 * A digest of the RPC, of everything in the request but the place in the list, and of who asks with what reach:
 * a page token has a total, which is not for whoever reaches less.
 */
async function queryDigest(call: Call, request: PagedRequest, order: string): Promise<string> {
  const query = { ...request, pageSize: 0, pageToken: "", skip: 0, orderBy: order };
  const { bearer, scopes, capabilities } = call.credential ?? {};
  const reach = JSON.stringify([bearer, scopes?.toSorted(), capabilities?.toSorted()]);
  const method = `${call.method.parent.typeName}/${call.method.name}\n${reach}\n`;
  const bytes = toBinary(call.method.input, query);
  const all = new Uint8Array([...new TextEncoder().encode(method), ...bytes]);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  return btoa(String.fromCharCode(...hash));
}

async function readArms<Row>(
  call: Call,
  filter: UIDPFilter | undefined,
  listing: Listing<Row>,
  query: Query,
  root: boolean,
): Promise<{ rows: Row[][]; total: number }> {
  const asked = oneOf(filter);
  const sole = soleOf(asked, root);
  // The arm is read in the hope that the caller may: nothing of it is used unless it does.
  const hoped = sole ? armStatements(call, listing, query, [sole.arm]) : [];
  const { caller, rows } = await read(call, sole && { around: sole.uid }, hoped);
  if (sole && holds(caller, call.capabilities, sole.uid)) return collect(rows, query);
  const arms = visible(caller, call.capabilities, asked, { root, isGroups: listing.groupUids });
  if (arms.length === 0) throw missing(call.capabilities);
  return readAll(call, listing, query, arms);
}

/**
 * The rows of the arms, in one round trip. Where all rows are asked for, the arms share what may be
 * read of wide values; where one of them has more than its share and the others leave enough, they are
 * read once more.
 */
async function readAll<Row>(
  call: Call,
  listing: Listing<Row>,
  query: Query,
  arms: Arm[],
): Promise<{ rows: Row[][]; total: number }> {
  const { mostWide } = query;
  const share = mostWide === undefined ? mostWide : Math.floor(mostWide / arms.length);
  const readWith = async (most: number | undefined) => {
    const statements = armStatements(call, listing, { ...query, mostWide: most }, arms);
    return collect<Row>(await call.db.batch(statements as never), query);
  };
  const found = await readWith(share);
  return share === undefined || areWhole(found.rows, share) ? found : readWith(mostWide);
}

function armStatements<Row>(call: Call, listing: Listing<Row>, query: Query, arms: Arm[]) {
  const rows = arms.map((arm) => selectRows(call.db, listing, query, arm, arms.length === 1));
  const totals = query.isCounted
    ? arms.map((arm) => selectTotal(call.db, listing, query, arm))
    : [];
  return [...rows, ...totals];
}

/**
 * Splits a batch's answer into the arms' rows and the sum of their totals. Throws RESOURCE_EXHAUSTED
 * where the rows are too wide to be answered at once.
 */
function collect<Row>(answers: readonly unknown[], query: Query): { rows: Row[][]; total: number } {
  const arms = query.isCounted ? answers.length / 2 : answers.length;
  const totals = answers.slice(arms) as { total: number }[][];
  const rows = answers.slice(0, arms) as Row[][];
  if (query.mostWide !== undefined) areWhole(rows, query.mostWide);
  return { rows, total: totals.reduce((sum, [first]) => sum + (first?.total ?? 0), 0) };
}

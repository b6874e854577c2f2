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
import { ancestry, isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import { authorized, missing, read } from "./access.ts";
import type { Call } from "./call.ts";
import { type Caller, holds, scopesOf } from "./grants.ts";

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
 * One page of a List. One D1 round trip where the filter names a scope that the caller's grants
 * cover, else two. Throws PERMISSION_DENIED when the caller holds the capability nowhere in the
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
    return collect(await call.db.batch(armStatements(call, listing, query, arms) as never), query);
  });

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
  const query: Query = {
    order,
    filters: (options.filters ?? []).filter((filter) => filter !== undefined),
    lookup: options.lookup ?? "walk",
    partitions: options.partitions ?? [],
    pageSize: call.isWhole ? greatestWhole : request.pageSize || defaultPageSize,
    skip: request.skip,
    cursor,
    isCounted: !cursor && !call.isWhole,
  };
  const found = await readRows(query);
  const { rows, more } = mergeRows(listing, query, found.rows);
  if (call.isWhole && more) {
    throw resourceExhausted(
      `more than ${greatestWhole} rows match; name a narrower scope, or use version 2, which pages`,
    );
  }
  const skipped = (cursor?.skipped ?? 0) + query.skip;
  const total = cursor?.total ?? found.total;
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

/** A digest of the RPC and of everything in the request but the place in the list. */
async function queryDigest(call: Call, request: PagedRequest, order: string): Promise<string> {
  const query = { ...request, pageSize: 0, pageToken: "", skip: 0, orderBy: order };
  const method = `${call.method.parent.typeName}/${call.method.name}\n`;
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
  const scope = asked?.at === "below" || asked?.at === "childrenOf" ? asked : undefined;
  // The arm is read in the hope that the caller may: nothing of it is used unless it does.
  const hoped = scope ? armStatements(call, listing, query, [scope]) : [];
  const { caller, rows } = await read(call, scope && { around: scope.uid }, hoped);
  if (scope && holds(caller, call.capabilities, scope.uid)) return collect(rows, query);
  const arms = visible(caller, call.capabilities, asked, { root, isGroups: listing.groupUids });
  if (arms.length === 0) throw missing(call.capabilities);
  return collect(await call.db.batch(armStatements(call, listing, query, arms) as never), query);
}

type Asked =
  | { at: "below" | "childrenOf"; uid: string }
  | { at: "ancestorsOf"; uid: string }
  | { at: "inRoot" }
  | { at: "uids"; uids: string[] };

/** The one scope a filter names. Throws INVALID_ARGUMENT where it names more. */
function oneOf(filter: UIDPFilter | undefined): Asked | undefined {
  if (!filter) return undefined;
  const asked: Asked[] = [];
  if (filter.descendantsOf !== "") asked.push({ at: "below", uid: filter.descendantsOf });
  if (filter.childrenOf !== "") asked.push({ at: "childrenOf", uid: filter.childrenOf });
  if (filter.ancestorsOf !== "") asked.push({ at: "ancestorsOf", uid: filter.ancestorsOf });
  if (filter.inRoot) asked.push({ at: "inRoot" });
  if (filter.ids.length > 0) asked.push({ at: "uids", uids: [...new Set(filter.ids)] });
  if (asked.length > 1) throw invalidArgument("uidp", "uidp takes one of its filters at a time");
  return asked[0];
}

/** The part of what was asked for that lies within the caller's grants. */
function visible(
  caller: Caller,
  capabilities: readonly number[],
  asked: Asked | undefined,
  { root, isGroups = false }: { root: boolean; isGroups?: boolean | undefined },
): Arm[] {
  const scopes = scopesOf(caller, capabilities);
  if (scopes.length === 0) return [];
  const covered = (uid: string) => scopes.some((scope) => isAtOrAbove(scope, uid));
  const uids = (of: string[]): Arm[] => (of.length > 0 ? [{ at: "uids", uids: of }] : []);
  const rootRows: Arm[] = root ? [{ at: "childrenOf", uid: "" }] : [];
  if (!asked) return [...rootRows, ...scopes.map((uid): Arm => ({ at: "atOrBelow", uid }))];
  switch (asked.at) {
    case "below":
      return scopes
        .filter((scope) => isAtOrAbove(asked.uid, scope))
        .map((uid): Arm => ({ at: "atOrBelow", uid }));
    case "childrenOf":
      // The row of a group's uid is that group's child, so seeing it takes the group itself.
      return isGroups ? [] : uids(scopes.filter((scope) => parentOf(scope) === asked.uid));
    case "ancestorsOf":
      return uids(ancestry(asked.uid).slice(1).filter(covered));
    case "inRoot":
      return root ? rootRows : uids(scopes.filter((scope) => parentOf(scope) === ""));
    case "uids":
      return uids(asked.uids.filter((uid) => covered(uid) || (root && parentOf(uid) === "")));
  }
}

function armStatements<Row>(call: Call, listing: Listing<Row>, query: Query, arms: Arm[]) {
  const rows = arms.map((arm) => selectRows(call.db, listing, query, arm, arms.length === 1));
  const totals = query.isCounted
    ? arms.map((arm) => selectTotal(call.db, listing, query, arm))
    : [];
  return [...rows, ...totals];
}

/** Splits a batch's answer into the arms' rows and the sum of their totals. */
function collect<Row>(answers: readonly unknown[], query: Query): { rows: Row[][]; total: number } {
  const arms = query.isCounted ? answers.length / 2 : answers.length;
  const totals = answers.slice(arms) as { total: number }[][];
  return {
    rows: answers.slice(0, arms) as Row[][],
    total: totals.reduce((sum, [first]) => sum + (first?.total ?? 0), 0),
  };
}

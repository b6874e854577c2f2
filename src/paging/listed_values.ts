/** Pages of rows that are not rows of a table: all of them are read together, and the Worker sorts them. */
import type { CallAnywhere } from "../auth/call.ts";
import { refuseLongSkip } from "./list.ts";
import type { Sorting } from "./listing.ts";
import { compareRows } from "./merge.ts";
import { sortKey } from "./order.ts";
import { type ListOptions, type Page, type PagedRequest, paginate } from "./page.ts";

/** Returns one page of the rows that `read` returns. Throws INVALID_ARGUMENT for `order_by`, `skip` and `page_token`. */
export const listValues = <Row extends { uid: string }>(
  call: CallAnywhere,
  request: PagedRequest,
  sorting: Sorting<Row>,
  read: (field: string) => Promise<Row[]>,
  options: ListOptions = {},
): Promise<Page<Row>> =>
  paginate(call, request, sorting, options, async (query) => {
    refuseLongSkip(query);
    const { order, cursor, skip, pageSize } = query;
    const rows = await read(order.field);
    const compare = compareRows(sorting, query);
    const sorted = rows.sort(compare);
    const [key, uid] = cursor?.after ?? [];
    const isAfter = (row: Row) =>
      isBehind([sortKey(sorting, query, row), row.uid], [key, uid], order.descending);
    const rest = cursor ? sorted.filter(isAfter) : sorted;
    return { rows: [rest.slice(skip, skip + pageSize + 1)], total: rows.length };
  });

type Place = (string | number | undefined)[];

function isBehind([key = "", uid = ""]: Place, [lastKey = "", lastUid = ""]: Place, down: boolean) {
  if (key !== lastKey) return down ? key < lastKey : key > lastKey;
  return down ? uid < lastUid : uid > lastUid;
}

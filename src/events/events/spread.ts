/**
 * Pages of events from several databases. Each database numbers its own events, so a page token has a number for each.
 * The databases are merged by the times of their events.
 */
import { invalidArgument } from "../../aip/errors.ts";
import type { Call } from "../../auth/call.ts";
import { tokenAfter } from "../../paging/page.ts";
import { expiredTokenHeader } from "../../paging/page_token.ts";
import { pageOf, type ScopeAnswer } from "./page.ts";
import type { EventQuery } from "./query.ts";

type EventRow = ScopeAnswer["rows"][number];

/** The events of one database. */
interface Part {
  name: string;
  answers: ScopeAnswer[];
}

/** The cursor that all events of a database come after. */
const startOf = ({ isDescending }: EventQuery) =>
  isDescending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;

/**
 * The cursors in the page token, by the names of the databases. If the token is about other databases, because an
 * organization has moved, the list begins again, and the response has the header of an expired token.
 */
export function cursorsOf(call: Call, query: EventQuery, names: string[]): Map<string, number> {
  const fresh = new Map(names.map((name) => [name, startOf(query)]));
  if (query.cursors === undefined) return fresh;
  const sentCursors = new Map(Object.entries(query.cursors));
  if (sentCursors.size === names.length && names.every((name) => sentCursors.has(name)))
    return sentCursors;
  call.responseHeaders.set(expiredTokenHeader, "true");
  return fresh;
}

/** Throws INVALID_ARGUMENT for `after`, which names an event of one database. */
export function refuseAfter(after: string): void {
  if (after === "") return;
  const text =
    "after needs one organization, because yours are in several databases; send its uid in uidp.descendants_of";
  throw invalidArgument("after", text);
}

/** Merges the events of the databases. Those of each database stay in their order. */
export async function pageOfParts(
  call: Call,
  query: EventQuery,
  cursors: Map<string, number>,
  parts: Part[],
): Promise<{ rows: EventRow[]; nextPageToken: string }> {
  const pages = await Promise.all(
    parts.map(async ({ name, answers }) => ({ name, ...(await pageOf(call, query, answers)) })),
  );
  const heads = pages.map(({ name, rows, last }) => ({ name, rows: [...rows], last }));
  const sign = query.isDescending ? -1 : 1;
  const rows: EventRow[] = [];
  while (rows.length < query.pageSize) {
    // Beyond the end of what was read, this database can have events that come first.
    if (heads.some((head) => head.rows.length === 0 && head.last !== undefined)) break;
    const open = heads.filter((head) => head.rows.length > 0);
    const [next] = open.sort((a, b) => sign * (timeOf(a.rows) - timeOf(b.rows)));
    const row = next?.rows.shift();
    if (!next || !row) break;
    rows.push(row);
    cursors.set(next.name, row.seq);
  }
  for (const { name, rows: left, last } of heads) {
    if (left.length === 0 && last !== undefined) cursors.set(name, last);
  }
  const hasMore = heads.some((head) => head.rows.length > 0 || head.last !== undefined);
  const after: [string, string] = [JSON.stringify(Object.fromEntries(cursors)), ""];
  return { rows, nextPageToken: await tokenAfter(call, query.digest, hasMore ? after : undefined) };
}

const timeOf = ([first]: EventRow[]): number => first?.time ?? 0;

/** Builds a page of events from the events of several scopes. */

import type { events } from "../../../schema/tables/events/events.ts";
import type { Call } from "../../auth/call.ts";
import { signPageToken } from "../../paging/page_token.ts";
import type { EventQuery, eventColumns } from "./query.ts";

/**
 * The matching events of a scope in their order. If the page has not looked at the whole scope, also the number of the
 * last event that it has looked at.
 */
export interface ScopeAnswer {
  rows: Pick<typeof events.$inferSelect, keyof typeof eventColumns>[];
  end: number | undefined;
}

/**
 * Merges the scopes. If one of them has not been looked at to its end, the page ends where that look ended, so that no
 * event is passed over. `last` is the number of the event that the next page comes after.
 */
export async function pageOf(
  call: Call,
  { isDescending, pageSize, digest }: EventQuery,
  answers: ScopeAnswer[],
): Promise<{ rows: ScopeAnswer["rows"]; nextPageToken: string; last: number | undefined }> {
  const sign = isDescending ? -1 : 1;
  const ends = answers.flatMap(({ end }) => (end === undefined ? [] : [end * sign]));
  const first = Math.min(...ends);
  const matching = answers
    .flatMap(({ rows }) => rows)
    .filter(({ seq }) => seq * sign <= first)
    .sort((a, b) => (a.seq - b.seq) * sign);
  const rows = matching.slice(0, pageSize);
  const last =
    matching.length > pageSize ? rows.at(-1)?.seq : ends.length > 0 ? first * sign : undefined;
  if (last === undefined) return { rows, nextPageToken: "", last };
  const cursor = { after: [last, ""] as [number, string], skipped: 0, total: 0 };
  return {
    rows,
    last,
    nextPageToken: await signPageToken(cursor, digest, call.config.pageTokenKeys, call.now),
  };
}

/** Builds a page of events from the events of several scopes. */

import type { events } from "../../../schema/tables/events/events.ts";
import type { Call } from "../../auth/call.ts";
import { signPageToken } from "../../paging/page_token.ts";
import { type EventQuery, type eventColumns, lookLimit } from "./query.ts";

/**
 * The matching events of a scope in their order. If they do not fill a page, also how many events were looked
 * at, and the last number of those.
 */
export interface ScopeAnswer {
  rows: Pick<typeof events.$inferSelect, keyof typeof eventColumns>[];
  looked: { count: number; last: number | null };
}

/**
 * Merges the scopes. `last` is the number of the event where the next page begins. If one of them has not been looked at to its end, the page ends where that look ended,
 * so that no event is passed over.
 */
export async function pageOf(
  call: Call,
  { isDescending, pageSize, digest }: EventQuery,
  answers: ScopeAnswer[],
): Promise<{ rows: ScopeAnswer["rows"]; nextPageToken: string; last: number | undefined }> {
  const sign = isDescending ? -1 : 1;
  const limit = lookLimit(answers.length);
  const ends = answers.flatMap(({ looked }) =>
    looked.count >= limit && looked.last !== null ? [looked.last * sign] : [],
  );
  const end = Math.min(...ends);
  const matching = answers
    .flatMap(({ rows }) => rows)
    .filter(({ seq }) => seq * sign <= end)
    .sort((a, b) => (a.seq - b.seq) * sign);
  const rows = matching.slice(0, pageSize);
  const last =
    matching.length > pageSize ? rows.at(-1)?.seq : ends.length > 0 ? end * sign : undefined;
  if (last === undefined) return { rows, nextPageToken: "", last };
  const cursor = { after: [last, ""] as [number, string], skipped: 0, total: 0 };
  return {
    ...{ rows, last },
    nextPageToken: await signPageToken(cursor, digest, call.config.pageTokenKeys, call.now),
  };
}

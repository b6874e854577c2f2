/** The filters of the event log, as its address contains them. */
import type { ListEventsRequest } from "../../client/index.ts";
import { isPeriod, startOfPeriod } from "../data/periods.ts";

/** Filters that are a single text, and the key of each in the address. */
export const textFilters = {
  repo: "repoUid",
  actor: "actorUid",
  subject: "subject",
  tag: "tag",
  request: "requestId",
} as const;

/** The name of a text filter in the address. */
export type TextFilter = keyof typeof textFilters;

/** The name of a filter on the page. */
export const filterNames: Record<TextFilter | "type", string> = {
  type: "Type",
  repo: "Repository",
  actor: "By",
  subject: "About",
  tag: "Tag",
  request: "Request",
};

/** The filters of a list of events. */
export interface EventFilters {
  types: string[];
  texts: Partial<Record<TextFilter, string>>;
  /** A key of `periods`, `custom`, or empty for any time. */
  period: string;
  /** In RFC 3339, for the period `custom`. */
  since: string;
  before: string;
}

/** Reads the filters. `get` returns a value of the address, or an empty text. */
export function readFilters(get: (key: string) => string): EventFilters {
  const texts: EventFilters["texts"] = {};
  for (const key of Object.keys(textFilters) as TextFilter[])
    if (get(key) !== "") texts[key] = get(key);
  const [since, before] = [get("since"), get("before")];
  const isCustom = get("period") === "custom" || since !== "" || before !== "";
  return {
    types: get("types").split(",").filter(Boolean),
    texts,
    period: isCustom ? "custom" : isPeriod(get("period")) ? get("period") : "",
    since,
    before,
  };
}

/** The request of the filters apart from the times. It only has the filters that are set. */
export function requestOf({ types, texts }: EventFilters, group: string): ListEventsRequest {
  const fields = Object.entries(texts).map(([key, value]) => [
    textFilters[key as TextFilter],
    value,
  ]);
  return {
    descendantsOf: group,
    ...(types.length > 0 ? { types } : {}),
    ...Object.fromEntries(fields),
  };
}

/** The beginning and the end of the period. `now` is in milliseconds since 1970 UTC. */
export function timesOf({ period, since, before }: EventFilters, now: number) {
  if (isPeriod(period)) return { since: startOfPeriod(period, now) };
  if (period !== "custom") return {};
  return { ...(since ? { since } : {}), ...(before ? { before } : {}) };
}

/** Whether any filter is set, so that a list without rows can say what to do. */
export const hasFilters = ({ types, texts, period }: EventFilters): boolean =>
  types.length > 0 || Object.keys(texts).length > 0 || period !== "";

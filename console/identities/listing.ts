/** How the filters in the address become a request, and what the list can then be sorted by. */
import type { ListIdentitiesRequest } from "../../client/index.ts";
import { kindFilters } from "./kinds.ts";

/** The filters, as they are in the address. */
export interface Filters {
  group: string;
  /** The beginning of the name. */
  q: string;
  kind: string;
  /** Days without use, or an empty text. */
  unused: string;
  /** Days until the keys expire, `0` for expired ones, or an empty text. */
  expiring: string;
  order: string;
}

/** A request without its position, and what belongs to it. */
export interface Asked {
  request: ListIdentitiesRequest;
  /** Whether the response has a total. */
  isCounted: boolean;
  orderBy: string;
  /** The fields that this list can be sorted by. */
  sortable: readonly string[];
}

const day = 86_400_000;
const maxPrefix = 100;

const daysFrom = (now: number, days: number) => new Date(now + days * day).toISOString();

/** The order of a list whose filters allow only one field, or the chosen order if the list can have it. */
function orderOf({ q, unused, expiring, order }: Filters): Pick<Asked, "orderBy" | "sortable"> {
  const only = q !== "" ? "name" : unused !== "" ? "last_used_time" : "expiration_time";
  const isFree = q === "" && unused === "" && expiring === "";
  const sortable = isFree ? ["name", "last_used_time", "create_time", "update_time"] : [only];
  const [field = ""] = order.split(" ");
  return { sortable, orderBy: sortable.includes(field) ? order : (sortable[0] ?? "name") };
}

/** `now` is in milliseconds since 1970 UTC. It must not change while the pages of one list are read. */
export function asked(filters: Filters, now: number): Asked {
  const { group, q, kind, unused, expiring } = filters;
  const { orderBy, sortable } = orderOf(filters);
  const relationshipType = kindFilters.find(([value]) => value === kind)?.[1];
  return {
    request: {
      descendantsOf: group,
      orderBy,
      ...(relationshipType && { relationshipType }),
      ...(q === "" ? {} : { namePrefix: q.slice(0, maxPrefix) }),
      ...(unused === "" ? {} : { unusedSince: daysFrom(now, -Number(unused)) }),
      ...(expiring === "" ? {} : { expiresBefore: daysFrom(now, Number(expiring)) }),
    },
    isCounted: q === "" && unused === "" && expiring === "",
    orderBy,
    sortable,
  };
}

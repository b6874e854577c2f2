/** One call whose cost is counted. */

/** Whose token a call carries: callers.ts says where they are bound. */
export type CostCaller = "owner" | "member" | "robot" | "person" | "registry" | "nobody";

/**
 * Round trips that a call of a kind may make. Lists of version 1 answer all rows at once. Those of the
 * public documents ask where the public namespace is, for a page, and for the advisories of that page.
 */
export const maxRoundTrips = {
  Get: 1,
  "List under a scope": 1,
  List: 2,
  "List of documents": 3,
  "List of version 1": 2,
  write: 2,
} as const;

/** Rows of a page, where a List is asked for one. */
export const pageSize = 20;

export interface CostCase {
  /** The RPC's name, and what of it is asked; no two are the same. */
  name: string;
  kind: keyof typeof maxRoundTrips;
  /** The default is the owner. */
  who?: CostCaller;
  /** The default is GET. */
  method?: string;
  path: string;
  body?: unknown;
  /** Of a page: rows read for each that it answers. Undefined where filters decide. */
  rowsOfOne?: number;
  /** The number of subtrees that the page is read from. The default is one. */
  scopes?: number;
  /** The page that the first one's token leads to is counted. */
  second?: boolean;
}

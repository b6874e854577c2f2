/** One call whose cost is counted. */

/** The caller of a call. callers.ts says where they have bindings. */
export type CostCaller =
  | "owner"
  | "member"
  | "scattered"
  | "robot"
  | "job"
  | "person"
  | "registry"
  | "newcomer"
  | "nobody";

/**
 * The allowed round trips of each kind of call. Lists of version 1 return all rows at once. Lists of the
 * public feeds read the place of the public namespace, and then a page. After the response, one round trip writes the
 * sums of pulls. For the first call of a day, another one records the use of its caller. The
 * contents of an image are its manifest, and then the configuration that the manifest names. A push of a manifest
 * checks access before it reads the body, and a mount checks it in two repositories. A write that only validates
 * reads the roles of holders and then their names. A preview reads a page of tags like a List, their moves, and what is
 * known of the images.
 */
export const maxRoundTrips = {
  Get: 1,
  "List under a scope": 1,
  List: 2,
  "List of version 1": 2,
  write: 2,
  "write that only validates": 4,
  pull: 2,
  "first pull of a day": 3,
  "contents of an image": 2,
  "first call of a day": 2,
  "preview of a page": 4,
  "push that checks access twice": 3,
  "push that reserves its bytes": 3,
} as const;

/** The rows of a page, if a List is called for one. */
export const pageSize = 20;

/** The most rows that a page reads for each of its rows, at every depth and every size of the registry. */
export const rowsOfOne = 4;

/** The most rows that it reads in addition: its caller, its total, and the first row of each walk. */
export const rowsOfPage = 100;

/** Whether the call is a List that names the size of its page. */
export const isPage = ({ kind, path, body }: CostCase): boolean =>
  /^List( |$)/.test(kind) && /page_?size/i.test(path + JSON.stringify(body ?? ""));

export interface CostCase {
  /** The name of the RPC, and the request in words. Each name is unique. */
  name: string;
  kind: keyof typeof maxRoundTrips;
  /** The default is the owner. */
  who?: CostCaller;
  /** The user name, if the token is a password. By default it is a Bearer token. */
  user?: string;
  /** The default is GET. */
  method?: string;
  path: string;
  /** A text is sent unchanged, and anything else as JSON. */
  body?: unknown;
  /** The media type of the body. The default is that of `fetch`. */
  contentType?: string;
  /** The idempotency key. */
  key?: string;
  /** For a page: the rows read for each returned row. The default is {@link rowsOfOne}. */
  rowsOfOne?: number;
  /** Why the page examines rows that it does not return. Its rows are then not limited. */
  examines?: string;
  /** How often the page is read. The default is once. */
  reads?: number;
  /** The rows read for the grants of the caller, in addition to those of one grant. The default is none. */
  rowsOfGrants?: number;
  /** Count the second page, which the token of the first one leads to. */
  second?: boolean;
}

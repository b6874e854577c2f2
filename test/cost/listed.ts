/** A List of version 2, and the ways to call it. */

export type Query = Record<string, string>;

/** A resource: its RPC, its collection, and further ways to list it. */
export interface Listed {
  rpc: string;
  path: string;
  /** Orders in addition to uid and the two times. */
  orders: string[];
  /** The times that it can be sorted by. The default is both. */
  times?: string[];
  /** Filters, by the names of their cases. */
  filters?: Record<string, Query>;
  /** Filters that an index serves page by page. */
  pages?: Record<string, Query>;
  /** Rows read for each returned row, if its message has more than those of the contract. */
  rowsOfOne?: number;
  /** Filters that no index has. */
  examining?: Record<string, Query>;
  /** The parent of the rows. The default is the team. */
  parent?: string;
}

import type { Sql } from "./sql.ts";

/** The two databases of a move, its organization, and the difference between the numbers of events. */
export interface Route {
  source: Sql;
  target: Sql;
  root: string;
  shift: number;
  /** The most rows of a page. A table with long rows has fewer. */
  maxPage: number;
}

/** The columns of tables. */
import type { ComponentChildren } from "preact";

/** A column. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** The width as a track of a CSS grid, such as `12rem` or `minmax(8rem, 2fr)`. The default is an equal share. */
  width?: string;
  /** The name of the field in `order_by`, if the list can be sorted by it. */
  sort?: string;
  align?: "end";
  /** Whether only screen readers get the title, for a column of buttons. */
  isTitleHidden?: boolean;
  /**
   * From which width of the window on the column shows: `medium` is 700 px, `wide` is 1100 px. In a window that is less
   * wide, it shows in the rows that the person opens.
   */
  from?: "medium" | "wide";
}

/** The classes of a cell, also of one in the head. */
export const classOf = <Row>({ align, from }: Column<Row>): string =>
  ["cell", align === "end" ? "end" : "", from ? `from-${from}` : ""].filter(Boolean).join(" ");

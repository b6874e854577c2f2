/** The rows of a table that are open, and their heights. */
import { useCallback, useState } from "preact/hooks";
import type { RowWindow } from "../data/rows.ts";

/** In CSS pixels, of a row that is not open. `table.css` has the same. */
const rowHeight = 44;

/** The heights of the open rows, by the key of the row. */
type Heights = ReadonlyMap<string, number>;

const none: Heights = new Map();

/** The rows that are open. A row stays open when it moves to another place of the list. */
export function useOpenRows<Row>(rows: RowWindow<Row>, keyOf: (row: Row) => string) {
  const [heights, setHeights] = useState(none);
  const toggle = useCallback((key: string) => {
    setHeights((before) => {
      const after = new Map(before);
      if (!after.delete(key)) after.set(key, rowHeight);
      return after;
    });
  }, []);
  const setHeight = useCallback((key: string, height: number) => {
    setHeights((before) =>
      before.has(key) && before.get(key) !== height ? new Map(before).set(key, height) : before,
    );
  }, []);
  const heightOf = (index: number): number => {
    const row = heights.size === 0 ? undefined : rows.row(index);
    return (row && heights.get(keyOf(row))) ?? rowHeight;
  };
  return {
    isOpen: (key: string | undefined) => key !== undefined && heights.has(key),
    toggle,
    setHeight,
    heightOf,
    /** The places and the heights of the open rows among these, as one text. */
    placesOf: (items: readonly { index: number }[]): string =>
      heights.size === 0 ? "" : items.map(({ index }) => `${index}:${heightOf(index)}`).join(" "),
  };
}

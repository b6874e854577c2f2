/** Sorts rows that are in the browser. */

/** The values of rows by the name of a field. A row without a value comes last in both directions. */
export type SortKeys<Row> = Record<string, (row: Row) => string | number | undefined>;

const collator = new Intl.Collator("en", { numeric: true });

/**
 * Returns the rows in the order of `orderBy`, such as `name desc`. Rows with equal values, and all rows if the field is not
 * known, keep their order.
 */
export function sorted<Row>(rows: readonly Row[], orderBy: string, keys: SortKeys<Row>): Row[] {
  const [field = "", direction] = orderBy.split(" ");
  const key = Object.hasOwn(keys, field) ? keys[field] : undefined;
  if (!key) return [...rows];
  const sign = direction === "desc" ? -1 : 1;
  return rows
    .map((row) => ({ row, value: key(row) }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined);
      return sign * compare(a.value, b.value);
    })
    .map(({ row }) => row);
}

const compare = (a: string | number, b: string | number) =>
  typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));

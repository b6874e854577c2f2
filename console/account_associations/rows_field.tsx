/** A list of small forms: each row can be removed, and a button adds one. */
import type { ComponentChildren } from "preact";
import { Button } from "../elements/button.tsx";

interface RowsProps<Row> {
  rows: readonly Row[];
  /** A row without values. */
  fresh: Row;
  /** The word for a row, such as `application`. */
  noun: string;
  onChange: (rows: Row[]) => void;
  /** The fields of a row. `change` replaces some of its values. */
  children: (row: Row, change: (values: Partial<Row>) => void) => ComponentChildren;
}

export function RowsField<Row extends object>(props: RowsProps<Row>) {
  const { rows, fresh, noun, onChange, children } = props;
  return (
    <>
      {rows.map((row, index) => (
        // Rows have no identity of their own.
        <fieldset key={index} class="account-associations-row">
          <legend class="out-of-sight">
            {noun} {index + 1}
          </legend>
          {children(row, (values) =>
            onChange(
              rows.map((other, position) => (position === index ? { ...other, ...values } : other)),
            ),
          )}
          <Button onClick={() => onChange(rows.filter((_, position) => position !== index))}>
            Remove
          </Button>
        </fieldset>
      ))}
      <div>
        <Button onClick={() => onChange([...rows, fresh])}>Add {noun}</Button>
      </div>
    </>
  );
}

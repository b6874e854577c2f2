/** Tables. Only the rows on the screen are elements, so a table can have any number of rows. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RowWindow } from "../data/rows.ts";
import { Button } from "./button.tsx";
import { formatCount } from "./bytes.ts";
import { type Column, classOf } from "./column.ts";
import { ErrorNotice } from "./error_notice.tsx";
import { useOpenRows } from "./open_rows.ts";
import { Loading } from "./states.tsx";
import { UnchangedLine } from "./table_line.tsx";
import { useWindowRows } from "./virtual.ts";

export type { Column } from "./column.ts";

/** The order of a list, as the API takes it: `name` or `update_time desc`. */
export interface Sorting {
  orderBy: string;
  onSort: (orderBy: string) => void;
}

interface TableProps<Row> {
  /** A name of the table for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: RowWindow<Row>;
  keyOf: (row: Row) => string;
  /** Replaces the table if there are no rows. */
  empty: ComponentChildren;
  sorting?: Sorting;
  /** Whether a row is the one that the page is about. It is then marked, also for screen readers. */
  isCurrent?: (row: Row) => boolean;
  /** Says which row the pointer or the focus is on. */
  onPoint?: (row: Row | undefined) => void;
}

/** A table that scrolls with the page. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, empty, sorting, isCurrent, onPoint } = props;
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(top - offset) > 1) setOffset(top);
  });
  const open = useOpenRows(rows, keyOf);
  const { items, height, measure } = useWindowRows({
    ...{ count: rows.count, offset, heightOf: open.heightOf },
  });
  useLayoutEffect(measure, [open.placesOf(items)]);
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useLayoutEffect(() => rows.show(first, last), [first, last, rows.count]);
  if (rows.isLoading) return <Loading lines={8} what={`Loading ${label}`} />;
  if (rows.error && rows.count === 0)
    return <ErrorNotice error={rows.error} retry={() => rows.retry()} />;
  if (rows.count === 0) return rows.lookFurther ? <LookFurther rows={rows} /> : empty;
  const tracks = (shown: Column<Row>[]) =>
    shown.map(({ width = "minmax(6rem, 1fr)" }) => width).join(" ");
  const style = {
    "--tracks": tracks(columns.filter(({ from }) => from === undefined)),
    "--tracks-medium": tracks(columns.filter(({ from }) => from !== "wide")),
    "--tracks-wide": tracks(columns),
  };
  return (
    <>
      <div
        class={tableClass(columns)}
        role="table"
        aria-label={label}
        aria-rowcount={rows.isComplete ? rows.count + 1 : -1}
        style={style}
      >
        <Head columns={columns} {...(sorting ? { sorting } : {})} />
        <div class="table-body" role="rowgroup" ref={body} style={{ height: `${height}px` }}>
          {items.map(({ index, start }) => {
            const row = rows.row(index);
            const key = row === undefined ? undefined : keyOf(row);
            return (
              <UnchangedLine
                key={key ?? index}
                columns={columns}
                row={row}
                rowKey={key}
                index={index}
                top={start - offset}
                isCurrent={row !== undefined && isCurrent?.(row) === true}
                isOpen={open.isOpen(key)}
                onToggle={open.toggle}
                onHeight={open.setHeight}
                onPoint={onPoint}
              />
            );
          })}
        </div>
      </div>
      {rows.lookFurther && <LookFurther rows={rows} />}
      {rows.error && <ErrorNotice error={rows.error} retry={() => rows.retry()} />}
    </>
  );
}

/** The end of a list that was read for long without a match. */
function LookFurther({ rows }: { rows: RowWindow<unknown> }) {
  return (
    <p class="look-further">
      {rows.count === 0 ? "Nothing matches so far." : "Nothing more matches so far."}{" "}
      <Button onClick={() => rows.lookFurther?.()}>Look further</Button>
    </p>
  );
}

/** Says at which widths rows can be opened. */
function tableClass<Row>(columns: Column<Row>[]): string {
  const opens = (width: "medium" | "wide") => columns.some(({ from }) => from === width);
  if (opens("wide")) return "table opens-narrow opens-medium";
  return opens("medium") ? "table opens-narrow" : "table";
}

function Head<Row>({ columns, sorting }: { columns: Column<Row>[]; sorting?: Sorting }) {
  return (
    <div class="table-head" role="rowgroup">
      <div class="table-row" role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <Heading key={column.title} column={column} {...(sorting ? { sorting } : {})} />
        ))}
        <div class="table-more" role="columnheader">
          <span class="out-of-sight">More columns</span>
        </div>
      </div>
    </div>
  );
}

function Heading<Row>({ column, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const { title, sort } = column;
  const [field, direction] = sorting?.orderBy.split(" ") ?? [];
  const isSorted = sort !== undefined && field === sort;
  const isDescending = isSorted && direction === "desc";
  const next = isSorted && !isDescending ? `${sort} desc` : (sort ?? "");
  return (
    <div
      class={classOf(column)}
      role="columnheader"
      aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
    >
      {sorting && sort !== undefined ? (
        <button type="button" class="sort" onClick={() => sorting.onSort(next)}>
          {title}
          <span aria-hidden="true">{isSorted ? (isDescending ? " ↓" : " ↑") : ""}</span>
        </button>
      ) : (
        <span class={column.isTitleHidden ? "out-of-sight" : undefined}>{title}</span>
      )}
    </div>
  );
}

/** The number of rows, as a line above a table. */
export function RowCount({ rows, noun }: { rows: RowWindow<unknown>; noun: [string, string] }) {
  if (rows.isLoading) return <span class="pale">…</span>;
  // Nothing is known about a list that could not be read.
  if (rows.error && rows.count === 0) return null;
  const [singular, many] = noun;
  const more = rows.isComplete ? "" : "more than ";
  // The row that is on its way is not known to exist.
  const known = rows.isComplete || rows.lookFurther ? rows.count : rows.count - 1;
  return (
    <span class="pale" role="status">
      {more}
      {formatCount(known)} {known === 1 ? singular : many}
    </span>
  );
}

/** The rows of an array as a window, for lists that are small. */
export const rowsOf = <Row,>(all: readonly Row[]): RowWindow<Row> => ({
  count: all.length,
  isComplete: true,
  row: (index) => all[index],
  show() {},
  isLoading: false,
  error: null,
  retry() {},
});

/** A line of a table. In a narrow window it can be opened, and then shows the columns that have no room. */
import { memo } from "preact/compat";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { type Column, classOf } from "./column.ts";
import { Icon } from "./icon.tsx";

interface LineProps<Row> {
  columns: Column<Row>[];
  /** Undefined while it is on its way. */
  row: Row | undefined;
  rowKey: string | undefined;
  index: number;
  /** In CSS pixels. */
  top: number;
  isCurrent: boolean;
  isOpen: boolean;
  onToggle: (key: string) => void;
  /** Gets the height of an open line in CSS pixels. */
  onHeight: (key: string, height: number) => void;
  onPoint: ((row: Row | undefined) => void) | undefined;
}

/** Elements that have a task of their own when a person taps them. */
const controls = "a, button, input, select, textarea, label, summary, .menu-actions";

function Line<Row>(props: LineProps<Row>) {
  const { columns, row, rowKey, index, top, isCurrent, isOpen, onToggle, onPoint } = props;
  const line = useRef<HTMLDivElement>(null);
  const id = useId();
  // A box that selects the line can come before its name.
  const named = columns.findIndex(({ isTitleHidden }) => isTitleHidden !== true);
  useHeight(line, props);
  const toggle = (target: EventTarget | null) => {
    // Where all columns have room, there is no button.
    const more = line.current?.querySelector(".table-more");
    if (rowKey === undefined || !more?.checkVisibility()) return;
    const isControl = target instanceof Element && target.closest(controls) !== null;
    const isSelected = getSelection()?.isCollapsed === false;
    if (!isControl && !isSelected) onToggle(rowKey);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button in the line takes the keys.
    <div
      ref={line}
      class={isOpen ? "table-row open" : "table-row"}
      role="row"
      aria-rowindex={index + 2}
      aria-current={isCurrent ? "true" : undefined}
      style={{ top: `${top}px` }}
      onClick={({ target }) => toggle(target)}
      onPointerEnter={onPoint && (() => onPoint(row))}
      onPointerLeave={onPoint && (() => onPoint(undefined))}
      onFocusCapture={onPoint && (() => onPoint(row))}
      onBlurCapture={onPoint && (() => onPoint(undefined))}
    >
      {columns.map((column, place) => (
        <div
          key={column.title}
          class={classOf(column)}
          role="cell"
          id={place === named ? `${id}-name` : undefined}
        >
          {row === undefined ? <span class="bar" /> : column.cell(row)}
        </div>
      ))}
      {rowKey !== undefined && (
        <MoreButton id={id} isOpen={isOpen} onClick={() => onToggle(rowKey)} />
      )}
      {isOpen && row !== undefined && <Details id={`${id}-details`} columns={columns} row={row} />}
    </div>
  );
}

/** The button that opens a line. It is named after the first cell with a title. */
function MoreButton({ id, isOpen, onClick }: { id: string; isOpen: boolean; onClick: () => void }) {
  return (
    <div class="table-more" role="cell">
      <button
        type="button"
        id={`${id}-more`}
        aria-label="More about"
        aria-labelledby={`${id}-more ${id}-name`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-details` : undefined}
        onClick={onClick}
      >
        <Icon name="expand" />
      </button>
    </div>
  );
}

/** The columns that a narrow window hides. Each disappears at the width at which its column shows. */
function Details<Row>({ id, columns, row }: { id: string; columns: Column<Row>[]; row: Row }) {
  return (
    <div class="table-details" role="cell" id={id}>
      <dl>
        {columns.map(
          ({ title, cell, from }) =>
            from && (
              <div key={title} class={`until-${from}`}>
                <dt>{title}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}

/** Reports the height of an open line, which depends on its contents and on the width of the window. */
function useHeight<Row>(
  line: { current: HTMLDivElement | null },
  { isOpen, rowKey, onHeight }: LineProps<Row>,
): void {
  useLayoutEffect(() => {
    const element = line.current;
    if (!isOpen || rowKey === undefined || !element) return;
    const report = () => onHeight(rowKey, element.getBoundingClientRect().height);
    report();
    const observer = new ResizeObserver(report);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen, rowKey]);
}

/** A line that renders again only if something about it is new. While a table scrolls, most lines stay. */
export const UnchangedLine = memo(Line) as typeof Line;

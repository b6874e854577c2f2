/**
 * The shapes that the picture draws for the records. A record that is wide enough is a bar of its own. All others share columns, one
 * for each pixel, so the number of shapes depends on the width and not on the number of records.
 */
import type { TimeRange } from "./range.ts";
import { Kind, type Records } from "./records.ts";

/** The narrowest bar, in pixels. */
export const narrowestBar = 2;

/** The width of a place for a mark, in pixels. Each place has at most one mark. */
export const markWidth = 12;

/** The meanings of shapes and marks. A higher number wins if several records share a place. */
export const Sign = { moved: 0, created: 1, rolledBack: 2, deleted: 3, warned: 4 } as const;

/** The signs by the number of the kind, which begins with 1. */
const signs: readonly number[] = [
  Sign.moved,
  ...[Sign.created, Sign.moved, Sign.rolledBack, Sign.deleted],
];

/** The sign of a record. */
export const signOf = (records: Records, index: number): number =>
  records.isWarned(index) ? Sign.warned : (signs[records.kindOf(index)] ?? Sign.moved);

/** A record on its own. `left` and `right` are in pixels, and the life in milliseconds. */
export interface Bar {
  index: number;
  left: number;
  right: number;
  life: number;
  sign: number;
}

/** Records that begin within one pixel. Lives are in milliseconds. */
export interface Column {
  left: number;
  right: number;
  count: number;
  longest: number;
  /** The sum of their lives. */
  total: number;
  /** The number of records with a sign besides a plain move, and the greatest of their signs. */
  special: number;
  sign: number;
}

/** A record with a sign besides a plain move, at the place where it begins. */
export interface Mark {
  left: number;
  sign: number;
  /** The records that share the place. */
  count: number;
}

/** Everything that the picture draws. */
export interface Shapes {
  bars: Bar[];
  columns: Column[];
  /** The times without the tag, in pixels. */
  gaps: { left: number; right: number }[];
  marks: Mark[];
  /** The number of records that these shapes stand for. */
  count: number;
}

/** Returns the shapes of the records in a range, from left to right. `width` is in pixels. */
export function decimate(records: Records, range: TimeRange, width: number, now: number): Shapes {
  const shapes: Shapes = { bars: [], columns: [], gaps: [], marks: [], count: 0 };
  const { first, last } = records.within(range.from, range.to);
  const scale = width / (range.to - range.from);
  for (let index = last; index >= first; index -= 1) {
    const [time, end] = [records.timeOf(index), records.endOf(index, now)];
    const left = Math.max(0, (time - range.from) * scale);
    const right = Math.min(width, (end - range.from) * scale);
    const sign = signOf(records, index);
    shapes.count += 1;
    if (sign !== Sign.moved && time >= range.from) addMark(shapes.marks, left, sign);
    const life = end - time;
    if (records.kindOf(index) === Kind.deleted) addGap(shapes.gaps, left, right);
    else if (right - left >= narrowestBar) shapes.bars.push({ index, left, right, life, sign });
    else addToColumn(shapes.columns, Math.min(left, width - 1), right, life, sign);
  }
  return shapes;
}

function addToColumn(columns: Column[], start: number, right: number, life: number, sign: number) {
  const left = Math.floor(start);
  const column = columns.at(-1);
  if (column?.left !== left) {
    const end = Math.max(left + 1, right);
    const special = sign === Sign.moved ? 0 : 1;
    columns.push({ left, right: end, count: 1, longest: life, total: life, special, sign });
    return;
  }
  column.right = Math.max(column.right, right);
  column.count += 1;
  column.longest = Math.max(column.longest, life);
  column.total += life;
  if (sign !== Sign.moved) column.special += 1;
  column.sign = Math.max(column.sign, sign);
}

/** A gap of less than a pixel has a mark only. */
function addGap(gaps: Shapes["gaps"], left: number, right: number): void {
  if (right - left < 1) return;
  gaps.push({ left, right });
}

function addMark(marks: Mark[], position: number, sign: number): void {
  const left = Math.floor(position / markWidth) * markWidth;
  const mark = marks.at(-1);
  if (mark?.left !== left) {
    marks.push({ left, sign, count: 1 });
    return;
  }
  mark.count += 1;
  mark.sign = Math.max(mark.sign, sign);
}

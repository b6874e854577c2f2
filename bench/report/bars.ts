/** Draws horizontal bars, with a group for each x, so that long names are readable. The bound is a line across them. */
import { scaleBand } from "d3-scale";
import type { Chart } from "./findings.ts";
import { compactNumber, valueScale } from "./scale.ts";
import {
  colorAt,
  colors,
  element,
  label,
  segment,
  textWidth,
  truncateToWidth,
  width,
} from "./svg.ts";

const barHeight = 14;
const gap = 10;
/** The room for the value after the longest bar. */
const right = 60;
const widestName = 300;

/** One bar in pixels, and its value. */
interface Bar {
  from: number;
  to: number;
  y: number;
  value: number;
  fill: string;
}

/** Draws below `top` and returns the content and its bottom. */
export function drawBars(chart: Chart, top: number): { content: string[]; bottom: number } {
  const names = [
    ...new Set(chart.series.flatMap(({ points }) => points.map(({ x }) => String(x)))),
  ];
  const left = 24 + Math.min(widestName, Math.max(...names.map((name) => textWidth(name))));
  const values = chart.series.flatMap(({ points }) => points.map(({ y }) => y));
  const bounds = chart.bound === undefined ? [] : [chart.bound];
  const log = chart.logY ?? false;
  const x = valueScale([...values, ...bounds], [left, width - right], { log });
  const start = top + (chart.bound === undefined ? 0 : 14);
  const end = start + names.length * (chart.series.length * barHeight + gap);
  const rows = scaleBand(names, [start, end]);
  const all = chart.series.flatMap(({ points }, index) =>
    points.map((point): Bar => {
      const y = (rows(String(point.x)) ?? start) + gap / 2 + index * barHeight;
      const from = x(x.ticks[0] ?? 0);
      return { from, to: Math.max(from + 1, x(point.y)), y, value: point.y, fill: colorAt(index) };
    }),
  );
  const content = [
    ...x.ticks.flatMap((tick) => [
      segment([x(tick), start], [x(tick), end], colors.grid),
      label(
        compactNumber(tick),
        { x: x(tick), y: end + 16, anchor: "middle" },
        { color: colors.faint },
      ),
    ]),
    ...names.map((name) => {
      const y = (rows(name) ?? start) + rows.bandwidth() / 2 + 4;
      return label(truncateToWidth(name, widestName), { x: left - 8, y, anchor: "end" });
    }),
    ...all.map(({ from, to, y, fill }) =>
      element("rect", { x: from, y: y + 1, width: to - from, height: barHeight - 2, rx: 2, fill }),
    ),
    ...bounds.map((bound) => boundLine(x(bound), start, end, bound)),
    ...all.map(valueText),
    segment([left, start], [left, end], colors.axis),
    label(
      log ? `${chart.yTitle} (logarithmic)` : chart.yTitle,
      { x: (left + width - right) / 2, y: end + 36, anchor: "middle" },
      { color: colors.faint },
    ),
  ];
  return { content, bottom: end + 38 };
}

/** Writes the value inside its bar, or after a bar that is too short for it. */
function valueText({ from, to, y, value, fill }: Bar): string {
  const text = compactNumber(value);
  const position = { y: y + barHeight - 3 };
  if (to - from > textWidth(text, 11) + 12) {
    const style = { size: 11, color: colors.card, halo: fill };
    return label(text, { ...position, x: to - 6, anchor: "end" }, style);
  }
  return label(text, { ...position, x: to + 5 }, { size: 11, halo: colors.card });
}

const boundLine = (x: number, start: number, end: number, bound: number) =>
  segment([x, start - 2], [x, end], colors.bound, {
    "stroke-width": 1.5,
    "stroke-dasharray": "5 3",
  }) +
  label(
    `goal: ${compactNumber(bound)}`,
    { x, y: start - 6, anchor: "middle" },
    { size: 11, color: colors.bound },
  );

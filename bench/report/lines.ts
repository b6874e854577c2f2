/** Draws lines with a dot for each point. The bound is a line across them. */
import { scalePoint } from "d3-scale";
import { line } from "d3-shape";
import type { Chart, Series } from "./findings.ts";
import { compactNumber, valueScale } from "./scale.ts";
import { colorAt, colors, element, label, segment, width } from "./svg.ts";

const left = 76;
const right = 36;
const height = 280;

/** The position of an x in pixels, and the texts below the axis. */
interface Across {
  (x: string | number): number;
  ticks: { position: number; text: string }[];
}

/** Numbers are on a scale of values. If any x is a name, all of them are at equal distances. */
function acrossOf({ series, logX = false }: Chart): Across {
  const all = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))];
  const range: [number, number] = [left + 12, width - right];
  const numbers = all.filter((x) => typeof x === "number");
  if (numbers.length === all.length) {
    const scale = valueScale(numbers, range, { log: logX, fromZero: false });
    const ticks = scale.ticks.map((tick) => ({ position: scale(tick), text: compactNumber(tick) }));
    return Object.assign((x: string | number) => scale(Number(x)), { ticks });
  }
  const scale = scalePoint(all.map(String), range).padding(0.3);
  const across = (x: string | number) => scale(String(x)) ?? left;
  return Object.assign(across, {
    ticks: all.map((x) => ({ position: across(x), text: String(x) })),
  });
}

/** Draws below `top` and returns the content and its bottom. */
export function drawLines(chart: Chart, top: number): { content: string[]; bottom: number } {
  const start = top + 10;
  const end = start + height;
  const log = chart.logY ?? false;
  const bounds = chart.bound === undefined ? [] : [chart.bound];
  const values = chart.series.flatMap(({ points }) => points.map(({ y }) => y));
  const y = valueScale([...values, ...bounds], [end, start], { log });
  const x = acrossOf(chart);
  const content = [
    ...y.ticks.flatMap((tick) => [
      segment([left, y(tick)], [width - right + 12, y(tick)], colors.grid),
      label(
        compactNumber(tick),
        { x: left - 8, y: y(tick) + 4, anchor: "end" },
        { color: colors.faint },
      ),
    ]),
    ...x.ticks.map(({ position, text }) =>
      label(text, { x: position, y: end + 20, anchor: "middle" }, { color: colors.faint }),
    ),
    segment([left, end], [width - right + 12, end], colors.axis),
    ...chart.series.map((series, index) => curve(series, x, y, colorAt(index))),
    ...bounds.map((bound) => boundLine(y(bound), bound)),
    label(
      chart.logX ? `${chart.xTitle} (logarithmic)` : chart.xTitle,
      { x: (left + width - right) / 2, y: end + 42, anchor: "middle" },
      { color: colors.faint },
    ),
    label(
      log ? `${chart.yTitle} (logarithmic)` : chart.yTitle,
      { x: 22, y: (start + end) / 2, anchor: "middle" },
      { color: colors.faint, turn: -90 },
    ),
  ];
  return { content, bottom: end + 44 };
}

function curve(
  { points }: Series,
  across: (x: string | number) => number,
  up: (y: number) => number,
  color: string,
): string {
  const places = points.map(({ x, y }): [number, number] => [across(x), up(y)]);
  const path = line().digits(1)(places) ?? "";
  const dots = places.map(([cx, cy]) => element("circle", { cx, cy, r: 3.5, fill: color }));
  return [
    element("path", { d: path, fill: "none", stroke: color, "stroke-width": 2 }),
    ...dots,
  ].join("");
}

const boundLine = (y: number, bound: number) =>
  segment([left, y], [width - right + 12, y], colors.bound, {
    "stroke-width": 1.5,
    "stroke-dasharray": "5 3",
  }) +
  label(
    `goal: ${compactNumber(bound)}`,
    { x: width - right + 10, y: y - 6, anchor: "end" },
    { size: 11, color: colors.bound },
  );

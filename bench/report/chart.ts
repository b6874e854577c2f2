/** Draws charts as SVG. Scales and ticks come from d3-scale, lines from d3-shape. */
import { drawBars } from "./bars.ts";
import type { Chart, Series } from "./findings.ts";
import { drawLines } from "./lines.ts";
import { colorAt, element, label, picture, textWidth, width } from "./svg.ts";

/** Returns the chart as the text of an SVG file. Throws an Error if there is nothing to draw. */
export function drawChart(chart: Chart): string {
  const values = chart.series.flatMap(({ points }) => points.map(({ y }) => y));
  if (values.length === 0) throw new Error(`chart ${chart.name} has no points`);
  const isDrawable = values.every((value) => Number.isFinite(value) && (!chart.logY || value > 0));
  if (!isDrawable) throw new Error(`chart ${chart.name} has values that cannot be drawn`);
  const legend = legendOf(chart.series);
  const body =
    chart.kind === "bars" ? drawBars(chart, legend.bottom) : drawLines(chart, legend.bottom);
  return picture(chart.title, body.bottom + 12, [...legend.content, ...body.content]);
}

/** Returns the names of the series below the title, or nothing for a single series. */
function legendOf(series: Series[]): { content: string[]; bottom: number } {
  if (series.length < 2) return { content: [], bottom: 46 };
  const content: string[] = [];
  let x = 20;
  let y = 54;
  for (const [index, { name }] of series.entries()) {
    const room = 18 + textWidth(name) + 18;
    if (x > 20 && x + room > width) [x, y] = [20, y + 20];
    content.push(
      element("rect", { x, y: y - 10, width: 12, height: 12, rx: 3, fill: colorAt(index) }),
      label(name, { x: x + 18, y }),
    );
    x += room;
  }
  return { content, bottom: y + 16 };
}

import { describe, expect, test } from "vitest";
import { drawChart } from "../../../bench/report/chart.ts";
import type { Chart } from "../../../bench/report/findings.ts";

const bars: Chart = {
  name: "speed",
  title: "Platform & bare",
  kind: "bars",
  xTitle: "call",
  yTitle: "times",
  bound: 1.3,
  series: [
    { name: "1 connection", points: [{ x: "Get", y: 0.5 }].concat({ x: "List", y: 1 }) },
    { name: "16 connections", points: [{ x: "Get", y: 1.5 }].concat({ x: "List", y: 2 }) },
  ],
};
const lines: Chart = { ...bars, kind: "lines", logX: true, xTitle: "rows", yTitle: "rows read" };
lines.series = [
  { name: "tags", points: [1_000, 100_000, 1_000_000].map((x) => ({ x, y: 60 })) },
  { name: "groups", points: [1_000, 100_000, 1_000_000].map((x) => ({ x, y: x / 1_000 })) },
];

/** The attributes of all elements with a name. Numeric values are numbers. */
const elements = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(`<${name} ([^>]*?)/?>`, "g"))].map(([, text = ""]) =>
    Object.fromEntries(
      [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [
        key,
        /^-?[\d.]+$/.test(value) ? Number(value) : value,
      ]),
    ),
  );

/** The lengths of the bars, from the top. */
const lengths = (svg: string) =>
  elements(svg, "rect")
    .filter(({ rx }) => rx === 2)
    .toSorted((a, b) => Number(a.y) - Number(b.y))
    .map(({ width }) => Number(width));

describe("bars", () => {
  test("have lengths proportional to their values, group by group", () => {
    const [first = 0, ...others] = lengths(drawChart(bars));
    expect(others.map((length) => Math.round((length / first) * 100) / 100)).toEqual([3, 2, 4]);
  });

  test("are drawn behind the bound, at the position of its value", () => {
    const svg = drawChart(bars);
    const [axis, bound] = [
      elements(svg, "line").find(({ stroke }) => stroke === "#8c959f"),
      elements(svg, "line").find((line) => line["stroke-dasharray"]),
    ];
    const [unit = 0] = lengths(svg).map((length) => length / 0.5);
    expect(Number(bound?.x1) - Number(axis?.x1)).toBeCloseTo(1.3 * unit, 0);
    expect(svg).toContain("goal: 1.3");
  });

  test("on a logarithmic scale are drawn only for values above zero", () => {
    expect(lengths(drawChart({ ...bars, logY: true }))).toHaveLength(4);
    const zero: Chart = { ...bars, logY: true, series: [{ name: "", points: [{ x: "a", y: 0 }] }] };
    expect(() => drawChart(zero)).toThrow("cannot be drawn");
  });
});

describe("lines", () => {
  const dots = elements(drawChart(lines), "circle").map(({ cx, cy }) => [Number(cx), Number(cy)]);

  test("are level if a value does not grow, and otherwise rise", () => {
    const heights = dots.map(([, y]) => y);
    expect(new Set(heights.slice(0, 3)).size).toBe(1);
    expect(heights.slice(3)).toEqual(heights.slice(3).toSorted((a = 0, b = 0) => b - a));
  });

  test("with a logarithmic x have equal widths for each power of ten", () => {
    const [first = 0, second = 0, third = 0] = dots.map(([x]) => x);
    expect((second - first) / (third - second)).toBeCloseTo(2, 1);
  });

  test("are side by side if x is a name", () => {
    const named: Chart = { ...lines, series: [{ name: "", points: [] }] };
    named.series = [{ name: "", points: ["first", "last", "as-of"].map((x) => ({ x, y: 1 })) }];
    const places = elements(drawChart(named), "circle").map(({ cx }) => Number(cx));
    expect(places[1]).toBeCloseTo(((places[0] ?? 0) + (places[2] ?? 0)) / 2, 1);
  });
});

test("nothing is drawn outside the picture", () => {
  const many = Array.from({ length: 9 }, (_, at) => ({
    name: `a series of a long name, number ${at}`,
    points: [
      { x: "platform.registry.v2.TagMovesService/ImportTagMoves, at the first mention", y: at },
    ],
  }));
  for (const chart of [bars, lines, { ...bars, series: many }, { ...lines, series: many }]) {
    const svg = drawChart(chart);
    const [picture] = elements(svg, "svg");
    for (const { x, y, width = 0 } of [...elements(svg, "rect"), ...elements(svg, "text")]) {
      expect(Number(x) + Number(width)).toBeLessThanOrEqual(Number(picture?.width));
      expect(Number(x)).toBeGreaterThanOrEqual(0);
      expect(Number(y)).toBeLessThanOrEqual(Number(picture?.height));
    }
  }
});

test("text never becomes elements", () => {
  const svg = drawChart({ ...bars, title: 'a < b & "c"' });
  expect(svg).toContain("<title>a &lt; b &amp; &quot;c&quot;</title>");
});

test("several series have a legend, and a single series has none", () => {
  const [first] = bars.series;
  expect(drawChart(bars)).toContain(">16 connections</text>");
  expect(drawChart({ ...bars, series: first ? [first] : [] })).not.toContain(
    ">1 connection</text>",
  );
});

test("the same data give the same chart, and no data are rejected", () => {
  expect(drawChart(lines)).toBe(drawChart(lines));
  expect(() => drawChart({ ...bars, series: [] })).toThrow("chart speed has no points");
});

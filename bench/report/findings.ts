/** What the families of measurements get and what each answers with. */

/** What every family measures on. */
export interface BenchSetup {
  /** Bundle of the whole platform (bench/stage.ts `build`). */
  bundle: string;
  /** Temporary folder for everything a run writes. */
  folder: string;
  /** Rows of the resource, ascending: 1000, 100000, 1000000 unless asked otherwise. */
  sizes: number[];
  /** Progress, on standard error. */
  say(line: string): void;
}

/** One cell of a table; numbers stand to the right. */
export type Cell = string | number;

export interface Table {
  title: string;
  /** Markdown, before the table. */
  text?: string;
  head: string[];
  rows: Cell[][];
}

/** One promise of the platform: what was measured, its bound, and whether it is kept. */
export interface Goal {
  what: string;
  bound: string;
  measured: string;
  kept: boolean;
}

export interface Series {
  name: string;
  points: { x: string | number; y: number }[];
}

export interface Chart {
  /** `speed` is written to bench/speed.svg. */
  name: string;
  title: string;
  kind: "bars" | "lines";
  xTitle: string;
  yTitle: string;
  logX?: boolean;
  logY?: boolean;
  /** The goal, as a line across the chart. */
  bound?: number;
  series: Series[];
}

/** What one family found. */
export interface Findings {
  title: string;
  /** Markdown: what was measured and how, for the reader of RESULTS.md. */
  text: string;
  tables: Table[];
  goals: Goal[];
  charts: Chart[];
}

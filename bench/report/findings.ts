/** The input and the results of a family of measurements. */

/** The input of every family. */
export interface BenchSetup {
  /** The bundle of the whole platform (`build` in bench/stage.ts). */
  bundle: string;
  /** A temporary folder for everything that a run writes. */
  folder: string;
  /** Rows of the resource, ascending. The default is 1000, 100000, 1000000. */
  sizes: number[];
  /** Prints progress on standard error. */
  say(line: string): void;
}

/** One cell of a table. Numbers are aligned to the right. */
export type Cell = string | number;

export interface Table {
  title: string;
  /** Markdown in front of the table. */
  text?: string;
  head: string[];
  rows: Cell[][];
}

/** One goal of the platform: what was measured, its bound, and whether it is met. */
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
  /** The bound of the goal, as a line across the chart. */
  bound?: number;
  series: Series[];
}

/** The results of one family. */
export interface Findings {
  title: string;
  /** Markdown that explains to the reader of RESULTS.md what was measured and how. */
  text: string;
  tables: Table[];
  goals: Goal[];
  charts: Chart[];
}

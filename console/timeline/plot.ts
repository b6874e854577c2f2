/** The picture: axes by uPlot, and the records on top of them. It draws at most once for each frame. */
import uPlot from "uplot";
import { decimate } from "./decimate.ts";
import { type Colors, laneHeight, paintMarks, paintShapes, readColors } from "./paint.ts";
import type { Records } from "./records.ts";
import { heightOf, type LifeScale, ticksOf } from "./scale.ts";
import { tickTexts } from "./time_axis.ts";
import type { View } from "./view.ts";

/** The content of the picture. */
export interface Scene {
  records: Records;
  view: View;
  /** In milliseconds since 1970 UTC. */
  now(): number;
  lives(): LifeScale;
}

const heights = { wide: 340, narrow: 270 };
const axisHeight = 40;
const axisWidth = { wide: 66, narrow: 62 };

/** The picture in an element. */
export class Plot {
  #scene: Scene;
  #element: HTMLElement;
  #plot: uPlot;
  #colors: Colors;
  #frame = 0;
  #onDraw: () => void;

  /** `onDraw` runs after each drawing, to put what lies above the picture in its place. */
  constructor(element: HTMLElement, scene: Scene, onDraw: () => void) {
    this.#scene = scene;
    this.#element = element;
    this.#onDraw = onDraw;
    this.#colors = readColors(element);
    const width = element.clientWidth;
    const end = 32_503_680_000_000;
    // The series only gives the vertical axis a scale. The records are drawn by a hook.
    const data: uPlot.AlignedData = [
      [0, end],
      [1, 1],
    ];
    this.#plot = new uPlot(this.#options(width), data, element);
    this.#follow();
  }

  #options(width: number): uPlot.Options {
    const isWide = width >= 560;
    return {
      width,
      height: isWide ? heights.wide : heights.narrow,
      ms: 1,
      // The range has parts of milliseconds. uPlot would round them up, and place each tick a millisecond early.
      tzDate: (time) => new Date(Math.floor(time)),
      legend: { show: false },
      cursor: { show: false },
      padding: [10, 36, 0, 0],
      scales: {
        x: { time: true, auto: false },
        y: { distr: 3, range: () => this.#verticalRange() },
      },
      series: [{}, { scale: "y", paths: () => null, points: { show: false } }],
      axes: [this.#timeAxis(), this.#lifeAxis(isWide ? axisWidth.wide : axisWidth.narrow)],
      hooks: { draw: [() => this.#paint()] },
    };
  }

  #timeAxis(): uPlot.Axis {
    return {
      ...this.#axisLooks(),
      size: axisHeight,
      space: 64,
      values: (_, times, __, ___, step) => tickTexts(times, step),
    };
  }

  #lifeAxis(size: number): uPlot.Axis {
    const ticks = () => ticksOf(this.#scene.lives(), 24 / this.#barHeight());
    return {
      ...this.#axisLooks(),
      size,
      splits: () => ticks().map(({ life }) => life),
      filter: (_, splits) => splits,
      values: () => ticks().map(({ text }) => text),
    };
  }

  #axisLooks(): Partial<uPlot.Axis> {
    const line = { stroke: () => this.#colors.line, width: 1 };
    return {
      font: `12px ${getComputedStyle(this.#element).fontFamily}`,
      stroke: () => this.#colors.pale,
      grid: line,
      ticks: { ...line, size: 4 },
    };
  }

  /** The height for bars, in CSS pixels. */
  #barHeight(): number {
    const height = this.#plot?.bbox ? this.#plot.bbox.height / uPlot.pxRatio : heights.narrow;
    return Math.max(40, height - laneHeight);
  }

  /** The lane for marks lies below the shortest life. */
  #verticalRange(): [number, number] {
    const { shortest, longest } = this.#scene.lives();
    const lane = laneHeight / this.#barHeight();
    return [shortest * (longest / shortest) ** -lane, longest];
  }

  #paint(): void {
    const { ctx, bbox, scales } = this.#plot;
    const { min, max } = scales.x ?? {};
    if (min === undefined || max === undefined) return;
    const { records, now, lives } = this.#scene;
    const ratio = uPlot.pxRatio;
    const width = bbox.width / ratio;
    const area = {
      left: bbox.left / ratio,
      top: bbox.top / ratio,
      width,
      ratio,
      height: this.#barHeight(),
      scale: lives(),
    };
    const shapes = decimate(records, { from: min, to: max }, width, now());
    ctx.save();
    ctx.scale(ratio, ratio);
    ctx.beginPath();
    ctx.rect(area.left, area.top, width, bbox.height / ratio);
    ctx.clip();
    paintShapes(ctx, shapes, area, this.#colors);
    paintMarks(ctx, shapes.marks, area, this.#colors);
    ctx.restore();
    const { dataset } = this.#element;
    dataset.records = String(shapes.count);
    dataset.shapes = String(shapes.bars.length + shapes.columns.length);
    this.#onDraw();
  }

  #follow(): void {
    const { from: min, to: max } = this.#scene.view.range;
    this.#plot.setScale("x", { min, max });
  }

  /** Draws with the next frame. */
  draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#follow();
    });
  }

  /** Draws again in the colors of the theme. */
  recolor(): void {
    this.#colors = readColors(this.#element);
    this.#plot.redraw(false, true);
  }

  /** Takes the width of its place. */
  resize(): void {
    const { width } = this.#plot;
    if (this.#element.clientWidth === width || this.#element.clientWidth === 0) return;
    const isWide = this.#element.clientWidth >= 560;
    const height = isWide ? heights.wide : heights.narrow;
    this.#plot.setSize({ width: this.#element.clientWidth, height });
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    this.#plot.destroy();
  }

  /** The element above the records, for the pointer and for markers. */
  get over(): HTMLElement {
    return this.#plot.over;
  }

  /** The width of the part with records. */
  get width(): number {
    return this.#plot.bbox.width / uPlot.pxRatio;
  }

  /** The place of a time, in CSS pixels from the left of `over`. */
  leftOf(time: number): number {
    const { from, to } = this.#scene.view.range;
    return ((time - from) / (to - from)) * this.width;
  }

  /** The time below the pointer. */
  timeAt(clientX: number): number {
    const { from, to } = this.#scene.view.range;
    const { left } = this.over.getBoundingClientRect();
    return from + ((clientX - left) / this.width) * (to - from);
  }

  /** The distance of the top of a bar from the top of `over`. */
  topOf(life: number): number {
    const height = this.#barHeight();
    return height - heightOf(life, this.#scene.lives()) * height;
  }
}

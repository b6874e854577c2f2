/** Draws shapes on a canvas. All lengths are in CSS pixels; the caller has scaled the context. */
import { type Bar, type Column, type Mark, markWidth, type Shapes, Sign } from "./decimate.ts";
import { heightOf, type LifeScale } from "./scale.ts";

/** The colors of the theme. */
export interface Colors {
  /** By sign. */
  signs: readonly string[];
  ink: string;
  pale: string;
  line: string;
  paper: string;
}

/** Reads the colors of the theme from the variables of the page. */
export function readColors(element: Element): Colors {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const signs: string[] = [];
  signs[Sign.moved] = of("series-1");
  signs[Sign.created] = of("series-2");
  signs[Sign.rolledBack] = of("series-3");
  signs[Sign.deleted] = of("series-6");
  signs[Sign.warned] = of("series-5");
  return { signs, ink: of("ink"), pale: of("pale"), line: of("line"), paper: of("paper") };
}

/** Where the shapes go. */
export interface Area {
  left: number;
  top: number;
  width: number;
  /** The height for bars, without the lane for marks below. */
  height: number;
  scale: LifeScale;
  /** Pixels of the screen for each CSS pixel. */
  ratio: number;
}

/** The height of the lane for marks. */
export const laneHeight = 20;

/** The lowest bar, so that the shortest life can be seen. */
const lowest = 3;

type Canvas = CanvasRenderingContext2D;

/** Draws everything below the marks: bars, columns and gaps. */
export function paintShapes(canvas: Canvas, shapes: Shapes, area: Area, colors: Colors): void {
  paintGaps(canvas, shapes.gaps, area, colors);
  const { left: x, top, height, scale } = area;
  const topOf = (life: number) => top + height - Math.max(lowest, heightOf(life, scale) * height);
  const colorOf = (sign: number) => colors.signs[sign] ?? colors.ink;
  for (const bar of shapes.bars) paintBar(canvas, bar, area, colorOf(bar.sign), topOf(bar.life));
  for (const column of shapes.columns) {
    const tops = { longest: topOf(column.longest), usual: topOf(column.total / column.count) };
    // A few records among many have their marks below, and do not color all of them.
    const sign = column.special * 2 > column.count ? column.sign : Sign.moved;
    paintColumn(canvas, column, { x, base: top + height, ...tops }, colorOf(sign));
  }
  canvas.globalAlpha = 1;
}

function paintBar(
  canvas: Canvas,
  { index, left, right }: Bar,
  { left: x, top, height, ratio }: Area,
  color: string,
  barTop: number,
): void {
  const sharp = (length: number) => Math.round(length * ratio) / ratio;
  const start = sharp(x + left);
  const y = sharp(barTop);
  const gap = right - left >= 4 ? 1 : 0;
  const width = sharp(x + right) - gap - start;
  const base = top + height;
  canvas.fillStyle = color;
  // The newest record is still growing.
  canvas.globalAlpha = index === 0 ? 0.35 : 0.55;
  canvas.fillRect(start, y, width, base - y);
  canvas.globalAlpha = 1;
  canvas.fillRect(start, y, width, 2);
}

interface ColumnPlace {
  x: number;
  base: number;
  longest: number;
  usual: number;
}

/** A column shows the longest life pale, and the average life on top of it. */
function paintColumn(
  canvas: Canvas,
  { left, right }: Column,
  { x, base, longest, usual }: ColumnPlace,
  color: string,
): void {
  canvas.fillStyle = color;
  canvas.globalAlpha = 0.3;
  canvas.fillRect(x + left, longest, right - left, base - longest);
  canvas.globalAlpha = 0.55;
  canvas.fillRect(x + left, usual, right - left, base - usual);
}

/** Diagonal lines say that the tag did not exist. */
function paintGaps(canvas: Canvas, gaps: Shapes["gaps"], area: Area, { pale }: Colors): void {
  const { left: x, top, height } = area;
  const bottom = top + height;
  canvas.strokeStyle = pale;
  canvas.lineWidth = 1;
  for (const { left, right } of gaps) {
    canvas.save();
    canvas.beginPath();
    canvas.rect(x + left, top, right - left, height);
    canvas.clip();
    canvas.globalAlpha = 0.35;
    canvas.beginPath();
    const first = Math.floor((left - height) / 8) * 8;
    for (let offset = first; offset < right; offset += 8) {
      canvas.moveTo(x + offset, bottom);
      canvas.lineTo(x + offset + height, top);
    }
    canvas.stroke();
    canvas.restore();
  }
}

/** Draws the marks in the lane below the bars. Each sign has a form of its own, so that its color is not needed. */
export function paintMarks(canvas: Canvas, marks: Mark[], area: Area, colors: Colors): void {
  const y = area.top + area.height + laneHeight / 2 + 1;
  canvas.globalAlpha = 1;
  for (const { left, sign } of marks) {
    const x = area.left + left + markWidth / 2;
    const color = colors.signs[sign] ?? colors.ink;
    canvas.fillStyle = color;
    canvas.strokeStyle = color;
    canvas.lineWidth = 1.75;
    canvas.beginPath();
    signPath(canvas, sign, x, y);
    if (sign === Sign.deleted) canvas.stroke();
    else canvas.fill();
  }
}

/** The form of a sign around a point: a circle, a triangle to the left, a cross or a diamond. */
function signPath(canvas: Canvas, sign: number, x: number, y: number): void {
  const r = 4;
  if (sign === Sign.rolledBack) {
    canvas.moveTo(x - r, y);
    canvas.lineTo(x + r - 0.5, y - r);
    canvas.lineTo(x + r - 0.5, y + r);
  } else if (sign === Sign.deleted) {
    canvas.moveTo(x - r + 0.5, y - r + 0.5);
    canvas.lineTo(x + r - 0.5, y + r - 0.5);
    canvas.moveTo(x + r - 0.5, y - r + 0.5);
    canvas.lineTo(x - r + 0.5, y + r - 0.5);
  } else if (sign === Sign.warned) {
    canvas.moveTo(x, y - r - 0.5);
    canvas.lineTo(x + r + 0.5, y);
    canvas.lineTo(x, y + r + 0.5);
    canvas.lineTo(x - r - 0.5, y);
  } else {
    canvas.arc(x, y, r - 0.5, 0, 2 * Math.PI);
  }
}

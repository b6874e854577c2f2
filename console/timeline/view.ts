/** The part of time that the picture shows now. It changes with every frame of a drag, so no component renders for it. */
import { clamped, moved, showing, spanOf, type TimeRange, zoomed } from "./range.ts";

/** In milliseconds. */
const glideTime = 180;

const prefersStillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The view of one picture. It begins with the whole life of the tag. */
export class View {
  /** The whole life of the tag, until now. */
  bounds: TimeRange;
  range: TimeRange;
  #isWhole: boolean;
  #listeners = new Set<() => void>();
  #frame = 0;

  constructor(bounds: TimeRange, range?: TimeRange) {
    this.bounds = bounds;
    this.#isWhole = range === undefined;
    this.range = range ? clamped(range, bounds) : bounds;
  }

  /** Whether the view shows the whole life, also when more of it becomes known. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The life of the tag is longer than it was: older records came, or time has passed. */
  setBounds(bounds: TimeRange): void {
    const { from, to } = this.bounds;
    if (from === bounds.from && to === bounds.to) return;
    const isAtEnd = this.range.to === to;
    const passed = isAtEnd ? bounds.to - to : 0;
    this.bounds = bounds;
    this.#apply(this.#isWhole ? bounds : moved(this.range, passed, bounds));
  }

  /** Zooms at a time, or at the middle. A factor below 1 shows less. */
  zoom(factor: number, time = (this.range.from + this.range.to) / 2): void {
    this.#stop();
    this.#apply(zoomed(this.range, factor, time, this.bounds));
  }

  /** Moves the view by a time. */
  pan(by: number): void {
    this.#stop();
    this.#apply(moved(this.range, by, this.bounds));
  }

  show(range: TimeRange): void {
    this.#stop();
    this.#apply(clamped(range, this.bounds));
  }

  /** Moves the view so that it contains a time. */
  reveal(time: number): void {
    this.show(showing(this.range, time, this.bounds));
  }

  /** Goes to a range in a few frames, or at once for people who want no motion. */
  glideTo(range: TimeRange): void {
    this.#stop();
    const target = clamped(range, this.bounds);
    if (prefersStillness()) {
      this.#apply(target);
      return;
    }
    const start = this.range;
    const begun = performance.now();
    const step = (now: number) => {
      const part = Math.min(1, Math.max(0, (now - begun) / glideTime));
      const eased = part * (2 - part);
      const between = (a: number, b: number) => (part === 1 ? b : a + (b - a) * eased);
      this.#frame = part < 1 ? requestAnimationFrame(step) : 0;
      this.#apply({
        from: between(start.from, target.from),
        to: between(start.to, target.to),
      });
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Zooms in a few frames. */
  glideZoom(factor: number, time = (this.range.from + this.range.to) / 2): void {
    this.glideTo(zoomed(this.range, factor, time, this.bounds));
  }

  reset(): void {
    this.glideTo(this.bounds);
  }

  #stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #apply(range: TimeRange): void {
    this.range = range;
    this.#isWhole = spanOf(range) >= spanOf(this.bounds) * 0.9999;
    for (const listener of this.#listeners) listener();
  }
}

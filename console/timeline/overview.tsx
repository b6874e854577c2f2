/** The whole life of the tag in a narrow strip. A window in it shows, and moves, the part in the picture. */
import { useEffect, useRef } from "preact/hooks";
import { decimate } from "./decimate.ts";
import { dragged } from "./markers.ts";
import { paintShapes, readColors } from "./paint.ts";
import type { Scene } from "./plot.ts";
import { spanOf, type TimeRange } from "./range.ts";
import { watchSize, watchTheme } from "./watch.ts";

const height = 44;

/** It repeats what the picture and its buttons offer, so screen readers skip it. */
export function Overview({ scene, version }: { scene: Scene; version: number }) {
  const strip = useRef<Strip>();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!element.current) return;
    const made = new Strip(element.current, scene);
    strip.current = made;
    return () => made.stop();
  }, [scene]);
  useEffect(() => strip.current?.draw(), [version]);
  return <div ref={element} class="timeline-overview" aria-hidden="true" />;
}

class Strip {
  #element: HTMLElement;
  #scene: Scene;
  #canvas = document.createElement("canvas");
  #window = document.createElement("div");
  #frame = 0;
  #ends: (() => void)[];

  constructor(element: HTMLElement, scene: Scene) {
    this.#element = element;
    this.#scene = scene;
    this.#window.className = "timeline-window";
    element.append(this.#canvas, this.#window);
    this.#listen();
    this.#ends = [
      watchSize(element, () => this.draw()),
      scene.view.subscribe(() => this.#moveWindow()),
      watchTheme(() => this.draw()),
    ];
  }

  stop(): void {
    for (const end of this.#ends) end();
    cancelAnimationFrame(this.#frame);
    this.#element.replaceChildren();
  }

  /** Draws the records with the next frame. Moving the window needs no drawing. */
  draw(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
      this.#moveWindow();
    });
  }

  #paint(): void {
    const { records, now, lives, view } = this.#scene;
    const width = this.#element.clientWidth;
    const ratio = window.devicePixelRatio;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    const context = this.#canvas.getContext("2d");
    if (!context || width === 0) return;
    context.scale(ratio, ratio);
    const shapes = decimate(records, view.bounds, width, now());
    const area = { left: 0, top: 3, width, height: height - 3, scale: lives(), ratio };
    paintShapes(context, shapes, area, readColors(this.#element));
  }

  #moveWindow(): void {
    const { bounds, range } = this.#scene.view;
    const width = this.#element.clientWidth;
    const left = ((range.from - bounds.from) / spanOf(bounds)) * width;
    const right = ((range.to - bounds.from) / spanOf(bounds)) * width;
    // The handles stay apart, however narrow the part is.
    const shown = Math.max(8, right - left);
    const { style } = this.#window;
    style.transform = `translateX(${Math.min(left, width - shown)}px)`;
    style.width = `${shown}px`;
  }

  #timeAt(clientX: number): number {
    const { bounds } = this.#scene.view;
    const { left, width } = this.#element.getBoundingClientRect();
    return bounds.from + ((clientX - left) / width) * spanOf(bounds);
  }

  #listen(): void {
    const { view } = this.#scene;
    // A click next to the window brings it there, and the same drag continues.
    let offset = 0;
    const pressed = (event: PointerEvent) => {
      const { from, to } = view.range;
      const time = this.#timeAt(event.clientX);
      const isWithin = time >= from && time <= to;
      offset = isWithin ? time - from : (to - from) / 2;
      if (!isWithin) this.#moveTo(event.clientX, offset);
    };
    this.#element.addEventListener("pointerdown", pressed);
    dragged(this.#element, (x) => this.#moveTo(x, offset));
    this.#element.addEventListener("dblclick", () => view.reset());
    for (const side of ["from", "to"] as const) {
      const handle = document.createElement("div");
      handle.className = `timeline-edge edge-${side}`;
      this.#window.append(handle);
      dragged(handle, (x) => this.#resize(side, this.#timeAt(x)));
    }
  }

  #moveTo(clientX: number, offset: number): void {
    const { view } = this.#scene;
    const from = this.#timeAt(clientX) - offset;
    view.show({ from, to: from + spanOf(view.range) });
  }

  #resize(side: keyof TimeRange, time: number): void {
    const { view } = this.#scene;
    const range = { ...view.range };
    range[side] = time;
    if (range.from < range.to) view.show(range);
  }
}

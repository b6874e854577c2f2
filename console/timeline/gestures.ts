/** The pointer on the picture: drag to move it, pinch or turn the wheel to zoom, click to choose a moment. */

/** The effects of gestures. Positions are `clientX` in CSS pixels. */
export interface Gestures {
  pan(pixels: number): void;
  zoom(factor: number, x: number): void;
  hover(x: number | undefined): void;
  choose(x: number, isSecond: boolean): void;
  reset(): void;
  /** Whether there is nothing left to zoom out of, so that the page can scroll. */
  isWhole(): boolean;
}

/** A pointer that moved less than this, in pixels, has clicked. */
const clickDistance = 4;

/** Listens to the pointer on an element until the returned function is called. */
export function listen(element: HTMLElement, gestures: Gestures): () => void {
  const abort = new AbortController();
  const options = { signal: abort.signal };
  const pointers = new Pointers(element, gestures);
  element.addEventListener("pointerdown", (event) => pointers.down(event), options);
  element.addEventListener("pointermove", (event) => pointers.move(event), options);
  element.addEventListener("pointerup", (event) => pointers.up(event, true), options);
  element.addEventListener("pointercancel", (event) => pointers.up(event, false), options);
  element.addEventListener("pointerleave", () => gestures.hover(undefined), options);
  element.addEventListener("dblclick", () => gestures.reset(), options);
  element.addEventListener("wheel", (event) => onWheel(event, gestures), {
    ...options,
    passive: false,
  });
  return () => abort.abort();
}

function onWheel(event: WheelEvent, gestures: Gestures): void {
  const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (isSideways || event.shiftKey) {
    event.preventDefault();
    gestures.pan(-(isSideways ? event.deltaX : event.deltaY));
    return;
  }
  // On the whole life, turning the wheel further scrolls the page.
  if (event.deltaY > 0 && gestures.isWhole()) return;
  event.preventDefault();
  const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
  const turned = Math.max(-300, Math.min(300, event.deltaY * lines));
  // A pinch on a touch pad arrives as small turns with the control key.
  gestures.zoom(Math.exp(turned * (event.ctrlKey ? 0.01 : 0.002)), event.clientX);
}

/** The pointers that are down: one drags, and two pinch. */
class Pointers {
  #element: HTMLElement;
  #gestures: Gestures;
  #places = new Map<number, number>();
  /** Where the only pointer went down. Undefined once it has dragged. */
  #clickAt: number | undefined;

  constructor(element: HTMLElement, gestures: Gestures) {
    this.#element = element;
    this.#gestures = gestures;
  }

  down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#element.setPointerCapture(event.pointerId);
    this.#places.set(event.pointerId, event.clientX);
    this.#clickAt = this.#places.size === 1 ? event.clientX : undefined;
    if (this.#places.size > 1) this.#gestures.hover(undefined);
  }

  move(event: PointerEvent): void {
    const before = this.#places.get(event.pointerId);
    if (before === undefined) {
      this.#gestures.hover(event.clientX);
      return;
    }
    if (this.#clickAt !== undefined) {
      if (Math.abs(event.clientX - this.#clickAt) < clickDistance) return;
      this.#clickAt = undefined;
      this.#element.classList.add("dragging");
      this.#gestures.hover(undefined);
    }
    const other = [...this.#places].find(([id]) => id !== event.pointerId)?.[1];
    this.#places.set(event.pointerId, event.clientX);
    if (other === undefined) this.#gestures.pan(event.clientX - before);
    else this.#pinch(before, event.clientX, other);
  }

  #pinch(before: number, after: number, other: number): void {
    const [wide, narrow] = [Math.abs(after - other), Math.abs(before - other)];
    if (wide > 8 && narrow > 8) this.#gestures.zoom(narrow / wide, (after + other) / 2);
  }

  up(event: PointerEvent, isDone: boolean): void {
    if (!this.#places.delete(event.pointerId)) return;
    this.#element.classList.remove("dragging");
    const clicked = this.#clickAt;
    this.#clickAt = undefined;
    if (isDone && clicked !== undefined) this.#gestures.choose(event.clientX, event.shiftKey);
  }
}

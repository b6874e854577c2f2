/** The elements above the picture: the two moments, which can be dragged, the record below the pointer, and now. */

/** The moments that the person has chosen. In milliseconds since 1970 UTC. */
export interface Moments {
  first: number;
  /** Undefined if nothing is compared. */
  second: number | undefined;
}

/** One of the two moments. */
export type Which = "first" | "second";

/** The elements above the picture. They are moved and never made again, so that a drag costs little. */
export class Markers {
  #moments: Record<Which, HTMLElement>;
  #now: HTMLElement;
  #record: HTMLElement;

  /** `onDrag` gets the position of the pointer, as `clientX`. */
  constructor(over: HTMLElement, onDrag: (which: Which, clientX: number) => void) {
    this.#record = added(over, "timeline-pointed");
    this.#now = added(over, "timeline-now");
    const word = document.createElement("span");
    word.textContent = "now";
    this.#now.append(word);
    this.#moments = {
      second: marker(over, "B", (x) => onDrag("second", x)),
      first: marker(over, "A", (x) => onDrag("first", x)),
    };
  }

  /** Puts a moment in its place. Undefined hides it. `width` is that of the picture. */
  placeMoment(which: Which, left: number | undefined, width: number): void {
    move(this.#moments[which], left, width);
  }

  placeNow(left: number, width: number): void {
    move(this.#now, left, width);
  }

  /** Shows which record the pointer or the keyboard is at. Undefined hides it. */
  placeRecord(bar: { left: number; width: number; top: number } | undefined): void {
    const { style } = this.#record;
    this.#record.hidden = bar === undefined;
    if (!bar) return;
    style.transform = `translateX(${bar.left}px)`;
    style.width = `${bar.width}px`;
    style.top = `${bar.top}px`;
  }
}

function added(over: HTMLElement, name: string): HTMLElement {
  const element = document.createElement("div");
  element.className = name;
  element.hidden = true;
  over.append(element);
  return element;
}

function move(element: HTMLElement, left: number | undefined, width: number): void {
  const isVisible = left !== undefined && left >= -1 && left <= width + 1;
  element.hidden = !isVisible;
  if (isVisible) element.style.transform = `translateX(${left}px)`;
}

/** A line with a handle at its top. */
function marker(over: HTMLElement, letter: string, onDrag: (clientX: number) => void) {
  const line = added(over, `timeline-marker marker-${letter.toLowerCase()}`);
  const handle = document.createElement("div");
  handle.className = "timeline-handle";
  handle.textContent = letter;
  line.append(handle);
  dragged(handle, onDrag);
  return line;
}

/** Calls `onDrag` while the element is dragged. The picture below it does not notice. */
export function dragged(element: HTMLElement, onDrag: (clientX: number) => void): void {
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    element.setPointerCapture(event.pointerId);
  });
  element.addEventListener("pointermove", (event) => {
    if (!element.hasPointerCapture(event.pointerId)) return;
    event.stopPropagation();
    onDrag(event.clientX);
  });
  for (const type of ["pointerup", "click", "dblclick"])
    element.addEventListener(type, (event) => event.stopPropagation());
}

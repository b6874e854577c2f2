/** Rows of which only those on the screen exist as elements (TanStack Virtual, without its adapter for React). */
import {
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

interface VirtualOptions {
  count: number;
  /** The height of a row in CSS pixels. Call `measure` after a height has changed. */
  heightOf: (index: number) => number;
  /** The distance from the top of the page to the first row. */
  offset: number;
}

/** The rows on the screen, and the height of all rows. */
interface VirtualRows {
  items: VirtualItem[];
  height: number;
  /** Asks for all heights again. */
  measure: () => void;
}

/** Rows that scroll with the window. */
export function useWindowRows({ count, heightOf, offset }: VirtualOptions): VirtualRows {
  const [, update] = useReducer((version: number) => version + 1, 0);
  const options = {
    count,
    estimateSize: heightOf,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => window.scrollY,
    scrollMargin: offset,
    overscan: 12,
    onChange: () => update(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    measure: () => virtualizer.measure(),
  };
}

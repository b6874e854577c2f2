/** The keyboard on the picture. */
import type { Which } from "./markers.ts";
import type { Scene } from "./plot.ts";
import { spanOf } from "./range.ts";

/** The things that a key acts on. Records are counted from the newest. */
export interface KeyContext {
  scene: Scene;
  /** The record that the keyboard is at. */
  index: number;
  point(index: number): void;
  choose(which: Which): void;
  leave(): void;
}

type Action = (context: KeyContext) => void;

/** Steps in the direction of time: 1 is to the next newer record. */
const step =
  (records: number): Action =>
  ({ scene, index, point }) =>
    point(Math.min(scene.records.count - 1, Math.max(0, index - records)));

/** One zoom by a key or a button. */
export const keyZoom = 0.6;

const zoom =
  (factor: number): Action =>
  ({ scene, index }) => {
    const time = scene.records.timeOf(index);
    const { range } = scene.view;
    const isVisible = time >= range.from && time <= range.to;
    scene.view.glideZoom(factor, isVisible ? time : undefined);
  };

const pan =
  (part: number): Action =>
  ({ scene }) =>
    scene.view.pan(spanOf(scene.view.range) * part);

const far = Number.MAX_SAFE_INTEGER;

const actions: Record<string, Action> = {
  ArrowLeft: step(-1),
  ArrowDown: step(-1),
  ArrowRight: step(1),
  ArrowUp: step(1),
  PageDown: step(-10),
  PageUp: step(10),
  Home: step(-far),
  End: step(far),
  "+": zoom(keyZoom),
  "=": zoom(keyZoom),
  "-": zoom(1 / keyZoom),
  "0": ({ scene }) => scene.view.reset(),
  Enter: ({ choose }) => choose("first"),
  Escape: ({ leave }) => leave(),
};

const shifted: Record<string, Action> = {
  ArrowLeft: pan(-0.25),
  ArrowRight: pan(0.25),
  Enter: ({ choose }) => choose("second"),
};

/** Returns what a key does. Undefined if the picture does not use it. */
export function keyAction(event: KeyboardEvent): Action | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return (event.shiftKey ? shifted[event.key] : undefined) ?? actions[event.key];
}

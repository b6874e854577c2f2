/** The buttons above the picture, and the words below it. */
import type { ComponentChildren } from "preact";
import { keyZoom } from "./keys.ts";
import type { Scene } from "./plot.ts";
import { day, spanOf } from "./range.ts";
import { signWords } from "./words.ts";

const presets: readonly (readonly [text: string, days: number])[] = [
  ["1 month", 30],
  ["1 year", 365],
];

interface ViewButtonsProps {
  scene: Scene;
  /** The content between the buttons. */
  children: ComponentChildren;
}

/** Everything that a drag or the wheel can do, without either. */
export function ViewButtons({ scene: { view }, children }: ViewButtonsProps) {
  const last = (days: number) =>
    view.glideTo({ from: view.bounds.to - days * day, to: view.bounds.to });
  const pan = (part: number) => {
    const by = spanOf(view.range) * part;
    view.glideTo({ from: view.range.from + by, to: view.range.to + by });
  };
  return (
    <fieldset class="timeline-tools">
      <legend class="out-of-sight">Part of time in the picture</legend>
      {presets.map(([text, days]) => (
        <Tool key={text} onClick={() => last(days)}>
          {text}
        </Tool>
      ))}
      <Tool onClick={() => view.reset()}>All</Tool>
      <span class="timeline-tools-gap">{children}</span>
      <Tool label="Earlier" onClick={() => pan(-0.5)}>
        ←
      </Tool>
      <Tool label="Later" onClick={() => pan(0.5)}>
        →
      </Tool>
      <Tool label="Show less time" onClick={() => view.glideZoom(keyZoom)}>
        +
      </Tool>
      <Tool label="Show more time" onClick={() => view.glideZoom(1 / keyZoom)}>
        −
      </Tool>
    </fieldset>
  );
}

interface ToolProps {
  children: ComponentChildren;
  label?: string;
  onClick: () => void;
}

function Tool({ children, label, onClick }: ToolProps) {
  return (
    <button type="button" class="timeline-tool" aria-label={label} title={label} onClick={onClick}>
      {children}
    </button>
  );
}

/** The forms and colors of the picture. */
export function Legend() {
  return (
    <ul class="timeline-legend" aria-label="Legend of the picture">
      {signWords.map(([sign, text]) => (
        <li key={text} class={`timeline-sign sign-${sign}`}>
          {text}
        </li>
      ))}
      <li class="pale">The higher a bar, the longer the digest was served.</li>
    </ul>
  );
}

export function Hint({ id }: { id: string }) {
  return (
    <details class="timeline-hint">
      <summary>How to use the picture</summary>
      <p id={id}>
        Drag to move, turn the wheel or pinch to zoom, and double-click to see the whole life. Click
        to choose a moment (A), or drag its marker. Hold Shift and click to compare with a second
        moment (B). With the keyboard, the arrow keys step through the records, Page Up and Page
        Down through ten, Home and End go to the oldest and the newest. Plus and minus zoom, Shift
        and an arrow key move, 0 shows the whole life. Enter chooses the moment, and Shift and Enter
        the second one.
      </p>
    </details>
  );
}

/** Buttons, and the reason why one cannot be used. */
import type { ComponentChildren } from "preact";
import { Tip } from "./tip.tsx";

interface ButtonProps {
  children: ComponentChildren;
  onClick?: (event: MouseEvent) => void;
  /** `primary` for the main action of a page or dialog, `danger` for one that deletes. */
  kind?: "plain" | "primary" | "danger";
  type?: "button" | "submit";
  /** Whether the action is on its way. The button then cannot be pressed again. */
  busy?: boolean;
  /** Why the button cannot be used now. It stays focusable, so that the reason can be read. */
  refusal?: string | undefined;
}

/** A button with a text. */
export function Button({
  children,
  onClick,
  kind = "plain",
  type = "button",
  busy = false,
  refusal,
}: ButtonProps) {
  const isOff = busy || refusal !== undefined;
  return (
    <Tip text={refusal}>
      <button
        type={type}
        class={`button ${kind}`}
        aria-disabled={isOff}
        aria-busy={busy}
        onClick={(event) => {
          if (isOff) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {children}
      </button>
    </Tip>
  );
}

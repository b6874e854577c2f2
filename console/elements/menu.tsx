/** A button that opens a few actions (ARIA Authoring Practices, disclosure). The browser closes it (Popover API). */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

/** An action of a menu. */
export interface MenuAction {
  text: string;
  run: () => void;
  /** Why the action is not available. It then stays visible and cannot be chosen. */
  refusal?: string | undefined;
  danger?: boolean;
}

/** `label` names the button for screen readers if its content is only a sign. */
export function Menu({
  label,
  children,
  actions,
  quiet = false,
}: {
  label?: string;
  children: ComponentChildren;
  actions: readonly MenuAction[];
  /** Whether the button has no frame, for a menu in each row of a table. */
  quiet?: boolean;
}) {
  const id = useId();
  // Closed menus have no actions, because a table has a menu in each row.
  const [isOpen, setOpen] = useState(false);
  return (
    <span class="menu-place">
      <button
        type="button"
        class={quiet ? "icon-button" : "button"}
        aria-label={label}
        popovertarget={id}
      >
        {children}
      </button>
      <div
        id={id}
        popover="auto"
        class="menu-actions"
        onBeforeToggle={({ newState }) => setOpen(newState === "open")}
      >
        {(isOpen ? actions : []).map(({ text, run, refusal, danger }) => (
          <button
            key={text}
            type="button"
            class={danger ? "menu-action danger" : "menu-action"}
            aria-disabled={refusal !== undefined}
            onClick={() => {
              if (refusal !== undefined) return;
              document.getElementById(id)?.hidePopover();
              run();
            }}
          >
            {text}
            {refusal !== undefined && <small>{refusal}</small>}
          </button>
        ))}
      </div>
    </span>
  );
}

/** A button that opens a few actions (ARIA Authoring Practices, disclosure). The browser closes it (Popover API). */
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";

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
  const list = useRef<HTMLDivElement>(null);
  // Closed menus have no actions, because a table has a menu in each row.
  const [isOpen, setOpen] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !isOpen) return;
    event.preventDefault();
    const items = [...(list.current?.querySelectorAll("button") ?? [])];
    const focused = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = focused < 0 && step < 0 ? items.length - 1 : focused + step;
    items[(next + items.length) % items.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons in it.
    <span class="menu-place" onKeyDown={onKeyDown}>
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
        ref={list}
        popover="auto"
        class="menu-actions"
        onBeforeToggle={({ newState }) => newState === "open" && setOpen(true)}
        // Without its actions, a menu that closes would lose the focus instead of giving it back.
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
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

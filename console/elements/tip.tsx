/** A text that appears when the pointer or the focus is on an element. */
import { type ComponentChildren, cloneElement, isValidElement } from "preact";
import { useId, useState } from "preact/hooks";

interface TipProps {
  /** Undefined for no text. The child keeps its focus when a text comes later. */
  text: string | undefined;
  children: ComponentChildren;
}

/**
 * Shows `text` below its child, which must be one element. Escape hides it (WCAG 1.4.13). Screen readers read it as the
 * description of the child.
 */
export function Tip({ text, children }: TipProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const hasText = text !== undefined;
  const described =
    hasText && isValidElement(children)
      ? cloneElement(children, { "aria-describedby": id })
      : children;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only show a description of the child.
    <span
      class="tip-place"
      onPointerEnter={() => setOpen(true)}
      onPointerLeave={() => setOpen(false)}
      onFocusCapture={() => setOpen(true)}
      onBlurCapture={() => setOpen(false)}
      onKeyDown={({ key }) => key === "Escape" && setOpen(false)}
    >
      {described}
      {hasText && (
        <span role="tooltip" id={id} class="tip" hidden={!isOpen}>
          {text}
        </span>
      )}
    </span>
  );
}

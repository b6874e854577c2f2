/** A text that appears when the pointer or the focus is on an element. */
import { type ComponentChildren, cloneElement, isValidElement } from "preact";
import { useId, useState } from "preact/hooks";

/**
 * Shows `text` below its child, which must be one element. Escape hides it (WCAG 1.4.13). Screen readers read it as the
 * description of the child.
 */
export function Tip({ text, children }: { text: string; children: ComponentChildren }) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const described = isValidElement(children)
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
      <span role="tooltip" id={id} class="tip" hidden={!isOpen}>
        {text}
      </span>
    </span>
  );
}

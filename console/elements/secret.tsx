/** Texts that the platform shows only once. */
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyLine } from "./copy.tsx";
import { Icon } from "./icon.tsx";

interface SecretProps {
  /** Why the text must be copied now. */
  warning: string;
  /** The texts, with the labels above them and their names for the copy buttons. */
  texts: readonly { label: string; text: string; what: string }[];
  /** Advice about them. */
  children?: ComponentChildren;
  onDone: () => void;
}

/** The content of a dialog that shows a secret. */
export function SecretOnce({ warning, texts, children, onDone }: SecretProps) {
  return (
    <div class="secret-once">
      <p class="secret-warning" role="status">
        <Icon name="warning" /> {warning}
      </p>
      {texts.map(({ label, text, what }) => (
        <div key={label}>
          <p class="secret-label">{label}</p>
          <CopyLine text={text} what={what} />
        </div>
      ))}
      {children}
      <footer class="dialog-actions">
        <Button kind="primary" onClick={onDone}>
          Done
        </Button>
      </footer>
    </div>
  );
}

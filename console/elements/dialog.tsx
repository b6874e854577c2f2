/** Dialogs. They are `<dialog>` elements, so the browser keeps the focus in them and closes them with Escape. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { asError } from "../data/errors.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./error_notice.tsx";
import { TextField } from "./fields.tsx";
import { Icon } from "./icon.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Whether the dialog takes most of the window, for tables. */
  wide?: boolean;
}

/** The field that a person most likely begins with. */
const firstField = "input:not([type=checkbox]), select, textarea";

/** A dialog that is open as long as it is rendered. */
export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The first element of the dialog is the button that closes it.
    dialog?.querySelector<HTMLElement>(firstField)?.focus();
    // Closing it gives the focus back, which nothing outside of an open dialog can have.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="dialog-title">
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** The consequences, as text. */
  children: ComponentChildren;
  /** The verb on the button, such as `Delete`. */
  action: string;
  /** A name that the person has to type first, for what cannot be reversed. */
  expected?: string;
  /** `primary` for an action that deletes nothing. The default is `danger`. */
  kind?: "primary" | "danger";
  /** Why the action is not possible, such as that a preview is on its way. */
  refusal?: string | undefined;
  run: () => Promise<unknown>;
  /** Replaces the notice of an error that the page can explain better. */
  refused?: (error: Error) => ComponentChildren;
  onClose: () => void;
}

/** Asks before something is deleted. It stays open and shows the error if the platform refuses. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, children, action, expected, kind = "danger", refusal } = props;
  const { run, refused, onClose } = props;
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const isMissing = expected !== undefined && typed !== expected;
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onClose();
    } catch (thrown) {
      setError(asError(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isMissing && refusal === undefined) void confirm();
        }}
      >
        {children}
        {expected !== undefined && (
          <TextField label={`Type ${expected} to confirm`} value={typed} onInput={setTyped} />
        )}
        {error && (refused?.(error) || <ErrorNotice error={error} />)}
        <footer class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={kind}
            type="submit"
            busy={isBusy}
            refusal={refusal ?? (isMissing ? "Type the name first." : undefined)}
          >
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

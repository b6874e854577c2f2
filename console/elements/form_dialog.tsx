/** A dialog with one form, for something that a person creates or changes. */
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FormError } from "./form_error.tsx";

interface FormDialogProps {
  title: string;
  /** The verb on the button, such as `Create`. */
  action: string;
  wide?: boolean;
  /** The call, such as a mutation. */
  change: { error: Error | null; isPending: boolean };
  /** The fields, named as in the proto, that show what the platform says about them. */
  fields?: readonly string[];
  /** Why the form cannot be sent now. */
  refusal?: string | undefined;
  onSubmit: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

export function FormDialog(props: FormDialogProps) {
  const { title, action, wide, change, fields = [], refusal, onSubmit, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose} wide={wide ?? false}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === undefined && !change.isPending) onSubmit();
        }}
      >
        {children}
        <FormError error={change.error} fields={fields} />
        <footer class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={change.isPending} refusal={refusal}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** The dialog that creates a group. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Group } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { FormError } from "../elements/form_error.tsx";
import { type Naming, NamingFields, trimmed } from "../elements/naming_fields.tsx";
import { addresses } from "../frame/addresses.ts";

/** Creates a group below `parent`, and then shows it. */
export function NewGroupDialog({ parent, onClose }: { parent: Group; onClose: () => void }) {
  return (
    <Dialog title={`New group in ${parent.name}`} onClose={onClose}>
      <NewGroupForm parent={parent.uid} action="Create" onClose={onClose} />
    </Dialog>
  );
}

interface FormProps {
  /** Empty for a new organization. */
  parent: string;
  action: string;
  onClose?: () => void;
}

/** The form of a new group or organization. */
export function NewGroupForm({ parent, action, onClose }: FormProps) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [naming, setNaming] = useState<Naming>({ name: "", description: "" });
  const creation = useChange<Naming>({
    key: ["groups"],
    call: async (input) => {
      const { uid } = await client.groups.create(parent, input);
      onClose?.();
      navigate(addresses.access(uid));
    },
    done: (input) => `Created ${input.name}.`,
  });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        creation.mutate(trimmed(naming));
      }}
    >
      <NamingFields naming={naming} error={creation.error} onChange={setNaming} />
      <FormError error={creation.error} fields={["name", "description"]} />
      <footer class="dialog-actions">
        {onClose && <Button onClick={onClose}>Cancel</Button>}
        <Button type="submit" kind="primary" busy={creation.isPending}>
          {action}
        </Button>
      </footer>
    </form>
  );
}

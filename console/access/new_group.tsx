/** The dialog that creates a group. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Group } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { addresses } from "../frame/addresses.ts";

/** A rule of the platform for the names of groups, roles and identities. */
export const nameHint = "Lower-case letters, digits, spaces, dots, underscores and dashes.";

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
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const creation = useChange<{ name: string; description: string }>({
    key: ["groups"],
    call: async (input) => {
      const { uid } = await client.groups.create(parent, input);
      onClose?.();
      navigate(addresses.access(uid));
    },
    done: (input) => `Created ${input.name}.`,
  });
  const errors = [violationOf(creation.error, "name"), violationOf(creation.error, "description")];
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        creation.mutate({ name: name.trim(), description: description.trim() });
      }}
    >
      <TextField
        label="Name"
        hint={nameHint}
        value={name}
        onInput={setName}
        error={errors[0]}
        required
      />
      <TextField
        label="Description"
        value={description}
        onInput={setDescription}
        error={errors[1]}
      />
      {creation.error && !errors[0] && !errors[1] && <ErrorNotice error={creation.error} />}
      <footer class="dialog-actions">
        {onClose && <Button onClick={onClose}>Cancel</Button>}
        <Button type="submit" kind="primary" busy={creation.isPending}>
          {action}
        </Button>
      </footer>
    </form>
  );
}

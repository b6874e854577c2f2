/** The dialog that creates a repository. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { Repo } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { addresses } from "../frame/addresses.ts";

/** Creates a repository in the group, and then shows it. */
export function NewRepositoryDialog({ group, onClose }: { group: string; onClose: () => void }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const creation = useChange<{ name: string; description: string }>({
    key: ["repos"],
    call: async (input) => {
      const { uid }: Repo = await client.repos.create(group, input);
      onClose();
      navigate(addresses.repository(uid));
    },
    done: (input) => `Created ${input.name}.`,
  });
  const [nameError, descriptionError] = [
    violationOf(creation.error, "name"),
    violationOf(creation.error, "description"),
  ];
  return (
    <Dialog title="New repository" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate({ name: name.trim(), description: description.trim() });
        }}
      >
        <TextField
          label="Name"
          hint="Lower-case letters and digits, with dots, dashes, underscores or slashes between them."
          value={name}
          onInput={setName}
          error={nameError}
          required
        />
        <TextField
          label="Description"
          value={description}
          onInput={setDescription}
          error={descriptionError}
        />
        {creation.error && !nameError && !descriptionError && (
          <ErrorNotice error={creation.error} />
        )}
        <footer class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={creation.isPending}>
            Create
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

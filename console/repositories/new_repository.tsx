/** The dialog that creates a repository. */
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useChange } from "../data/change.ts";
import { useClient } from "../data/platform.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { type Naming, NamingFields, trimmed } from "../elements/naming_fields.tsx";
import { addresses } from "../frame/addresses.ts";

/** The rule of the platform for names of repositories. */
export const nameHint =
  "Lower-case letters and digits, with dots, dashes, underscores or slashes between them.";

/** Creates a repository in the group, and then shows it. */
export function NewRepositoryDialog({ group, onClose }: { group: string; onClose: () => void }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const [naming, setNaming] = useState<Naming>({ name: "", description: "" });
  const creation = useChange<Naming>({
    key: ["repos"],
    call: async (input) => {
      const { uid } = await client.repos.create(group, input);
      onClose();
      navigate(addresses.repository(uid));
    },
    done: ({ name }) => `Created ${name}.`,
  });
  return (
    <FormDialog
      title="New repository"
      action="Create"
      change={creation}
      fields={["name", "description"]}
      onSubmit={() => creation.mutate(trimmed(naming))}
      onClose={onClose}
    >
      <NamingFields naming={naming} hint={nameHint} error={creation.error} onChange={setNaming} />
    </FormDialog>
  );
}

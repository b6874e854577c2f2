/** The name and the description of a repository. */
import type { Repo } from "../../client/index.ts";
import { TextField } from "../elements/fields.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { isElsewhere, useSettings, violationIn } from "./use_settings.ts";

const fields = ["name", "description"] as const;

export function GeneralForm({ repo }: { repo: Repo }) {
  const before = { name: repo.name, description: repo.description ?? "" };
  const { values, edit, saving, save } = useSettings(repo.uid, fields, before);
  const after = { name: values.name.trim(), description: values.description.trim() };
  const isRenamed = after.name !== before.name;
  const isChanged = isRenamed || after.description !== before.description;
  return (
    <SettingsForm
      title="General"
      isChanged={isChanged}
      isBusy={saving.isPending}
      error={isElsewhere(saving.error, fields) ? saving.error : undefined}
      onSave={() => save(after)}
    >
      <TextField
        label="Name"
        hint={
          isRenamed
            ? "Pulls and pushes with the old name will fail, or create a new repository."
            : "Lower-case letters and digits, with dots, dashes, underscores or slashes between them."
        }
        value={values.name}
        onInput={(name) => edit({ name })}
        error={violationIn(saving.error, "name")}
        required
      />
      <TextField
        label="Description"
        hint="One line, at most 512 characters."
        value={values.description}
        onInput={(description) => edit({ description })}
        error={violationIn(saving.error, "description")}
      />
    </SettingsForm>
  );
}

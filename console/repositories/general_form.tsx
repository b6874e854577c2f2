/** The name and the description of a repository. */
import type { Repo } from "../../client/index.ts";
import { NamingFields, trimmed } from "../elements/naming_fields.tsx";
import { nameHint } from "./new_repository.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { useSettings } from "./use_settings.ts";

const fields = ["name", "description"] as const;

export function GeneralForm({ repo }: { repo: Repo }) {
  const before = { name: repo.name, description: repo.description ?? "" };
  const { values, edit, saving, save } = useSettings(repo, fields, before);
  const after = trimmed(values);
  const isRenamed = after.name !== before.name;
  const isChanged = isRenamed || after.description !== before.description;
  return (
    <SettingsForm
      title="General"
      isChanged={isChanged}
      isBusy={saving.isPending}
      error={saving.error}
      fields={fields}
      onSave={() => save(after)}
    >
      <NamingFields
        naming={values}
        hint={
          isRenamed
            ? "Pulls and pushes with the old name will fail, or create a new repository."
            : nameHint
        }
        error={saving.error}
        onChange={({ name, description }) => edit({ name, description })}
      />
    </SettingsForm>
  );
}

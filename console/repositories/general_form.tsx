/** The name and the description of a repository. */
import { useState } from "preact/hooks";
import type { Repo } from "../../client/index.ts";
import { TextField } from "../elements/fields.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { isElsewhere, useSettings, violationIn } from "./use_settings.ts";

export function GeneralForm({ repo }: { repo: Repo }) {
  const { uid, name, description = "" } = repo;
  return <Fields key={JSON.stringify([name, description])} {...{ uid, name, description }} />;
}

type Values = { name: string; description: string };

function Fields({ uid, ...before }: Values & { uid: string }) {
  const [name, setName] = useState(before.name);
  const [description, setDescription] = useState(before.description);
  const saving = useSettings(uid, ["name", "description"]);
  const after = { name: name.trim(), description: description.trim() };
  const isRenamed = after.name !== before.name;
  const isChanged = isRenamed || after.description !== before.description;
  const fields = ["name", "description"];
  return (
    <SettingsForm
      title="General"
      isChanged={isChanged}
      isBusy={saving.isPending}
      error={isElsewhere(saving.error, fields) ? saving.error : undefined}
      onSave={() => saving.mutate(after)}
    >
      <TextField
        label="Name"
        hint={
          isRenamed
            ? "Pulls and pushes with the old name will fail, or create a new repository."
            : "Lower-case letters and digits, with dots, dashes, underscores or slashes between them."
        }
        value={name}
        onInput={setName}
        error={violationIn(saving.error, "name")}
        required
      />
      <TextField
        label="Description"
        hint="One line, at most 512 characters."
        value={description}
        onInput={setDescription}
        error={violationIn(saving.error, "description")}
      />
    </SettingsForm>
  );
}

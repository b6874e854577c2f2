/** The settings for syncing a repository from another one. */
import { useState } from "preact/hooks";
import type { Repo, SyncConfig } from "../../client/index.ts";
import { Button } from "../elements/button.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { useSettings } from "./use_settings.ts";

/** The fields that version 2 can set. */
const texts = ["source", "google", "amazon", "azure"] as const;

type Values = Record<(typeof texts)[number], string>;

const labels: Values = {
  source: "Source",
  google: "Google Artifact Registry",
  amazon: "Amazon ECR",
  azure: "Azure Container Registry",
};

const hints: Values = {
  source: "A uid, or organization/repository. Setting it replaces the aliases and the active tags.",
  google: "Stored, without effect.",
  amazon: "Stored, without effect.",
  azure: "Stored, without effect.",
};

const valuesOf = ({ source = "", google = "", amazon = "", azure = "" }: Partial<SyncConfig>) => ({
  source,
  google,
  amazon,
  azure,
});

export function SyncForm({ repo }: { repo: Repo }) {
  const { sync_config } = repo;
  const [isOpen, setOpen] = useState(false);
  if (!sync_config && !isOpen)
    return (
      <Section
        title="Syncing"
        actions={<Button onClick={() => setOpen(true)}>Set a source</Button>}
      >
        <p class="pale">Images are pushed to this repository. It has no source to sync from.</p>
      </Section>
    );
  return <Fields repo={repo} config={sync_config} />;
}

function Fields({ repo, config }: { repo: Repo; config: SyncConfig | undefined }) {
  const before = valuesOf(config ?? {});
  const { values, edit, saving, save } = useSettings(repo, ["sync_config"], before);
  const { error } = saving;
  return (
    <SettingsForm
      title="Syncing"
      isChanged={JSON.stringify(values) !== JSON.stringify(before) && values.source.trim() !== ""}
      isBusy={saving.isPending}
      error={error}
      fields={texts}
      onSave={() => save({ sync_config: values })}
      extra={
        config?.source && (
          <Button busy={saving.isPending} onClick={() => save({ sync_config: null })}>
            Stop syncing
          </Button>
        )
      }
    >
      <p class="pale">
        The platform copies the active tags of the source, or all of its tags if it names none. It
        stores the other registries, and copies nothing to them.
      </p>
      {texts.map((field) => (
        <TextField
          key={field}
          label={labels[field]}
          hint={hints[field]}
          value={values[field]}
          onInput={(text) => edit({ [field]: text })}
          error={violationOf(error, field)}
        />
      ))}
      {config && <ServerFacts config={config} status={repo.syncStatus} />}
    </SettingsForm>
  );
}

/** The fields that only the platform and version 1 of the API set. */
export function ServerFacts({
  config,
  status,
}: {
  config: SyncConfig;
  status: Repo["syncStatus"];
}) {
  return (
    <Facts
      facts={[
        ["Compared with its source", status?.time && <Time key="compared" time={status.time} />],
        ["Not copied", status?.problem],
        [
          "Syncing ends",
          config.expirationTime && <Time key="expiration" time={config.expirationTime} />,
        ],
        ["Own tag for each build", config.uniqueTags ? "yes" : "no"],
        ["Grace period for old tags", config.gracePeriod ? "yes" : "no"],
        ["Build configuration", config.apkoOverlay],
      ]}
    />
  );
}

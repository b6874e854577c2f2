/**
 * The aliases and the active tags of a repository. A synced repository has those of its source. The API also has tiers and
 * labels, which are words of another company. They only show where a repository has some.
 */
import type { CatalogTier, Repo } from "../../client/index.ts";
import { formatCount } from "../elements/bytes.ts";
import { CheckField, SelectField, TextField, violationOf } from "../elements/fields.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { bundles, tiers, tierText } from "./tiers.ts";
import { linesOf, useSettings } from "./use_settings.ts";

const fields = ["catalogTier", "bundles", "aliases", "activeTags"] as const;

/** The title of the section, also where it cannot be changed. */
export const sectionTitle = "Aliases and active tags";

const unset = "CATALOG_TIER_UNSPECIFIED";

/** The names of the fields in errors. */
const protoFields = ["catalog_tier", "bundles", "aliases", "active_tags"];

interface Values {
  catalogTier: CatalogTier;
  bundles: string[];
  aliases: string[];
  activeTags: string[];
}

export function LabelsForm({ repo }: { repo: Repo }) {
  const before: Values = {
    catalogTier: repo.catalogTier ?? unset,
    bundles: repo.bundles ?? [],
    aliases: repo.aliases ?? [],
    activeTags: repo.activeTags ?? [],
  };
  if (repo.sync_config?.source)
    return (
      <Section title={sectionTitle}>
        <p class="pale">These come from the repository that this one is synced from.</p>
        <CatalogFacts values={before} />
      </Section>
    );
  return <Fields repo={repo} before={before} />;
}

/** The values as text. Long lists open. */
export function CatalogFacts({ values }: { values: Values }) {
  const list = (items: readonly string[]) =>
    items.length <= 5 ? (
      items.join(", ") || "none"
    ) : (
      <details>
        <summary>{formatCount(items.length)}</summary>
        {items.join(", ")}
      </details>
    );
  return (
    <Facts
      facts={[
        ["Tier", values.catalogTier !== unset && tierText(values.catalogTier)],
        ["Labels", values.bundles.join(", ")],
        ["Aliases", list(values.aliases)],
        ["Active tags", list(values.activeTags)],
      ]}
    />
  );
}

function Fields({ repo, before }: { repo: Repo; before: Values }) {
  const texts = { aliases: before.aliases.join("\n"), activeTags: before.activeTags.join("\n") };
  const { values, edit, saving, save } = useSettings(repo, fields, { ...before, ...texts });
  const { catalogTier, bundles: labels } = values;
  const after: Values = {
    catalogTier,
    bundles: labels,
    aliases: linesOf(values.aliases),
    activeTags: linesOf(values.activeTags),
  };
  const { error } = saving;
  return (
    <SettingsForm
      title={sectionTitle}
      isChanged={JSON.stringify(after) !== JSON.stringify(before)}
      isBusy={saving.isPending}
      error={error}
      fields={protoFields}
      onSave={() => save(after)}
    >
      {before.catalogTier !== unset && (
        <SelectField
          label="Tier"
          hint="The kind of product that the image is."
          value={catalogTier}
          options={tiers}
          onChange={(tier) => edit({ catalogTier: tier })}
          error={violationOf(error, "catalog_tier")}
        />
      )}
      {before.bundles.length > 0 && (
        <LabelFields
          known={[...new Set([...bundles, ...before.bundles])]}
          labels={labels}
          error={violationOf(error, "bundles")}
          onChange={(changed) => edit({ bundles: changed })}
        />
      )}
      <TextField
        label="Aliases"
        hint="The images that this one can replace, one reference with a tag on each line."
        lines={4}
        value={values.aliases}
        onInput={(aliases) => edit({ aliases })}
        error={violationOf(error, "aliases")}
      />
      <TextField
        label="Active tags"
        hint="The tags that still get builds, one on each line."
        lines={4}
        value={values.activeTags}
        onInput={(activeTags) => edit({ activeTags })}
        error={violationOf(error, "active_tags")}
      />
    </SettingsForm>
  );
}

interface LabelFieldsProps {
  known: readonly string[];
  /** Those that the repository has. */
  labels: readonly string[];
  error: string | undefined;
  onChange: (labels: string[]) => void;
}

function LabelFields({ known, labels, error, onChange }: LabelFieldsProps) {
  return (
    <>
      <fieldset class="repositories-labels">
        <legend>Labels</legend>
        {known.map((label) => (
          <CheckField
            key={label}
            label={label}
            checked={labels.includes(label)}
            onChange={(isOn) =>
              onChange(isOn ? [...labels, label] : labels.filter((other) => other !== label))
            }
          />
        ))}
      </fieldset>
      {error && <p class="field-error">{error}</p>}
    </>
  );
}

/** The settings for a person who may not change them. */
import type { Repo } from "../../client/index.ts";
import { Facts, Section } from "../elements/page.tsx";
import { CatalogFacts, sectionTitle } from "./labels_form.tsx";
import { overlayText } from "./overlay_form.tsx";
import { ServerFacts } from "./sync_form.tsx";

export function SettingsFacts({ repo, refusal }: { repo: Repo; refusal: string }) {
  const { sync_config: sync, customOverlay } = repo;
  return (
    <>
      <p class="repositories-note">You can see the settings, and not change them. {refusal}</p>
      <Section title={sectionTitle}>
        <CatalogFacts
          values={{
            catalogTier: repo.catalogTier ?? "CATALOG_TIER_UNSPECIFIED",
            bundles: repo.bundles ?? [],
            aliases: repo.aliases ?? [],
            activeTags: repo.activeTags ?? [],
          }}
        />
      </Section>
      {sync && (
        <Section title="Syncing">
          <Facts
            facts={[
              ["Source", sync.source],
              ["Google Artifact Registry", sync.google],
              ["Amazon ECR", sync.amazon],
              ["Azure Container Registry", sync.azure],
            ]}
          />
          <ServerFacts config={sync} status={repo.syncStatus} />
        </Section>
      )}
      {customOverlay && (
        <Section title="Additions to images">
          <pre class="repositories-source">{overlayText(customOverlay)}</pre>
        </Section>
      )}
    </>
  );
}

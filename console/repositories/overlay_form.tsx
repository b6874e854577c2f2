/** The additions to each image that comes from the source. They have many parts, so they are edited as JSON. */
import { useState } from "preact/hooks";
import type { CustomOverlay, Repo } from "../../client/index.ts";
import { Button } from "../elements/button.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { Section } from "../elements/page.tsx";
import { SettingsForm } from "./settings_form.tsx";
import { useSettings } from "./use_settings.ts";

/** The JSON of an overlay, or an empty text. */
export const overlayText = (overlay: CustomOverlay | undefined): string =>
  overlay === undefined ? "" : JSON.stringify(overlay, null, 2);

export function OverlayForm({ repo }: { repo: Repo }) {
  const { customOverlay } = repo;
  const [isOpen, setOpen] = useState(false);
  const before = overlayText(customOverlay);
  if (before === "" && !isOpen)
    return (
      <Section
        title="Additions to images"
        actions={<Button onClick={() => setOpen(true)}>Add</Button>}
      >
        <p class="pale">Images that come from a source get no own packages or settings.</p>
      </Section>
    );
  return <Fields repo={repo} before={before} />;
}

function Fields({ repo, before }: { repo: Repo; before: string }) {
  const [wrong, setWrong] = useState<string>();
  const { values, edit, saving, save } = useSettings(repo, ["customOverlay"], { text: before });
  const { text } = values;
  const parseAndSave = () => {
    try {
      const value: unknown = text.trim() === "" ? null : JSON.parse(text);
      if (typeof value !== "object" || Array.isArray(value)) throw new SyntaxError("not an object");
      setWrong(undefined);
      save({ customOverlay: value as CustomOverlay | null });
    } catch {
      setWrong('The text must be a JSON object, such as {"environment": {"LANG": "C.UTF-8"}}.');
    }
  };
  const inField = violationOf(saving.error, "custom_overlay");
  return (
    <SettingsForm
      title="Additions to images"
      isChanged={text !== before}
      isBusy={saving.isPending}
      error={saving.error}
      fields={["custom_overlay"]}
      onSave={parseAndSave}
    >
      <TextField
        label="Custom overlay"
        hint={
          <>
            Packages, environment, annotations, accounts and certificates, as JSON in the form of{" "}
            <a href="/docs">the reference</a>. The platform stores them, and builds no images.
          </>
        }
        lines={text.split("\n").length > 6 ? 14 : 6}
        value={text}
        onInput={(changed) => edit({ text: changed })}
        error={wrong ?? inField}
      />
    </SettingsForm>
  );
}

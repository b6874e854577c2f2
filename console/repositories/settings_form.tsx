/** The frame of a form of settings. */
import type { ComponentChildren } from "preact";
import { Button } from "../elements/button.tsx";
import { FormError } from "../elements/form_error.tsx";
import { Section } from "../elements/page.tsx";

/** A section with fields and a button that saves them. `fields` are those that show the error. */
export function SettingsForm({
  title,
  isChanged,
  isBusy,
  error,
  fields,
  onSave,
  extra,
  children,
}: {
  title: string;
  isChanged: boolean;
  isBusy: boolean;
  error: Error | null;
  fields: readonly string[];
  onSave: () => void;
  /** A second button. */
  extra?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Section title={title}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged) onSave();
        }}
      >
        {children}
        <FormError error={error} fields={fields} />
        <div class="repositories-save">
          <Button
            type="submit"
            kind="primary"
            busy={isBusy}
            refusal={isChanged ? undefined : "Nothing has changed yet."}
          >
            Save
          </Button>
          {extra}
        </div>
      </form>
    </Section>
  );
}

/** The frame of a form of settings. */
import type { ComponentChildren } from "preact";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Section } from "../elements/page.tsx";

/** A section with fields and a button that saves them. `error` is one that no field shows. */
export function SettingsForm({
  title,
  isChanged,
  isBusy,
  error,
  onSave,
  extra,
  children,
}: {
  title: string;
  isChanged: boolean;
  isBusy: boolean;
  error: Error | undefined;
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
        {error && <ErrorNotice error={error} />}
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

/** A field for an exact value or a pattern. */
import type { ComponentChildren } from "preact";
import { CheckField, TextField } from "../elements/fields.tsx";
import type { MatcherDraft } from "./drafts.ts";

interface MatcherFieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  matcher: MatcherDraft;
  required?: boolean;
  onChange: (matcher: MatcherDraft) => void;
}

/** The mark below the field says that its text is a pattern. */
export function MatcherField(props: MatcherFieldProps) {
  const { label, hint, error, matcher, required = false, onChange } = props;
  const { value, isPattern } = matcher;
  return (
    <div class="identities-matcher">
      <TextField
        label={label}
        hint={hint}
        error={error}
        value={value}
        required={required}
        onInput={(next) => onChange({ value: next, isPattern })}
      />
      <CheckField
        label={
          <>
            A pattern<span class="out-of-sight"> for {label}</span>
          </>
        }
        checked={isPattern}
        hint={isPattern ? "A regular expression that must match the whole value." : undefined}
        onChange={(checked) => onChange({ value, isPattern: checked })}
      />
    </div>
  );
}

/** Fields of forms: a label, a value, a hint, and the error of the platform for this field. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { InvalidArgument } from "../../client/index.ts";

/**
 * Returns what the platform says about a field, named as in the proto, or about the first wrong value in it. The field can
 * be nested in another one.
 */
export function violationOf(error: Error | null | undefined, field: string): string | undefined {
  if (!(error instanceof InvalidArgument)) return undefined;
  const pattern = new RegExp(`(?:^|\\.)${field}(?:$|[.[])`);
  const violation = error.fieldViolations.find((candidate) => pattern.test(candidate.field));
  // The platform explains a pattern in words, and then shows it to programs.
  return violation?.description.replace(/ \([\w.[\]]+ must match ".*"\)$/s, "");
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
}

interface Described extends FieldProps {
  children: (attributes: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean;
  }) => ComponentChildren;
}

/** The frame of every field: it connects the label, the hint and the error with the input. */
export function Field({ label, hint, error, children }: Described) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
        "aria-invalid": error !== undefined,
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  type?: "text" | "email" | "url" | "search" | "number" | "password" | "datetime-local";
  required?: boolean;
  placeholder?: string;
  /** More than one line. */
  lines?: number;
  maxLength?: number;
}

/** A field for text. */
export function TextField({ label, hint, error, value, onInput, lines, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(attributes) =>
        lines === undefined ? (
          <input
            {...attributes}
            {...rest}
            class="input"
            value={value}
            autocomplete="off"
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        ) : (
          <textarea
            {...attributes}
            class="input"
            rows={lines}
            value={value}
            required={rest.required}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  value: Value;
  /** The values and their texts. */
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
}

/** A field with a few known values. */
export function SelectField<Value extends string>({
  value,
  options,
  onChange,
  ...frame
}: SelectFieldProps<Value>) {
  return (
    <Field {...frame}>
      {(attributes) => (
        <select
          {...attributes}
          class="input"
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
        >
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A field that is on or off. */
export function CheckField({
  label,
  checked,
  onChange,
  hint,
  refusal,
}: {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: ComponentChildren;
  /** Why the field cannot be changed. It stays focusable, so that the reason can be read. */
  refusal?: string | undefined;
}) {
  const id = useId();
  return (
    <div class="check-field">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        aria-describedby={hint || refusal ? `${id}-hint` : undefined}
        aria-disabled={refusal !== undefined}
        onClick={(event) => refusal !== undefined && event.preventDefault()}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {(hint || refusal) && (
        <p class="hint" id={`${id}-hint`}>
          {hint} {refusal}
        </p>
      )}
    </div>
  );
}

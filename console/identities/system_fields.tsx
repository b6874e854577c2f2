/** The form for a workload of a system that signs tokens, by its row of the table. */
import type { ComponentChildren } from "preact";
import type { Values, WorkloadField, WorkloadSystem } from "../../schema/workloads/fields.ts";
import { CopyButton } from "../elements/copy.tsx";
import { CheckField, SelectField, TextField } from "../elements/fields.tsx";

interface SystemFieldsProps {
  system: WorkloadSystem;
  values: Values;
  onChange: (values: Values) => void;
}

export const SystemFields = ({ system, values, onChange }: SystemFieldsProps) => (
  <>
    {system.fields
      .filter(({ isShown }) => isShown?.(values) !== false)
      .map((field) => (
        <SystemField
          key={`${system.id} ${field.name}`}
          field={field}
          values={values}
          onChange={(value) => onChange({ ...values, [field.name]: value })}
        />
      ))}
  </>
);

interface SystemFieldProps {
  field: WorkloadField;
  values: Values;
  onChange: (value: string) => void;
}

function SystemField({ field, values, onChange }: SystemFieldProps) {
  const { name, hint: text, options, isMark, isOptional } = field;
  const label = typeof field.label === "string" ? field.label : field.label(values);
  const value = values[name] ?? "";
  const hint = text && withMarks(text);
  if (isMark)
    return (
      <CheckField
        label={label}
        hint={hint}
        checked={value === "true"}
        onChange={(checked) => onChange(checked ? "true" : "")}
      />
    );
  if (options)
    return (
      <SelectField label={label} hint={hint} value={value} options={options} onChange={onChange} />
    );
  return (
    <TextField
      label={label}
      hint={hint}
      placeholder={field.example}
      value={value}
      required={!isOptional?.(values)}
      onInput={onChange}
    />
  );
}

/** The steps in the system, and the whole job. */
export const SystemJob = ({ system: { title, notes, job } }: { system: WorkloadSystem }) => (
  <details class="identities-job">
    <summary>The job for {title}, from the checkout to a push and a pull</summary>
    {notes.map((note) => (
      <p key={note} class="pale identities-text">
        {withMarks(note)}
      </p>
    ))}
    <p class="pale identities-text">
      <code>{job.path}</code>, as in <a href="/docs/ci">the guide</a>:{" "}
      <CopyButton text={job.text} what={`job for ${title}`} />
    </p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the example. */}
    <pre class="identities-example" tabIndex={0}>
      {job.text}
    </pre>
  </details>
);

/** A text of the table, whose parts in backticks are code and whose parts in stars are strong. */
export const withMarks = (text: string): ComponentChildren =>
  text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) =>
      part.startsWith("`") ? (
        <code key={part}>{part.slice(1, -1)}</code>
      ) : part.startsWith("**") ? (
        <strong key={part}>{part.slice(2, -2)}</strong>
      ) : (
        part
      ),
    );

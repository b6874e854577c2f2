/** A field for a time in the reader's time zone. */
import type { ComponentChildren } from "preact";
import { TextField } from "./fields.tsx";

/** A time as an input of the type `datetime-local` takes it, to the minute or to the second. */
export function localTime(time: number, to: "minute" | "second" = "minute"): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, to === "minute" ? 16 : 19);
}

interface TimeFieldProps {
  label: string;
  /** In RFC 3339, or empty. */
  value: string;
  onChange: (value: string) => void;
  hint?: ComponentChildren;
  required?: boolean;
}

export function TimeField({ label, value, onChange, ...rest }: TimeFieldProps) {
  const time = Date.parse(value);
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={Number.isNaN(time) ? "" : localTime(time)}
      onInput={(text) => {
        const chosen = Date.parse(text);
        onChange(Number.isNaN(chosen) ? "" : new Date(chosen).toISOString());
      }}
      {...rest}
    />
  );
}

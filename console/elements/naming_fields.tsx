/** The fields for the name and the description of something. The platform has the same rules for most of them. */
import { TextField, violationOf } from "./fields.tsx";

/** The content of the fields. */
export interface Naming {
  name: string;
  description: string;
}

/** The content without spaces around it. */
export const trimmed = ({ name, description }: Naming): Naming => ({
  name: name.trim(),
  description: description.trim(),
});

interface NamingProps {
  naming: Naming;
  onChange: (naming: Naming) => void;
  /** The error of the platform, for the fields that it names. */
  error: Error | null | undefined;
  /** The rule for names, if it is another one. */
  hint?: string;
  /** Whether the name cannot change. */
  isNamed?: boolean;
}

export function NamingFields({ naming, onChange, error, hint, isNamed = false }: NamingProps) {
  return (
    <>
      {!isNamed && (
        <TextField
          label="Name"
          hint={hint ?? "Lower-case letters, digits, spaces, dots, underscores and dashes."}
          value={naming.name}
          onInput={(name) => onChange({ ...naming, name })}
          error={violationOf(error, "name")}
          required
        />
      )}
      <TextField
        label="Description"
        hint="One line of at most 512 characters."
        value={naming.description}
        onInput={(description) => onChange({ ...naming, description })}
        error={violationOf(error, "description")}
      />
    </>
  );
}

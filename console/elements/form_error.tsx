/** The error of a form. */
import { ErrorNotice } from "./error_notice.tsx";
import { violationOf } from "./fields.tsx";

interface FormErrorProps {
  error: Error | null | undefined;
  /** The fields, named as in the proto, that show what the platform says about them. */
  fields: readonly string[];
}

/** Shows the error, unless a field of the form shows it. */
export function FormError({ error, fields }: FormErrorProps) {
  if (!error || fields.some((field) => violationOf(error, field) !== undefined)) return null;
  return <ErrorNotice error={error} />;
}

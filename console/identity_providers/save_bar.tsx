/** The end of a form that is a page: the error, and the buttons. */
import { Link } from "wouter-preact";
import { Button } from "../elements/button.tsx";
import { FormError } from "../elements/form_error.tsx";
import { providerPaths } from "./provider_fields.tsx";

interface SaveBarProps {
  /** The verb on the button. */
  action: string;
  change: { error: Error | null; isPending: boolean };
  refusal: string | undefined;
  /** The page to go back to without a change. */
  back: string;
}

export function SaveBar({ action, change: { error, isPending }, refusal, back }: SaveBarProps) {
  return (
    <>
      <FormError error={error} fields={providerPaths} />
      <div class="identity-providers-actions">
        <Button type="submit" kind="primary" busy={isPending} refusal={refusal}>
          {action}
        </Button>
        <Link class="button" href={back}>
          Cancel
        </Link>
      </div>
    </>
  );
}

/** A button that saves a file. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { asError } from "../data/errors.ts";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./error_notice.tsx";

/** `save` gets the file and saves it. If that fails, the error shows next to the button. */
export function SaveButton({
  children,
  save,
}: {
  children: ComponentChildren;
  save: () => Promise<void>;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await save();
    } catch (thrown) {
      setError(asError(thrown));
    }
    setBusy(false);
  };
  return (
    <>
      <Button busy={isBusy} onClick={() => void run()}>
        {children}
      </Button>
      {error && <ErrorNotice error={error} retry={() => void run()} />}
    </>
  );
}

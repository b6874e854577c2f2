/** The state of a page in its address, so that every view has a link. */
import { useCallback } from "preact/hooks";
import { useSearchParams } from "wouter-preact";

/** Reads and changes the query of the address. An empty value removes its key. */
export function useParameters() {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (changes: Record<string, string | undefined>, { push = false } = {}) =>
      setParameters(
        (before) => {
          const next = new URLSearchParams(before);
          for (const [key, value] of Object.entries(changes)) {
            if (value === undefined || value === "") next.delete(key);
            else next.set(key, value);
          }
          return next;
        },
        { replace: !push },
      ),
    [setParameters],
  );
  return {
    get: (key: string) => parameters.get(key) ?? "",
    /** Whether a parameter that is on or off is on. */
    isOn: (key: string) => parameters.has(key),
    set,
  };
}

/** The number of findings of each severity. A press on one shows only these. */
import { Severity } from "./badge.tsx";

/** `counts` is by the name of the severity, such as `HIGH`. `value` is the chosen one, or empty for all. */
export function SeverityFilter({
  counts,
  value,
  onChange,
}: {
  counts: ReadonlyMap<string, number>;
  value: string;
  onChange: (severity: string) => void;
}) {
  return (
    <fieldset class="severity-filter">
      <legend class="out-of-sight">Show one severity</legend>
      {[...counts].map(([name, count]) =>
        count === 0 && name !== value ? null : (
          <button
            key={name}
            type="button"
            class="severity-choice"
            aria-pressed={name === value}
            onClick={() => onChange(name === value ? "" : name)}
          >
            <Severity severity={name} count={count} />
          </button>
        ),
      )}
    </fieldset>
  );
}

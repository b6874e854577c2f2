/** A field for a moment: the exact time, or now. */
import { useEffect, useState } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { TextField } from "../elements/fields.tsx";
import { localTime } from "../elements/time_field.tsx";

interface MomentTimeProps {
  label: string;
  /** In milliseconds since 1970 UTC. Undefined is now. */
  time: number | undefined;
  now: number;
  onChange: (time: number | undefined) => void;
}

/** The browser's field for a time, in the reader's time zone. A time in the future is refused. */
export function MomentTime({ label, time, now, onChange }: MomentTimeProps) {
  const [error, setError] = useState<string>();
  useEffect(() => setError(undefined), [time]);
  const change = (text: string) => {
    const chosen = Date.parse(text);
    if (Number.isNaN(chosen)) return;
    if (chosen > Date.now()) return setError("Choose a time that is not in the future.");
    setError(undefined);
    onChange(chosen);
  };
  return (
    <div class="timeline-time">
      <TextField
        label={label}
        type="datetime-local"
        value={localTime(time ?? now, "second")}
        error={error}
        onInput={change}
      />
      <Button
        onClick={() => onChange(undefined)}
        refusal={time === undefined ? "This is now." : undefined}
      >
        Now
      </Button>
    </div>
  );
}

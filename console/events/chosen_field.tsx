/** A field for several values, which a person finds by typing. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Combobox, type Option } from "../elements/combobox.tsx";
import { Icon } from "../elements/icon.tsx";

interface ChosenFieldProps {
  label: string;
  hint: ComponentChildren;
  error?: string | undefined;
  placeholder?: string;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** Suggestions for a text. Those that are chosen already are left out. */
  useOptions: (text: string) => readonly Option[];
  /** A chosen value as the page shows it. */
  show: (value: string) => ComponentChildren;
  /** A chosen value in words, for the button that removes it. */
  nameOf: (value: string) => string;
}

export function ChosenField(props: ChosenFieldProps) {
  const { label, chosen, onChange, useOptions, show, nameOf, ...field } = props;
  const [text, setText] = useState("");
  const options = useOptions(text).filter(({ value }) => !chosen.includes(value));
  return (
    <div class="events-chosen">
      <Combobox
        label={label}
        {...field}
        text={text}
        onText={setText}
        options={options}
        onChoose={({ value }) => {
          setText("");
          onChange([...chosen, value]);
        }}
      />
      {chosen.length > 0 && (
        <ul class="events-chips" aria-label={`${label}, chosen`}>
          {chosen.map((value) => (
            <li key={value} class="events-chip">
              <span title={value}>{show(value)}</span>
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove ${nameOf(value)}`}
                onClick={() => onChange(chosen.filter((other) => other !== value))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

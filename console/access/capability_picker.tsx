/** A field that chooses a capability by its name or by a word of its description. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { capabilities } from "../../client/capabilities.ts";
import type { Capability } from "../../client/index.ts";
import { capabilityName } from "../elements/capabilities.tsx";
import { Combobox } from "../elements/combobox.tsx";

const maxOptions = 40;

interface CapabilityPickerProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  value: Capability | undefined;
  /** Gets undefined while the text names no capability. */
  onChange: (value: Capability | undefined) => void;
}

export function CapabilityPicker({ value, onChange, ...frame }: CapabilityPickerProps) {
  const [text, setText] = useState(value ? capabilityName(value) : "");
  useLayoutEffect(() => {
    if (value) setText(capabilityName(value));
  }, [value]);
  return (
    <Combobox
      {...frame}
      text={text}
      placeholder="repo.list"
      nothing="No capability has this text in its name or description."
      options={optionsFor(text)}
      onText={(next) => {
        setText(next);
        onChange(capabilities.find(({ name }) => name === next.trim())?.value);
      }}
      onChoose={(option) => {
        setText(option.text);
        onChange(capabilities.find(({ name }) => name === option.text)?.value);
      }}
    />
  );
}

/** The capabilities with the text. Those whose names contain it come first. */
function optionsFor(text: string) {
  const wanted = text.trim().toLowerCase();
  const usable = capabilities.filter((capability) => !capability.isDeprecated);
  const byName = usable.filter(({ name }) => name.includes(wanted));
  const byDescription = usable.filter(
    (capability) =>
      !byName.includes(capability) && capability.description.toLowerCase().includes(wanted),
  );
  return [...byName, ...byDescription]
    .slice(0, maxOptions)
    .map(({ value, name, description }) => ({ value, text: name, detail: description }));
}

/** Fields that choose a group, a role or an identity by its name. A uid can be pasted instead. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import {
  type Choice,
  type ChoiceSource,
  groupChoices,
  type IdentityRange,
  identityChoices,
  resourceChoices,
  roleChoices,
  useChoices,
} from "../data/choices.ts";
import { isUid, shortUid } from "../data/uids.ts";
import { Combobox } from "./combobox.tsx";

interface PickerProps {
  label: string;
  hint?: ComponentChildren;
  /** A sentence about a wrong choice. */
  error?: string | undefined;
  /** The meaning of an empty field, such as that a filter is off. */
  placeholder?: string;
  value: Choice | undefined;
  /** Gets undefined while the text names nothing. */
  onChange: (choice: Choice | undefined) => void;
}

/** The uid of the group that the choice is for. */
interface GroupScope {
  group: string;
}

/** Chooses the group, or a group below it. */
export const GroupPicker = ({ group, ...rest }: PickerProps & GroupScope) => (
  <Picker {...rest} source={groupChoices(group)} nothing="No group begins with this text." />
);

/** Chooses the group, a group below it, or a repository in one of them. */
export const ResourcePicker = ({ group, ...rest }: PickerProps & GroupScope) => (
  <Picker
    {...rest}
    source={resourceChoices(group)}
    nothing="No group or repository begins with this text. You can paste a uid."
  />
);

/** Chooses a role that can be bound on the group. */
export const RolePicker = ({ group, ...rest }: PickerProps & GroupScope) => (
  <Picker {...rest} source={roleChoices(group)} nothing="No role begins with this text." />
);

/** Chooses a person or a workload. `range` says whether it must be able to have a role on the group. */
export const IdentityPicker = ({
  group,
  range = "bindable",
  ...rest
}: PickerProps & GroupScope & { range?: IdentityRange }) => (
  <Picker
    {...rest}
    source={identityChoices(group, range)}
    nothing="No identity begins with this text. You can paste a uid."
  />
);

/** Chooses from another source. */
export function Picker({
  source,
  nothing,
  value,
  onChange,
  error,
  ...frame
}: PickerProps & { source: ChoiceSource; nothing: string }) {
  const [text, setText] = useState(value?.name ?? "");
  // A later effect could run after the person has begun to type, and would replace their text.
  useLayoutEffect(() => {
    // A pasted uid stays as it was pasted.
    if (value && value.uid !== text.trim()) setText(value.name);
  }, [value?.uid, value?.name]);
  const isPasted = isUid(text.trim());
  const { choices, isBusy, error: failure } = useChoices(source, isPasted ? "" : text);
  return (
    <Combobox
      {...frame}
      error={error ?? failure?.message}
      text={text}
      busy={isBusy}
      {...(isPasted ? {} : { nothing })}
      options={
        isPasted
          ? []
          : choices.map(({ uid, name, detail }) => ({
              value: uid,
              text: name,
              ...(detail ? { detail } : {}),
            }))
      }
      onText={(next) => {
        setText(next);
        const pasted = next.trim();
        onChange(isUid(pasted) ? { uid: pasted, name: shortUid(pasted) } : undefined);
      }}
      onChoose={({ value: uid, text: name, detail }) => {
        setText(name);
        onChange({ uid, name, ...(detail ? { detail } : {}) });
      }}
    />
  );
}

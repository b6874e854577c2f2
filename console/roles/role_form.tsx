/** The fields of a role: its name, its description, and its capabilities by the kind of resource. */
import { useState } from "preact/hooks";
import { capabilities } from "../../client/capabilities.ts";
import type { Capability, Role } from "../../client/index.ts";
import { CheckField, violationOf } from "../elements/fields.tsx";
import { NamingFields } from "../elements/naming_fields.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { type CapabilityGroup, capabilityGroups } from "./capability_groups.ts";

/** The values of a role as the form has them. */
export interface RoleValues {
  name: string;
  description: string;
  capabilities: readonly Capability[];
}

/** The values of a role, which are empty without one. */
export const valuesOf = (role?: Role): RoleValues => ({
  name: role?.name ?? "",
  description: role?.description ?? "",
  capabilities: role?.capabilities ?? [],
});

interface RoleFieldsProps {
  values: RoleValues;
  onChange: (values: RoleValues) => void;
  /** The error of the platform, for the fields that it names. */
  error: Error | null;
  /** Reports why a capability cannot be added. */
  whyNot: (capability: Capability) => string | undefined;
}

export function RoleFields({ values, onChange, error, whyNot }: RoleFieldsProps) {
  const [find, setFind] = useState("");
  const [isOnlyChosen, setOnlyChosen] = useState(false);
  const [isEvery, setEvery] = useState(false);
  const [offered] = useState(new Set<string>(values.capabilities));
  const chosen = new Set<string>(values.capabilities);
  const groups = capabilityGroups((capability) => {
    // The operator's capabilities and those without effect show only in a role that has them.
    if ((capability.isInternal || capability.isDeprecated) && !offered.has(capability.value))
      return false;
    if (isOnlyChosen && !chosen.has(capability.value)) return false;
    if (!isEvery && !chosen.has(capability.value) && whyNot(capability.value)) return false;
    return `${capability.name} ${capability.description.toLowerCase()}`.includes(
      find.toLowerCase(),
    );
  });
  const hasRefused = capabilities.some(
    (capability) => !capability.isInternal && !capability.isDeprecated && whyNot(capability.value),
  );
  const setAll = (changed: readonly Capability[], isOn: boolean) => {
    const others = values.capabilities.filter((capability) => !changed.includes(capability));
    onChange({ ...values, capabilities: isOn ? [...others, ...changed] : others });
  };
  return (
    <>
      <NamingFields
        naming={values}
        onChange={(naming) => onChange({ ...values, ...naming })}
        error={error}
      />
      <section class="roles-chooser" aria-label="Capabilities">
        <div class="toolbar">
          <SearchField label="Find a capability" value={find} onSearch={setFind} />
          <CheckField
            label="Only the chosen ones"
            checked={isOnlyChosen}
            onChange={setOnlyChosen}
          />
          {hasRefused && (
            <CheckField
              label="Also those that you cannot add"
              checked={isEvery}
              onChange={setEvery}
            />
          )}
          <span class="pale" role="status">
            {values.capabilities.length} chosen
          </span>
        </div>
        {violationOf(error, "capabilities") && (
          <p class="field-error">{violationOf(error, "capabilities")}</p>
        )}
        <div class="roles-kinds">
          {groups.map((group) => (
            <KindFields
              key={group.kind}
              group={group}
              chosen={chosen}
              whyNot={whyNot}
              setAll={setAll}
            />
          ))}
        </div>
      </section>
    </>
  );
}

interface KindFieldsProps {
  group: CapabilityGroup;
  chosen: ReadonlySet<string>;
  whyNot: (capability: Capability) => string | undefined;
  setAll: (capabilities: readonly Capability[], isOn: boolean) => void;
}

/** The capabilities of one kind. The first field chooses them all. */
function KindFields({ group: { title, members }, chosen, whyNot, setAll }: KindFieldsProps) {
  const free = members.filter(({ value }) => chosen.has(value) || !whyNot(value));
  const isAll = free.length > 0 && free.every(({ value }) => chosen.has(value));
  return (
    <fieldset class="roles-kind">
      <legend>{title}</legend>
      {free.length > 1 && (
        <CheckField
          label={`All of ${title.toLowerCase()}`}
          checked={isAll}
          onChange={(isOn) =>
            setAll(
              free.map(({ value }) => value),
              isOn,
            )
          }
        />
      )}
      {members.map(({ value, name, description }) => (
        <CheckField
          key={value}
          label={<code>{name}</code>}
          hint={description}
          checked={chosen.has(value)}
          refusal={chosen.has(value) ? undefined : whyNot(value)}
          onChange={(isOn) => setAll([value], isOn)}
        />
      ))}
    </fieldset>
  );
}

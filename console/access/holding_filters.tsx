/** The filters of the table that shows who has access. They are in the address. */
import { useIdentityChoice, useRoleChoice } from "../data/choices.ts";
import { useParameters } from "../data/parameters.ts";
import { IdentityPicker, RolePicker } from "../elements/pickers.tsx";

export function HoldingFilters({ group }: { group: string }) {
  const { get, set } = useParameters();
  const identity = useIdentityChoice(group, get("identity"));
  const role = useRoleChoice(get("role"));
  return (
    <div class="access-filters">
      <IdentityPicker
        label="Filter by identity"
        placeholder="Everyone"
        group={group}
        range="organization"
        value={identity}
        onChange={(choice) => set({ identity: choice?.uid })}
      />
      <RolePicker
        label="Filter by role"
        placeholder="Every role"
        group={group}
        value={role}
        onChange={(choice) => set({ role: choice?.uid })}
      />
    </div>
  );
}

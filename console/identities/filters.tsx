/** The filters above the list of identities. Each of them is in the address. */
import { useGroupPath } from "../data/names.ts";
import { rootOf } from "../data/uids.ts";
import { SelectField } from "../elements/fields.tsx";
import { GroupPicker } from "../elements/pickers.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { kindFilters } from "./kinds.ts";
import type { Filters } from "./listing.ts";

type Options = readonly (readonly [string, string])[];

const kinds: Options = [
  ["", "Any"],
  ...kindFilters.map(([value, , text]) => [value, text] as const),
];

const uses: Options = [
  ["", "Any"],
  ["30", "Unused 30 days"],
  ["90", "Unused 90 days"],
  ["180", "Unused 180 days"],
];

const expiries: Options = [
  ["", "Any"],
  ["0", "Expired"],
  ["7", "Within 7 days"],
  ["30", "Within 30 days"],
  ["90", "Within 90 days"],
];

/** A value of the address that is none of the options counts as none. */
const known = (options: Options, value: string): string =>
  options.some(([option]) => option === value) ? value : "";

/** Reads the filters from the address. The use and the expiry exclude each other, and the use wins. */
export function filtersOf(get: (key: string) => string, group: string): Filters {
  const unused = known(uses, get("unused"));
  return {
    group,
    unused,
    q: get("q"),
    kind: known(kinds, get("kind")),
    expiring: unused === "" ? known(expiries, get("expiring")) : "",
    order: get("order"),
  };
}

/** Whether anything but the group is filtered. */
export const isFiltered = ({ q, kind, unused, expiring }: Filters): boolean =>
  [q, kind, unused, expiring].some((value) => value !== "");

/** The address without filters. The group stays. */
export const noFilters = { q: "", kind: "", unused: "", expiring: "" };

interface FilterBarProps {
  filters: Filters;
  set: (changes: Record<string, string | undefined>) => void;
}

export function FilterBar({ filters, set }: FilterBarProps) {
  const { group, q, kind, unused, expiring } = filters;
  return (
    <div class="identities-filters">
      <div class="field">
        <span class="identities-filter-label">Name begins with</span>
        <SearchField label="Name begins with" value={q} onSearch={(text) => set({ q: text })} />
      </div>
      <SelectField
        label="Kind"
        value={kind}
        options={kinds}
        onChange={(value) => set({ kind: value })}
      />
      <SelectField
        label="Use"
        value={unused}
        options={uses}
        onChange={(value) => set({ unused: value, expiring: "" })}
      />
      <SelectField
        label="Static keys"
        value={expiring}
        options={expiries}
        onChange={(value) => set({ expiring: value, unused: "" })}
      />
      {group !== "" && <GroupFilter key={group} group={group} set={set} />}
    </div>
  );
}

function GroupFilter({ group, set }: { group: string } & Pick<FilterBarProps, "set">) {
  const name = useGroupPath(group).at(-1) ?? "";
  return (
    <GroupPicker
      key={name}
      label="Group"
      group={rootOf(group)}
      value={{ uid: group, name }}
      onChange={(choice) => choice && choice.uid !== group && set({ group: choice.uid })}
    />
  );
}

/** The tags of a repository: all of them, or those at the end of their life. */
import type { Repo } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { CheckFilter } from "../elements/check_filter.tsx";
import { SelectField } from "../elements/fields.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { EndOfLifeTable } from "./end_of_life_table.tsx";
import { PullBox } from "./pull.tsx";
import { TagTable } from "./tag_table.tsx";
import type { TagFilters } from "./use_tags.ts";

export function TagsView({ repo }: { repo: Repo }) {
  const { get, isOn, set } = useParameters();
  const filters: TagFilters = {
    search: get("q"),
    includeReferrers: isOn("referrers"),
    includeDates: isOn("dates"),
    includeEpochs: isOn("epochs"),
  };
  const isEndOfLife = get("show") === "end-of-life";
  const tools = (
    <>
      <SearchField
        label={isEndOfLife ? "Name contains" : "Name begins with"}
        value={filters.search}
        onSearch={(text) => set({ q: text.trim() })}
      />
      <SelectField
        label="Show"
        value={isEndOfLife ? "end-of-life" : "all"}
        options={[
          ["all", "All tags"],
          ["end-of-life", "End of life"],
        ]}
        onChange={(value) => set({ show: value === "all" ? "" : value })}
      />
      <fieldset class="repositories-kinds">
        <legend class="out-of-sight">Also show</legend>
        {kinds.map(([parameter, label, hint]) => (
          <span key={parameter} title={hint}>
            <CheckFilter label={label} name={parameter} />
          </span>
        ))}
      </fieldset>
    </>
  );
  return (
    <>
      <PullBox repo={repo} />
      {isEndOfLife ? (
        <EndOfLifeTable repo={repo} filters={filters} tools={tools} />
      ) : (
        <TagTable repo={repo} filters={filters} tools={tools} />
      )}
    </>
  );
}

const kinds = [
  ["dates", "Dates", "Tags that end in a date, such as 3.13-20261124"],
  ["epochs", "Epochs", "Tags that end in the epoch of a package, such as 3.13.1-r2"],
  ["referrers", "Referrers", "Tags of signatures and attestations, such as sha256-….sig"],
] as const;

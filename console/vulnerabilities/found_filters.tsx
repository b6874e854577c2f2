/** The filters above the vulnerabilities of a group. Each is a part of the address. */
import type { ComponentChildren } from "preact";
import { useParameters } from "../data/parameters.ts";
import { CheckFilter } from "../elements/check_filter.tsx";
import { SelectField } from "../elements/fields.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { ImageTimesFilter } from "./image_times.tsx";
import { RepoFilter } from "./repo_filter.tsx";

/** `children` come after the filters. */
export function FoundFilters({ group, children }: { group: string; children: ComponentChildren }) {
  const { get, set } = useParameters();
  return (
    <div class="toolbar">
      <SearchField
        label="Search ids, packages, package URLs"
        value={get("q")}
        onSearch={(q) => set({ q })}
      />
      <RepoFilter group={group} value={get("repo")} onChange={(repo) => set({ repo })} />
      <SelectField
        label="Fix"
        value={get("fix")}
        options={[
          ["", "Any"],
          ["yes", "Exists"],
          ["no", "None"],
        ]}
        onChange={(fix) => set({ fix })}
      />
      <ImageTimesFilter />
      <CheckFilter label="Open only" name="open" />
      <CheckFilter label="Tagged only" name="tagged" />
      {children}
    </div>
  );
}

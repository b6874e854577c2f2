/** The table of the tags of a repository. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Repo, Tag } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Empty } from "../elements/states.tsx";
import { RowCount, Table } from "../elements/table.tsx";
import { useEndOfLife } from "./end_of_life.ts";
import { PullDialog } from "./pull.tsx";
import { NoTagsYet } from "./push_steps.tsx";
import { tagColumns } from "./tag_columns.tsx";
import { DeleteTagDialog } from "./tag_deletion.tsx";
import { maySelect, SelectionBar, selectionColumn, useSelection } from "./tag_selection.tsx";
import { useTagDeprecation } from "./use_tag_deprecation.ts";
import { type TagFilters, useTags } from "./use_tags.ts";

/** The action of the person on a tag. */
type Task = { kind: "pull" | "delete"; tag: Tag };

interface TagTableProps {
  repo: Repo;
  filters: TagFilters;
  /** The filters as fields. They come before the number of rows. */
  tools: ComponentChildren;
}

export function TagTable({ repo, filters, tools }: TagTableProps) {
  const { get, set } = useParameters();
  const { rows, orderBy, leftOut } = useTags(repo.uid, filters, get("order") || "update_time desc");
  const { data: endOfLife } = useEndOfLife({ childrenOf: repo.uid });
  const permissions = useMay(repo.uid);
  const deprecation = useTagDeprecation(repo.uid);
  const [task, setTask] = useState<Task>();
  const isSearch = filters.search !== "";
  const selection = useSelection(filters);
  const hasSelection = maySelect(permissions);
  const columns = useMemo(
    () => [
      ...(hasSelection ? [selectionColumn(selection)] : []),
      ...tagColumns({
        repoUid: repo.uid,
        replacements: new Map(endOfLife?.tags.map((tag) => [tag.uid, tag.replacement])),
        permissions,
        isSearch,
        onPull: (tag) => setTask({ kind: "pull", tag }),
        onDelete: (tag) => setTask({ kind: "delete", tag }),
        onDeprecate: (tag) => deprecation.mutate({ tag, deprecated: !tag.deprecated }),
      }),
    ],
    [repo.uid, endOfLife, permissions, isSearch, deprecation.mutate, hasSelection, selection],
  );
  const close = () => setTask(undefined);
  return (
    <>
      <div class="toolbar">
        {tools}
        <RowCount rows={rows} noun={["tag", "tags"]} />
        {leftOut > 0 && !rows.isLoading && (
          <LeftOut count={leftOut} onShow={() => set({ dates: "1", epochs: "1" })} />
        )}
      </div>
      {deprecation.error && <ErrorNotice error={deprecation.error} />}
      {hasSelection && rows.count > 0 && (
        <SelectionBar repo={repo} rows={rows} selection={selection} permissions={permissions} />
      )}
      <Table
        label="Tags"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={<NoTags repo={repo} filters={filters} onClear={() => set({ q: "" })} />}
      />
      {task?.kind === "pull" && <PullDialog repo={repo} tag={task.tag} onClose={close} />}
      {task?.kind === "delete" && <DeleteTagDialog repo={repo} tag={task.tag} onClose={close} />}
    </>
  );
}

/** Says how many tags the list leaves out, and shows them. */
const LeftOut = ({ count, onShow }: { count: number; onShow: () => void }) => (
  <span class="pale">
    {count === 1 ? "1 that ends" : `${count} that end`} in a date or an epoch{" "}
    {count === 1 ? "is" : "are"} left out. <Button onClick={onShow}>Show all</Button>
  </span>
);

/** Says why there is no tag: none matches, the others are hidden, or there is none. */
function NoTags({
  repo,
  filters,
  onClear,
}: {
  repo: Repo;
  filters: TagFilters;
  onClear: () => void;
}) {
  const { search, includeDates, includeEpochs, includeReferrers } = filters;
  if (search !== "")
    return (
      <Empty title="No tag matches">
        <p>
          No name begins with “<bdi class="repositories-text">{search}</bdi>”.
        </p>
        <Button onClick={onClear}>Show all tags</Button>
      </Empty>
    );
  const isFiltered = !includeDates || !includeEpochs || !includeReferrers;
  const hint = "Dates, epochs and referrers are hidden until you switch them on.";
  return <NoTagsYet repo={repo} hint={isFiltered ? hint : ""} />;
}

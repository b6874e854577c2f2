/** All repositories of a group and of the groups below it. */
import { useMemo, useState } from "preact/hooks";
import type { Repo } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useCountedRows, useUncountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { Page } from "../elements/page.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { RowCount, Table } from "../elements/table.tsx";
import { DeleteRepositoryDialog } from "./delete_repository.tsx";
import { useEndOfLife } from "./end_of_life.ts";
import { NewRepositoryDialog } from "./new_repository.tsx";
import { repositoryColumns } from "./repository_columns.tsx";
import { useRepoSizes } from "./usages.ts";

export default function Repositories() {
  const { uid: group, group: shown } = useCurrentGroup();
  const { get, isOn, set } = useParameters();
  const [deleted, setDeleted] = useState<Repo>();
  const permissions = useMay(group);
  const isNew = isOn("new") && permissions.may("CAP_REPO_CREATE") === true;
  const search = get("q");
  const { rows, orderBy } = useRepositories(group, search, get("order") || "name");
  const { data: sizes } = useRepoSizes(group);
  const { data: endOfLife } = useEndOfLife({ descendantsOf: group });
  const columns = useMemo(
    () =>
      repositoryColumns({ group, sizes, endOfLife, isSearch: search !== "", onDelete: setDeleted }),
    [group, sizes, endOfLife, search],
  );
  const groupName = shown?.name ?? "this group";
  return (
    <Page
      title="Repositories"
      actions={
        <Button
          kind="primary"
          refusal={refusalOf(permissions, groupName, "CAP_REPO_CREATE")}
          onClick={() => set({ new: "1" })}
        >
          New repository
        </Button>
      }
    >
      <div class="toolbar">
        <SearchField
          label="Name begins with"
          value={search}
          onSearch={(text) => set({ q: text.trim() })}
        />
        <RowCount rows={rows} noun={["repository", "repositories"]} />
      </div>
      <Table
        label="Repositories"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={<NoRepositories search={search} onClear={() => set({ q: "" })} />}
      />
      {isNew && <NewRepositoryDialog group={group} onClose={() => set({ new: "" })} />}
      {deleted && <DeleteRepositoryDialog repo={deleted} onClose={() => setDeleted(undefined)} />}
    </Page>
  );
}

/** A search is sorted by name, because the platform finds the beginning of a name in that order. */
function useRepositories(group: string, search: string, wanted: string) {
  const client = useClient();
  const isSearch = search !== "";
  const orderBy = isSearch && !/^name\b/.test(wanted) ? "name" : wanted;
  const all = useCountedRows<Repo>({
    key: ["repos", { group, orderBy }],
    orderBy,
    list: (position) => client.repos.list({ descendantsOf: group, ...position }),
    enabled: group !== "" && !isSearch,
  });
  const matches = useUncountedRows<Repo>({
    key: ["repos", { group, orderBy, search }],
    list: (position) =>
      client.repos.list({ descendantsOf: group, namePrefix: search, orderBy, ...position }),
    enabled: group !== "" && isSearch,
  });
  return { rows: isSearch ? matches : all, orderBy };
}

function NoRepositories({ search, onClear }: { search: string; onClear: () => void }) {
  if (search === "")
    return (
      <Empty title="There are no repositories here yet">
        <p>
          Create one, or <a href="/docs/push-and-pull">push an image</a>, which creates its
          repository.
        </p>
      </Empty>
    );
  return (
    <Empty title="No repository matches">
      <p>
        No name begins with “<bdi class="repositories-text">{search}</bdi>”.
      </p>
      <Button onClick={onClear}>Show all repositories</Button>
    </Empty>
  );
}

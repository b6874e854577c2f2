/** All repositories of a group and of the groups below it. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Repo } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useCountedRows } from "../data/rows.ts";
import { Button } from "../elements/button.tsx";
import { Page } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { NewRepositoryDialog } from "./new_repository.tsx";

const columns: Column<Repo>[] = [
  {
    title: "Name",
    sort: "name",
    width: "minmax(10rem, 2fr)",
    cell: ({ uid, name }) => <Link href={addresses.repository(uid)}>{name}</Link>,
  },
  {
    title: "Description",
    from: "medium",
    width: "minmax(10rem, 3fr)",
    cell: ({ description }) => description ?? <span class="pale">none</span>,
  },
  {
    title: "Created",
    sort: "create_time",
    from: "wide",
    width: "9rem",
    cell: ({ createTime }) => <Time time={createTime} />,
  },
  {
    title: "Changed",
    sort: "update_time",
    width: "8rem",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

export default function Repositories() {
  const client = useClient();
  const { uid: group, group: shown } = useCurrentGroup();
  const { get, set } = useParameters();
  const [isNew, setNew] = useState(false);
  const { may } = useMay(group);
  const orderBy = get("order") || "name";
  const rows = useCountedRows<Repo>({
    key: ["repos", { group, orderBy }],
    list: (position) => client.repos.list({ descendantsOf: group, orderBy, ...position }),
    enabled: group !== "",
  });
  const refusal =
    may("CAP_REPO_CREATE") === false
      ? `You need the repo.create capability on ${shown?.name ?? "this group"}.`
      : undefined;
  return (
    <Page
      title="Repositories"
      actions={
        <Button kind="primary" refusal={refusal} onClick={() => setNew(true)}>
          New repository
        </Button>
      }
    >
      <div class="toolbar">
        <RowCount rows={rows} noun={["repository", "repositories"]} />
      </div>
      <Table
        label="Repositories"
        columns={columns}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title="There are no repositories here yet">
            <p>
              Create one, or <a href="/docs/push">push an image</a>, which creates its repository.
            </p>
          </Empty>
        }
      />
      {isNew && <NewRepositoryDialog group={group} onClose={() => setNew(false)} />}
    </Page>
  );
}

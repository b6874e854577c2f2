/** One repository: its tags, its readme and its settings. */
import { useQuery } from "@tanstack/preact-query";
import { Link } from "wouter-preact";
import type { Tag } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useCountedRows } from "../data/rows.ts";
import { Badge } from "../elements/badge.tsx";
import { Digest } from "../elements/copy.tsx";
import { Page } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { type Column, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/routes.ts";

const columns: Column<Tag>[] = [
  {
    title: "Tag",
    sort: "name",
    cell: ({ uid, name, deprecated }) => (
      <>
        <Link href={addresses.tag(uid)}>{name}</Link> {deprecated && <Badge>end of life</Badge>}
      </>
    ),
  },
  { title: "Digest", width: "16rem", cell: ({ digest }) => digest && <Digest digest={digest} /> },
  {
    title: "Moved",
    sort: "update_time",
    width: "9rem",
    from: "medium",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

export default function Repository({ rest: uid }: PageProps) {
  const client = useClient();
  const { get, set } = useParameters();
  const orderBy = get("order") || "update_time desc";
  const repo = useQuery({ queryKey: ["repos", uid], queryFn: () => client.repos.get(uid) });
  const rows = useCountedRows<Tag>({
    key: ["tags", { uid, orderBy }],
    list: (position) => client.tags.list({ childrenOf: uid, orderBy, ...position }),
  });
  return (
    <Answer query={repo}>
      {({ name, description }) => (
        <Page title={name} path={[["Repositories", addresses.repositories()]]} lead={description}>
          <Table
            label="Tags"
            columns={columns}
            rows={rows}
            keyOf={(tag) => tag.uid}
            sorting={{ orderBy, onSort: (order) => set({ order }) }}
            empty={<Empty title="There are no tags here yet" />}
          />
        </Page>
      )}
    </Answer>
  );
}

/** The tags of a repository at the end of their life: who still pulls them, and what replaces them. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { EndOfLifeTag, Repo } from "../../client/index.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { patternOf } from "../data/pattern.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useUncountedRows } from "../data/rows.ts";
import { Consumers } from "../elements/consumers.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { ImageLink } from "./tag_columns.tsx";
import { useTagDeprecation } from "./use_tag_deprecation.ts";
import type { TagFilters } from "./use_tags.ts";

const columns = (shown: {
  permissions: Permissions;
  onRemove: (tag: EndOfLifeTag) => void;
}): Column<EndOfLifeTag>[] => [
  {
    title: "Tag",
    width: "minmax(8rem, 2fr)",
    cell: ({ uid, tag }) => (
      <Link href={addresses.tag(uid)}>
        <bdi>{tag}</bdi>
      </Link>
    ),
  },
  {
    title: "Replaced by",
    width: "minmax(6rem, 1fr)",
    cell: ({ replacement }) =>
      replacement?.uid ? (
        <Link href={addresses.tag(replacement.uid)}>
          <bdi>{replacement.tag}</bdi>
        </Link>
      ) : (
        <span class="pale" title="No newer tag of the same line exists">
          –
        </span>
      ),
  },
  {
    title: "Digest",
    width: "11.5rem",
    from: "wide",
    cell: ({ repoUid = "", digest }) => <ImageLink repoUid={repoUid} digest={digest} />,
  },
  {
    title: "End of life since",
    sort: "deprecated_time",
    width: "9rem",
    from: "medium",
    cell: ({ deprecatedTime }) => <Time time={deprecatedTime} absent="not recorded" />,
  },
  {
    title: "Last pull",
    width: "7.5rem",
    from: "medium",
    cell: ({ lastPullTime }) => <Time time={lastPullTime} absent="none recorded" />,
  },
  {
    title: "Pulled by",
    width: "minmax(8rem, 2fr)",
    from: "wide",
    cell: (tag) => <Consumers tag={tag} />,
  },
  {
    title: "Actions",
    isTitleHidden: true,
    width: "1.75rem",
    cell: (tag) => (
      <Menu
        quiet
        label={`Actions for ${tag.tag}`}
        actions={[
          {
            text: "Remove the end of life",
            run: () => shown.onRemove(tag),
            refusal: refusalOf(shown.permissions, "this repository", "CAP_TAG_CREATE"),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
    ),
  },
];

interface EndOfLifeTableProps {
  repo: Repo;
  filters: TagFilters;
  /** The filters as fields. They come before the number of rows. */
  tools: ComponentChildren;
}

export function EndOfLifeTable({ repo, filters, tools }: EndOfLifeTableProps) {
  const client = useClient();
  const { get, set } = useParameters();
  const { search, ...included } = filters;
  // Another list has other orders.
  const orderBy = /^deprecated_time\b/.test(get("order")) ? get("order") : "uid";
  const rows = useUncountedRows<EndOfLifeTag>({
    key: ["tags", "end of life rows", repo.uid, { ...filters, orderBy }],
    list: (position) =>
      client.endOfLifeTags.list({
        childrenOf: repo.uid,
        ...included,
        orderBy,
        tag: patternOf(search),
        ...position,
      }),
  });
  const permissions = useMay(repo.uid);
  const deprecation = useTagDeprecation(repo.uid);
  const shown = useMemo(
    () =>
      columns({
        permissions,
        onRemove: ({ uid, tag = "" }) =>
          deprecation.mutate({ tag: { uid, name: tag }, deprecated: false }),
      }),
    [permissions, deprecation.mutate],
  );
  return (
    <>
      <div class="toolbar">
        {tools}
        <RowCount rows={rows} noun={["tag", "tags"]} />
      </div>
      {deprecation.error && <ErrorNotice error={deprecation.error} />}
      <Table
        label="Tags at their end of life"
        columns={shown}
        rows={rows}
        keyOf={({ uid }) => uid}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title="No tag is at its end of life">
            <p>
              To mark a tag that gets no new builds, choose “All tags”, and then the menu of its
              row.
            </p>
          </Empty>
        }
      />
    </>
  );
}

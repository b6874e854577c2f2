/** The end-of-life tags of a group: who still pulls them, and what replaces them. */
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import type { EndOfLifeTag } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { patternOf } from "../data/pattern.ts";
import { isPeriod, periodOptions, startOfPeriod } from "../data/periods.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useUncountedRows } from "../data/rows.ts";
import { Consumers } from "../elements/consumers.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Page } from "../elements/page.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

const columns: Column<EndOfLifeTag>[] = [
  {
    title: "Tag",
    width: "minmax(6.5rem, 3fr)",
    cell: ({ uid = "", repoName, tag }) => (
      <Link href={addresses.tag(uid)}>
        <bdi>
          {repoName}:{tag}
        </bdi>
      </Link>
    ),
  },
  {
    title: "Replaced by",
    width: "minmax(5rem, 1fr)",
    cell: ({ replacement }) =>
      replacement?.uid ? (
        <Link href={addresses.tag(replacement.uid)}>
          <bdi>{replacement.tag}</bdi>
        </Link>
      ) : (
        <span class="pale">none</span>
      ),
  },
  {
    title: "Pulled by",
    from: "medium",
    width: "minmax(8rem, 2fr)",
    cell: (tag) => <Consumers tag={tag} />,
  },
  {
    title: "Last pull",
    width: "minmax(6rem, 7.6rem)",
    cell: ({ lastPullTime }) => <Time time={lastPullTime} absent="none recorded" />,
  },
  {
    title: "End of life since",
    from: "wide",
    width: "9rem",
    cell: ({ deprecatedTime }) => <Time time={deprecatedTime} absent="not recorded" />,
  },
];

export default function EndOfLife() {
  const { uid: group, group: shown } = useCurrentGroup();
  const permissions = useMay(group);
  const name = shown?.name ?? "this group";
  const refusal = refusalOf(permissions, name, "CAP_TAG_LIST");
  return (
    <Page
      title="End-of-life tags"
      lead={
        <>
          Tags of {name} that get no updates any more, and who pulled them in the last 90 days.{" "}
          <a href="/docs/end-of-life">The guide</a> shows how to mark a tag.
        </>
      }
    >
      {refusal ? (
        <Empty title="You cannot see these tags">
          <p>{refusal}</p>
        </Empty>
      ) : (
        <TagList group={group} />
      )}
    </Page>
  );
}

function TagList({ group }: { group: string }) {
  const client = useClient();
  const { get, set } = useParameters();
  const [repo, tag, pulled, order] = [get("repo"), get("tag"), get("pulled"), get("order")];
  const pulledSince = useMemo(
    () => (isPeriod(pulled) ? startOfPeriod(pulled, Date.now()) : undefined),
    [pulled],
  );
  const request = {
    descendantsOf: group,
    repo: patternOf(repo),
    tag: patternOf(tag),
    pulledSince,
    ...(order === "" ? {} : { orderBy: order }),
  };
  const rows = useUncountedRows<EndOfLifeTag>({
    key: ["end of life", request],
    list: (position) => client.endOfLifeTags.list({ ...request, ...position }),
    enabled: group !== "",
  });
  return (
    <>
      <search class="toolbar">
        <SearchField label="Repository" value={repo} onSearch={(text) => set({ repo: text })} />
        <SearchField label="Tag" value={tag} onSearch={(text) => set({ tag: text })} />
        <SelectField
          label="Pulled in"
          value={pulled}
          options={[["", "Any time or never"], ...periodOptions]}
          onChange={(next) => set({ pulled: next })}
        />
        <SelectField
          label="Order"
          value={order}
          options={[
            ["", "By repository"],
            ["deprecated_time desc", "Latest end of life first"],
            ["deprecated_time", "Earliest end of life first"],
          ]}
          onChange={(next) => set({ order: next })}
        />
        <RowCount rows={rows} noun={["tag", "tags"]} />
      </search>
      <Table
        label="End-of-life tags"
        columns={columns}
        rows={rows}
        keyOf={({ uid = "" }) => uid}
        empty={
          [repo, tag, pulled].some(Boolean) ? (
            <Empty title="No end-of-life tag matches these filters">
              <p>Remove a filter to see the other tags.</p>
            </Empty>
          ) : (
            <Empty title="No tag is at its end of life">
              <p>
                Mark a tag that gets no new builds in the list of tags of its{" "}
                <Link href={addresses.repositories(group)}>repository</Link>.
              </p>
            </Empty>
          )
        }
      />
    </>
  );
}

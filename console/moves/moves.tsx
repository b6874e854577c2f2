/** How the tags of a group moved, and the moves that can be a mistake. */
import { useMemo, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { RecordedTagMove } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useCurrentGroup } from "../data/group.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { patternOf } from "../data/pattern.ts";
import { isPeriod, periodOptions, startOfPeriod } from "../data/periods.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { useUncountedRows } from "../data/rows.ts";
import { CheckFilter } from "../elements/check_filter.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Page } from "../elements/page.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import {
  MovedTag,
  MoveKindBadge,
  MoveOverride,
  Mover,
  MoveWarnings,
  moveKindOf,
  moveKindOptions,
} from "../elements/tag_moves.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { MoveBackDialog, type MovedBackTag } from "../timeline/move_back_dialog.tsx";

/** A tag that the person wants to move back, and where to. */
interface Wanted {
  tag: MovedBackTag;
  to: string;
}

interface Shown {
  /** On the group. A person with a role on a repository only can move its tags back on their own pages. */
  permissions: Permissions;
  onMoveBack: (wanted: Wanted) => void;
}

const columnsOf = (shown: Shown): Column<RecordedTagMove>[] => [
  {
    title: "Tag",
    width: "minmax(6.5rem, 3fr)",
    cell: (move) => (
      <>
        <MovedTag move={move} />
        <MoveOverride move={move} narrow />
      </>
    ),
  },
  {
    title: "Move",
    from: "medium",
    width: "6rem",
    cell: ({ kind }) => <MoveKindBadge kind={kind} />,
  },
  {
    title: "Warnings",
    from: "medium",
    width: "minmax(4.5rem, 2fr)",
    cell: (move) => <MoveWarnings move={move} />,
  },
  {
    title: "From and to",
    from: "wide",
    width: "19rem",
    cell: ({ repoUid = "", digest = "", previousDigest = "" }) => (
      <code class="moves-digests">
        <span title={previousDigest}>{shortDigest(previousDigest, 10) || "nothing"}</span>
        {" → "}
        {digest === "" ? (
          "nothing"
        ) : (
          <Link href={addresses.image(repoUid, digest)} title={digest}>
            {shortDigest(digest, 10)}
          </Link>
        )}
      </code>
    ),
  },
  {
    title: "By",
    from: "medium",
    width: "minmax(4.4rem, 1fr)",
    cell: (move) => <Mover move={move} />,
  },
  { title: "When", width: "6.8rem", cell: ({ updateTime }) => <Time time={updateTime} /> },
  {
    title: "Actions",
    isTitleHidden: true,
    width: "1.75rem",
    cell: (move) => <MoveMenu move={move} shown={shown} />,
  },
];

/** A move leads from one digest to another, and the tag can go back to either. */
function MoveMenu({
  move: { repoUid = "", tag: name = "", digest = "", previousDigest = "" },
  shown: { permissions, onMoveBack },
}: {
  move: RecordedTagMove;
  shown: Shown;
}) {
  const refusal = refusalOf(permissions, "this group", "CAP_TAG_CREATE", "CAP_TAG_LIST");
  const ends = [
    ["before this move", previousDigest],
    ["after this move", digest],
  ].filter(([, to]) => to !== "");
  return (
    <Menu
      quiet
      label={`Actions for the move of ${name}`}
      actions={ends.map(([when, to = ""]) => ({
        text: `Move the tag back to ${shortDigest(to)}, ${when}`,
        run: () => onMoveBack({ tag: { repo: repoUid, name }, to }),
        refusal,
      }))}
    >
      <Icon name="more" />
    </Menu>
  );
}

export default function Moves() {
  const { uid: group, group: shown } = useCurrentGroup();
  const permissions = useMay(group);
  const name = shown?.name ?? "this group";
  const refusal = refusalOf(permissions, name, "CAP_TAG_LIST");
  return (
    <Page title="Tag moves" lead={`How the tags of ${name} moved, the newest move first.`}>
      {refusal ? (
        <Empty title="You cannot see these moves">
          <p>{refusal}</p>
        </Empty>
      ) : (
        <MoveList group={group} permissions={permissions} />
      )}
    </Page>
  );
}

function MoveList({ group, permissions }: { group: string; permissions: Permissions }) {
  const client = useClient();
  const [wanted, setWanted] = useState<Wanted>();
  const columns = useMemo(() => columnsOf({ permissions, onMoveBack: setWanted }), [permissions]);
  const { get, isOn, set } = useParameters();
  const [repo, tag, period] = [get("repo"), get("tag"), get("period")];
  const kind = moveKindOf(get("kind"));
  const hasWarnings = isOn("warnings");
  // A period ends now, so its beginning must not move while the pages of the list are read.
  const since = useMemo(
    () => (isPeriod(period) ? startOfPeriod(period, Date.now()) : undefined),
    [period],
  );
  const request = {
    descendantsOf: group,
    since,
    repo: patternOf(repo),
    tag: patternOf(tag),
    ...(kind ? { kinds: [kind] } : {}),
    ...(hasWarnings ? { hasWarnings } : {}),
  };
  const rows = useUncountedRows<RecordedTagMove>({
    key: ["moves", request],
    list: (position) => client.tagHistory.listTagMoves({ ...request, ...position }),
    enabled: group !== "",
  });
  const isFiltered = [repo, tag, kind, period].some(Boolean) || hasWarnings;
  return (
    <>
      <search class="toolbar">
        <SearchField label="Repository" value={repo} onSearch={(text) => set({ repo: text })} />
        <SearchField label="Tag" value={tag} onSearch={(text) => set({ tag: text })} />
        <SelectField
          label="Move"
          value={kind ?? ""}
          options={[["", "Any"], ...moveKindOptions]}
          onChange={(next) => set({ kind: next })}
        />
        <SelectField
          label="Time"
          value={period}
          options={[["", "Any time"], ...periodOptions]}
          onChange={(next) => set({ period: next })}
        />
        <CheckFilter label="With a warning" name="warnings" />
        <RowCount rows={rows} noun={["move", "moves"]} />
      </search>
      <Table
        label="Tag moves"
        columns={columns}
        rows={rows}
        keyOf={(move) => `${move.repoUid} ${move.tag} ${move.updateTime}`}
        empty={
          isFiltered ? (
            <Empty title="No move matches these filters">
              <p>Remove a filter, or choose a longer time.</p>
            </Empty>
          ) : (
            <Empty title="No tag has moved yet">
              <p>
                <a href="/docs/push-and-pull">Push an image</a>, and its tags appear here.
              </p>
            </Empty>
          )
        }
      />
      {wanted && <MoveBackDialog {...wanted} onClose={() => setWanted(undefined)} />}
    </>
  );
}

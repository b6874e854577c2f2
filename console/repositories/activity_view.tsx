/** How the tags of a repository moved, with signs of mistakes and attacks. */
import { Link } from "wouter-preact";
import type { RecordedTagMove, TagMoveKind } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { useParameters } from "../data/parameters.ts";
import { patternOf } from "../data/pattern.ts";
import { useClient } from "../data/platform.tsx";
import { useUncountedRows } from "../data/rows.ts";
import { CheckFilter } from "../elements/check_filter.tsx";
import { SelectField } from "../elements/fields.tsx";
import { Icon } from "../elements/icon.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import {
  MoveKindBadge,
  MoveOverride,
  Mover,
  MoveWarnings,
  moveKindOf,
  moveKindOptions,
} from "../elements/tag_moves.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

const methodTexts: Record<string, string> = {
  TAG_MOVE_METHOD_API: "API",
  TAG_MOVE_METHOD_REGISTRY: "Registry",
  TAG_MOVE_METHOD_IMPORT: "Import",
  TAG_MOVE_METHOD_EXPIRY: "Expiry plan",
  TAG_MOVE_METHOD_MIRROR: "Mirror",
};

const columns: Column<RecordedTagMove>[] = [
  {
    title: "Tag",
    width: "minmax(5rem, 1.5fr)",
    cell: (move) => <Tag move={move} />,
  },
  {
    title: "Move",
    width: "6.5rem",
    cell: ({ kind, warnings = [] }) => <Kind kind={kind} isWarned={warnings.length > 0} />,
  },
  {
    title: "Image",
    width: "19.25rem",
    from: "medium",
    cell: (move) => <Digests move={move} />,
  },
  {
    title: "Warnings",
    width: "minmax(7.5rem, 1fr)",
    from: "medium",
    cell: (move) => <MoveWarnings move={move} />,
  },
  {
    title: "By",
    width: "minmax(6rem, 1fr)",
    from: "wide",
    cell: (move) => <MoverAndMethod move={move} />,
  },
  {
    title: "Time",
    sort: "update_time",
    width: "minmax(6rem, 7.75rem)",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

function Tag({ move }: { move: RecordedTagMove }) {
  const { repoUid = "", tag = "" } = move;
  return (
    <>
      <Link href={addresses.tagNamed(repoUid, tag)} title={tag}>
        <bdi>{tag}</bdi>
      </Link>
      <MoveOverride move={move} narrow />
    </>
  );
}

/** In a narrow window there is no column for warnings, so a sign says that there are some. */
function Kind({ kind, isWarned }: { kind: TagMoveKind | undefined; isWarned: boolean }) {
  return (
    <>
      <MoveKindBadge kind={kind} />
      {isWarned && (
        <span class="repositories-sign repositories-warned" title="With a warning">
          <Icon name="warning" />
          <span class="out-of-sight">With a warning</span>
        </span>
      )}
    </>
  );
}

function Digests({ move: { repoUid = "", digest, previousDigest } }: { move: RecordedTagMove }) {
  return (
    <span class="repositories-digests">
      {previousDigest && <ShortDigest repoUid={repoUid} digest={previousDigest} />}
      {previousDigest && digest && <span aria-hidden="true">→</span>}
      {digest && <ShortDigest repoUid={repoUid} digest={digest} />}
    </span>
  );
}

function ShortDigest({ repoUid, digest }: { repoUid: string; digest: string }) {
  return (
    <Link href={addresses.image(repoUid, digest)}>
      <code title={digest}>{shortDigest(digest, 10)}</code>
    </Link>
  );
}

function MoverAndMethod({ move }: { move: RecordedTagMove }) {
  const how = methodTexts[move.method ?? ""];
  return (
    <span class="repositories-name">
      <Mover move={move} />
      {how && <span class="pale">{how}</span>}
    </span>
  );
}

/** `repoUid` can be that of a deleted repository. */
export function ActivityView({ repoUid }: { repoUid: string }) {
  const client = useClient();
  const { get, isOn, set } = useParameters();
  const [tag, isWarned] = [get("q"), isOn("warnings")];
  const kind = moveKindOf(get("kind"));
  const orderBy = get("order") === "update_time" ? "update_time" : "update_time desc";
  const filters = {
    ...(tag === "" ? {} : { tag: patternOf(tag) }),
    ...(kind ? { kinds: [kind] } : {}),
    ...(isWarned ? { hasWarnings: true } : {}),
  };
  const rows = useUncountedRows<RecordedTagMove>({
    key: ["tags", "moves", repoUid, { ...filters, orderBy }],
    list: (position) =>
      client.tagHistory.listTagMoves({ childrenOf: repoUid, ...filters, orderBy, ...position }),
  });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <div class="toolbar">
        <SearchField
          label="Tag contains"
          value={tag}
          onSearch={(text) => set({ q: text.trim() })}
        />
        <SelectField
          label="Move"
          value={kind ?? ""}
          options={[["", "Any"], ...moveKindOptions]}
          onChange={(value) => set({ kind: value })}
        />
        <CheckFilter label="With a warning" name="warnings" />
        <RowCount rows={rows} noun={["move", "moves"]} />
      </div>
      <Table
        label="Moves of tags"
        columns={columns}
        rows={rows}
        keyOf={({ tag: name, updateTime }) => `${name} ${updateTime}`}
        sorting={{ orderBy, onSort: (order) => set({ order }) }}
        empty={
          <Empty title={isFiltered ? "No move matches" : "No tag has moved yet"}>
            <p>
              {isFiltered
                ? "Change the filters to see other moves."
                : "A move appears here when a tag is created, points to another image, or is deleted."}
            </p>
          </Empty>
        }
      />
    </>
  );
}

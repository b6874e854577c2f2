/** How the tags of a repository moved, with signs of mistakes and attacks. */
import { Link } from "wouter-preact";
import type { RecordedTagMove, TagMoveKind, TagMoveWarning } from "../../client/index.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useUncountedRows } from "../data/rows.ts";
import { Badge, type Tone } from "../elements/badge.tsx";
import { CheckField, SelectField } from "../elements/fields.tsx";
import { Icon } from "../elements/icon.tsx";
import { SearchField } from "../elements/search_field.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, RowCount, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

const kindTexts: Record<string, readonly [text: string, tone: Tone]> = {
  TAG_MOVE_KIND_CREATED: ["Created", "good"],
  TAG_MOVE_KIND_MOVED: ["Moved", "plain"],
  TAG_MOVE_KIND_ROLLED_BACK: ["Rolled back", "warn"],
  TAG_MOVE_KIND_DELETED: ["Deleted", "bad"],
};

const warningTexts: Record<string, readonly [text: string, why: string]> = {
  TAG_MOVE_WARNING_RELEASE_MOVED: [
    "Release moved",
    "The name is a complete version, which should always be the same image.",
  ],
  TAG_MOVE_WARNING_OLDER_DIGEST: [
    "Older digest",
    "The tag points again to an image that it had pointed to before.",
  ],
  TAG_MOVE_WARNING_MANY_TAGS: [
    "Many tags",
    "Unusually many tags of the repository moved at the same time.",
  ],
};

const methodTexts: Record<string, string> = {
  TAG_MOVE_METHOD_API: "API",
  TAG_MOVE_METHOD_REGISTRY: "Registry",
  TAG_MOVE_METHOD_IMPORT: "Import",
};

const columns: Column<RecordedTagMove>[] = [
  {
    title: "Tag",
    width: "minmax(5rem, 1.5fr)",
    cell: ({ repoUid = "", tag = "" }) => (
      <Link href={addresses.tagNamed(repoUid, tag)} title={tag}>
        <bdi>{tag}</bdi>
      </Link>
    ),
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
    cell: ({ warnings = [] }) => <Warnings warnings={warnings} />,
  },
  {
    title: "By",
    width: "minmax(6rem, 1fr)",
    from: "wide",
    cell: (move) => <Mover move={move} />,
  },
  {
    title: "Time",
    sort: "update_time",
    width: "7.75rem",
    cell: ({ updateTime }) => <Time time={updateTime} />,
  },
];

/** In a narrow window there is no column for warnings, so a sign says that there are some. */
function Kind({ kind = "", isWarned }: { kind?: string | undefined; isWarned: boolean }) {
  const [text, tone] = kindTexts[kind] ?? [kind, "plain"];
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
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
  const [algorithm = "", hash = ""] = digest.split(":");
  return (
    <Link href={addresses.image(repoUid, digest)}>
      <code title={digest}>{`${algorithm}:${hash.slice(0, 10)}`}</code>
    </Link>
  );
}

function Warnings({ warnings }: { warnings: readonly TagMoveWarning[] }) {
  return (
    <span class="repositories-warnings">
      {warnings.map((warning) => {
        const [text, why] = warningTexts[warning] ?? [warning, ""];
        return (
          <span key={warning} title={why}>
            <Badge tone="warn">{text}</Badge>
          </span>
        );
      })}
    </span>
  );
}

function Mover({ move: { identityUid, identityName, method } }: { move: RecordedTagMove }) {
  const how = methodTexts[method ?? ""];
  const name = identityName || identityUid;
  return (
    <span class="repositories-name">
      {name ? (
        <bdi title={identityUid}>{name}</bdi>
      ) : (
        <span class="pale" title="The platform did not record who moved it">
          not known
        </span>
      )}
      {how && <span class="pale">{how}</span>}
    </span>
  );
}

const kinds: readonly (readonly [string, string])[] = [
  ["", "All"],
  ...Object.entries(kindTexts).map(([kind, [text]]) => [kind, text] as const),
];

/** `repoUid` can be that of a deleted repository. */
export function ActivityView({ repoUid }: { repoUid: string }) {
  const client = useClient();
  const { get, set } = useParameters();
  const [tag, kind, isWarned] = [get("q"), get("kind"), get("warnings") !== ""];
  const orderBy = get("order") === "update_time" ? "update_time" : "update_time desc";
  const filters = {
    ...(tag === "" ? {} : { tag: /[*]/.test(tag) ? tag : `*${tag}*` }),
    ...(kind in kindTexts ? { kinds: [kind as TagMoveKind] } : {}),
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
          label="Kind"
          value={kind in kindTexts ? kind : ""}
          options={kinds}
          onChange={(value) => set({ kind: value })}
        />
        <CheckField
          label="Only with warnings"
          checked={isWarned}
          onChange={(isOn) => set({ warnings: isOn ? "1" : "" })}
        />
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

/** The records in the picture as a table. It is the picture for those who cannot see or use it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { Badge, type Tone } from "../elements/badge.tsx";
import { formatCount } from "../elements/bytes.ts";
import { Digest } from "../elements/copy.tsx";
import { Section } from "../elements/page.tsx";
import { Empty } from "../elements/states.tsx";
import { type Column, Table } from "../elements/table.tsx";
import { Overrode } from "../elements/tag_moves.tsx";
import { exactTime, relativeTime } from "../elements/time.tsx";
import type { Which } from "./markers.ts";
import type { Scene } from "./plot.ts";
import type { TimeRange } from "./range.ts";
import { Kind, type TagRecord } from "./records.ts";
import { kindWord, moverName, servedFor, shortTime, warningReason, warningWord } from "./words.ts";

interface MovesProps {
  scene: Scene;
  version: number;
  /** The record of the chosen moment. */
  chosen: number | undefined;
  onChoose: (which: Which, time: number) => void;
  onPoint: (time: number | undefined) => void;
}

/** In milliseconds. The table follows the picture after this pause. */
const pause = 150;

export function MovesTable({ scene, version, chosen, onChoose, onPoint }: MovesProps) {
  const range = useSettledRange(scene);
  const { records, now } = scene;
  const { first, last } = useMemo(
    () => records.within(range.from, range.to),
    [records, version, range],
  );
  const columns = useMemo(() => columnsOf(now(), onChoose), [Math.floor(now() / 60_000), onChoose]);
  const count = Math.max(0, last - first + 1);
  const all = records.count;
  return (
    <Section
      title="Records in the picture"
      actions={
        <span class="pale" role="status">
          {count === all
            ? `${formatCount(all)} ${all === 1 ? "record" : "records"}`
            : `${formatCount(count)} of ${formatCount(all)} records`}
        </span>
      }
    >
      <Table
        label="Records in the picture, the newest first"
        columns={columns}
        rows={{
          count,
          isComplete: true,
          row: (index) => records.get(first + index),
          show() {},
          isLoading: false,
          error: null,
          retry() {},
        }}
        keyOf={({ time }) => String(time)}
        isCurrent={({ index }) => index === chosen}
        onPoint={(row) => onPoint(row?.time)}
        empty={
          <Empty title="No record is in this part of the picture">
            <p>Zoom out, or move the picture, to see the other records.</p>
          </Empty>
        }
      />
    </Section>
  );
}

/** The part in the picture, when it has not changed for a moment. */
function useSettledRange({ view }: Scene): TimeRange {
  const [range, setRange] = useState(view.range);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    setRange(view.range);
    const end = view.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => setRange(view.range), pause);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [view]);
  return range;
}

const tones: Record<number, Tone> = {
  [Kind.created]: "good",
  [Kind.rolledBack]: "warn",
  [Kind.deleted]: "plain",
};

function columnsOf(now: number, onChoose: MovesProps["onChoose"]): Column<TagRecord>[] {
  return [
    {
      title: "Moved",
      width: "minmax(6.5rem, 10.5rem)",
      cell: ({ time }) => (
        <button
          type="button"
          class="text-button"
          title={`${exactTime(time)}, ${relativeTime(time, now)}. Choose this moment`}
          onClick={() => onChoose("first", time)}
        >
          <time dateTime={new Date(time).toISOString()}>{shortTime(time)}</time>
        </button>
      ),
    },
    {
      title: "Digest",
      width: "minmax(4rem, 13rem)",
      cell: ({ digest }) =>
        digest === "" ? <span class="pale">none</span> : <Digest digest={digest} />,
    },
    { title: "For", width: "10.5rem", from: "medium", cell: (record) => servedFor(record, now) },
    { title: "Kind", width: "minmax(5.5rem, 1.6fr)", cell: kindCell },
    {
      title: "By",
      width: "minmax(5rem, 1fr)",
      from: "wide",
      cell: ({ mover }) => <bdi>{moverName(mover)}</bdi>,
    },
    {
      title: "Compare",
      width: "5.5rem",
      from: "medium",
      align: "end",
      cell: ({ time }) => (
        <button
          type="button"
          class="text-button"
          aria-label={`Compare with ${exactTime(time)}`}
          onClick={() => onChoose("second", time)}
        >
          Compare
        </button>
      ),
    },
  ];
}

/** A warning says that the tag moved. A rollback has one of its own always, which says the same as the kind. */
function kindCell({ kind, warnings, override }: TagRecord) {
  const others = warnings.filter((warning) => warning !== "TAG_MOVE_WARNING_OLDER_DIGEST");
  return (
    <>
      {(others.length === 0 || kind !== Kind.moved) && (
        <Badge tone={tones[kind] ?? "info"}>{kindWord(kind)}</Badge>
      )}
      {others.map((warning) => (
        <span key={warning} title={warningReason(warning)}>
          {" "}
          <Badge tone="bad">{warningWord(warning)}</Badge>
        </span>
      ))}
      {override && <Overrode {...override} />}
    </>
  );
}

/** The picture of a tag's life, with everything that depends on it. Its state is in the address. */
import { useCallback, useEffect, useId, useMemo, useRef } from "preact/hooks";
import { useImageName } from "../data/references.ts";
import { formatCount } from "../elements/bytes.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TagCheck } from "../tag_rules/tag_check.tsx";
import { ComparePanel } from "./compare.tsx";
import { type HistoryLoader, maxRecords, type TagName } from "./history_loader.ts";
import type { Which } from "./markers.ts";
import { MomentPanel } from "./moment.tsx";
import { MovesTable } from "./moves_table.tsx";
import { Overview } from "./overview.tsx";
import { Picture } from "./picture.tsx";
import type { Scene } from "./plot.ts";
import type { TimeRange } from "./range.ts";
import type { Records, TagRecord } from "./records.ts";
import { scaleOf } from "./scale.ts";
import { Progress, StatisticsLine } from "./summary.tsx";
import { Hint, Legend, ViewButtons } from "./tools.tsx";
import { useMoments, useViewAddress } from "./use_address.ts";
import type { History } from "./use_history.ts";
import { useRecordAt } from "./use_record_at.ts";
import { View } from "./view.ts";

interface LifeProps extends History {
  tag: TagName;
  repoName: string;
}

/** The picture on top, then what was chosen in it, then its records as a table. */
export function Life({ loader, version, now, tag, repoName }: LifeProps) {
  const { records } = loader;
  const scene = useScene(loader, version, now);
  const moments = useMoments();
  const { at: chosenTime, compareWith, isComparing, choose, compare } = moments;
  const pointer = useRef({ point(_: number | undefined) {} });
  const hintId = useId();
  const [first, second] = [chosenTime ?? now, isComparing ? (compareWith ?? now) : undefined];
  const index = records.indexAt(first);
  const onChoose = useCallback(
    (which: Which, time: number) => {
      // A marker at the end means now, also later.
      const chosen = time >= scene.now() ? undefined : time;
      if (which === "first") choose(chosen);
      else compare(chosen);
    },
    [scene],
  );
  // Most changes of the page leave the table as it is, and it has by far the most elements.
  const table = useMemo(
    () => (
      <MovesTable
        scene={scene}
        version={version}
        onChoose={onChoose}
        chosen={index < 0 ? undefined : index}
        onPoint={(time) => pointer.current.point(time)}
      />
    ),
    [scene, version, index],
  );
  return (
    <>
      <StatisticsLine loader={loader} now={now} />
      <Trouble loader={loader} />
      <ViewButtons scene={scene}>
        <Progress loader={loader} now={now} />
      </ViewButtons>
      <Picture
        scene={scene}
        version={version}
        hintId={hintId}
        onChoose={onChoose}
        moments={{ first, second }}
        pointer={pointer.current}
      />
      <Overview scene={scene} version={version} />
      <Legend />
      <Hint id={hintId} />
      <Panels
        loader={loader}
        now={now}
        tag={tag}
        moments={moments}
        repoName={repoName || records.repo}
      />
      {tag.uid !== undefined && <TagCheck tag={tag} digest={earlierDigest(records, index)} />}
      {table}
    </>
  );
}

/** The digest of the chosen moment, or an empty text if it is the current one. */
function earlierDigest(records: Records, index: number): string {
  const [chosen, newest] = [records.get(index)?.digest ?? "", records.get(0)?.digest];
  return chosen === newest ? "" : chosen;
}

/** Why the picture has not all records. */
function Trouble({ loader }: { loader: HistoryLoader }) {
  if (loader.error) return <ErrorNotice error={loader.error} retry={() => void loader.load()} />;
  if (loader.state !== "full") return null;
  return (
    <p class="pale">
      The picture shows the newest {formatCount(maxRecords)} records. The tag has more.
    </p>
  );
}

interface PanelsProps {
  loader: HistoryLoader;
  now: number;
  tag: TagName;
  moments: ReturnType<typeof useMoments>;
  /** Someone who may see the tags and not the repository knows its name from the records. */
  repoName: string;
}

/** The chosen moment, and the comparison with the second one. */
function Panels({ loader, now, tag, moments, repoName }: PanelsProps) {
  const { at: time, compareWith, isComparing, choose, compare } = moments;
  const image = useImageName({ uid: tag.repo, name: repoName });
  const [first, second] = [time ?? now, isComparing ? (compareWith ?? now) : undefined];
  const chosen = useRecordAt(loader, tag, first);
  const other = useRecordAt(loader, tag, second);
  return (
    <div class="timeline-panels">
      <MomentPanel
        match={chosen}
        time={time}
        now={now}
        tag={tag}
        image={image}
        current={loader.records.get(0)?.digest}
        onMoved={() => void loader.refresh()}
        onChoose={choose}
        onCompare={
          isComparing ? undefined : () => compare(otherMoment(loader.records, chosen.record))
        }
      />
      {second !== undefined && (
        <ComparePanel
          repo={tag.repo}
          chosen={{ letter: "A", time: first, match: chosen }}
          other={{ letter: "B", time: second, match: other }}
          otherTime={compareWith}
          now={now}
          onChange={compare}
          onClose={() => compare(null)}
        />
      )}
    </div>
  );
}

/**
 * The moment that a comparison begins with: now for a record of the past, and the image before for the one that is served
 * now. Undefined is now.
 */
function otherMoment(records: Records, chosen: TagRecord | undefined): number | undefined {
  const newest = records.get(0);
  if (chosen?.digest !== newest?.digest) return undefined;
  for (let index = 1; index < records.count; index += 1) {
    const record = records.get(index);
    if (record && record.digest !== "" && record.digest !== newest?.digest) return record.time;
  }
  return undefined;
}

/** The scene of the two pictures. It stays the same object, so that they are made once. */
function useScene(loader: HistoryLoader, version: number, now: number): Scene {
  const current = useRef({ now, lives: scaleOf(loader.records, now) });
  useMemo(() => {
    current.current = { now, lives: scaleOf(loader.records, now) };
  }, [version]);
  const asked = useViewAddress();
  const scene = useMemo(
    (): Scene => ({
      records: loader.records,
      view: new View(boundsOf(loader, now), asked.range),
      now: () => current.current.now,
      lives: () => current.current.lives,
    }),
    [loader],
  );
  useEffect(() => scene.view.setBounds(boundsOf(loader, now)), [version]);
  useEffect(() => asked.follow(scene.view), [scene]);
  return scene;
}

/** The whole life of the tag, with a little room before its first record. */
function boundsOf({ records, firstTime }: HistoryLoader, now: number): TimeRange {
  const oldest = records.timeOf(records.count - 1);
  const from = Math.min(firstTime ?? oldest, oldest);
  const to = Math.max(now, records.timeOf(0) + 1);
  return { from: from - Math.max(1_000, (to - from) * 0.01), to };
}

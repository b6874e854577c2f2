/** Numbers about the life of the tag, and how much of it is loaded. */
import { useMemo } from "preact/hooks";
import { formatCount } from "../elements/bytes.ts";
import { Facts } from "../elements/page.tsx";
import type { HistoryLoader } from "./history_loader.ts";
import { statisticsOf } from "./statistics.ts";
import { shortTime, spanText } from "./words.ts";

interface SummaryProps {
  loader: HistoryLoader;
  now: number;
}

export function StatisticsLine({ loader, now }: SummaryProps) {
  const { records, state } = loader;
  const isLoading = state === "loading";
  // Counting reads all records. While they come, it happens each time that there are a fifth more.
  const counted = isLoading ? Math.floor(Math.log2(records.count) * 4) : records.count;
  const statistics = useMemo(() => statisticsOf(records, now), [records, counted, isLoading]);
  const { moves, recentMoves, medianPause, longestLife } = statistics;
  const numbers = [
    ["Moves", formatCount(moves)],
    ["Moves in the last 30 days", formatCount(recentMoves)],
    [
      "Median time between records",
      medianPause === undefined ? "only one record" : spanText(medianPause),
    ],
    ["Longest life of a digest", spanText(longestLife)],
  ] as const;
  return (
    <div class={isLoading ? "timeline-statistics pale" : "timeline-statistics"}>
      <Facts
        facts={numbers.map(([name, number]) => [
          name,
          <>
            {number}
            {isLoading && <span class="out-of-sight"> so far</span>}
          </>,
        ])}
      />
    </div>
  );
}

/** Visible until all records are there. */
export function Progress({ loader, now }: SummaryProps) {
  const { records, state } = loader;
  if (state !== "loading") return null;
  const oldest = records.timeOf(records.count - 1);
  return (
    <>
      <progress aria-label="History loaded" max={1} value={loader.progress(now)} />
      <span class="timeline-loaded pale">
        {formatCount(records.count)} records, back to {shortTime(oldest)}
      </span>
    </>
  );
}

/** The facts about the record below the pointer or at the keyboard. */
import { shortDigest } from "../data/digests.ts";
import { exactTime, relativeTime } from "../elements/time.tsx";
import { Kind, type TagRecord } from "./records.ts";
import { kindWord, moverName, overrideText, servedFor, warningWord } from "./words.ts";

interface HoverCardProps {
  record: TagRecord;
  now: number;
  /** Where the record is, in pixels from the left of the picture. */
  left: number;
  /** The width of the picture. */
  width: number;
}

/** It appears next to the record and takes no pointer. Screen readers get the same from the slider. */
export function HoverCard({ record, now, left, width }: HoverCardProps) {
  const { digest, kind, time, until, mover, warnings, override } = record;
  const isDeleted = kind === Kind.deleted;
  return (
    <div
      class={left < width / 2 ? "timeline-card" : "timeline-card at-left"}
      aria-hidden="true"
      style={{ "--at": `${left}px` }}
    >
      <p class="timeline-card-title">
        {isDeleted ? "The tag did not exist" : <code>{shortDigest(digest)}</code>}
      </p>
      <p>
        {kindWord(kind)} {relativeTime(time, now)}
        <span class="pale"> · {exactTime(time)}</span>
      </p>
      <p>
        {isDeleted ? "Absent" : "Served"} for {servedFor(record, now)}
        {until === undefined && ", until now"}
      </p>
      <p>
        By <bdi>{moverName(mover)}</bdi>
      </p>
      {override && <p class="timeline-card-warning">Overrode {overrideText(override)}</p>}
      {warnings.length > 0 && (
        <p class="timeline-card-warning">{warnings.map(warningWord).join(", ")}</p>
      )}
    </div>
  );
}

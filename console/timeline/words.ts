/** The words of the page about records. */
import { shortDigest } from "../data/digests.ts";
import { moveKindWords, moveWarningWords, unnamedMover } from "../data/tag_moves.ts";
import { exactTime } from "../elements/time.tsx";
import { Sign } from "./decimate.ts";
import { day, minute } from "./range.ts";
import { Kind, type Mover, type Override, type TagRecord, type Warning } from "./records.ts";

/** The signs of the picture as words, in the order of the legend. */
export const signWords: readonly (readonly [sign: number, text: string])[] = [
  [Sign.moved, "Moved"],
  [Sign.created, "Created"],
  [Sign.rolledBack, moveKindWords.TAG_MOVE_KIND_ROLLED_BACK],
  [Sign.warned, "Warning"],
  [Sign.deleted, "Deleted"],
];

/** The kind of a record. */
export function kindWord(kind: number): string {
  if (kind === Kind.created) return "Created";
  if (kind === Kind.rolledBack) return moveKindWords.TAG_MOVE_KIND_ROLLED_BACK;
  return kind === Kind.deleted ? "Deleted" : "Moved";
}

export const warningWord = (warning: Warning): string => moveWarningWords[warning][0];

export const warningReason = (warning: Warning): string => moveWarningWords[warning][1];

/** The rule that was overridden, and the reason. */
export const overrideText = ({ rule, reason }: Override): string => `${rule}: ${reason}`;

const methods: Record<string, string> = {
  TAG_MOVE_METHOD_API: "with a call of the API",
  TAG_MOVE_METHOD_REGISTRY: "with a push to the registry",
  TAG_MOVE_METHOD_IMPORT: "with an import of the history",
  TAG_MOVE_METHOD_EXPIRY: "with an expiry plan",
  TAG_MOVE_METHOD_MIRROR: "with a move at the upstream",
};

/** How a tag was moved. Empty if the platform does not know. */
export function methodWords({ method }: Mover, kind: number): string {
  if (kind === Kind.deleted && method === "TAG_MOVE_METHOD_REGISTRY") return "at the registry";
  return methods[method] ?? "";
}

/** The name of who moved a tag, or the end of the uid, or that no one knows. */
export function moverName({ uid, name, method }: Mover): string {
  if (name !== "") return name;
  return uid === "" ? unnamedMover(method) : `${uid.split("/").at(-1)?.slice(0, 12)}…`;
}

const short = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** A time in the reader's time zone, to the minute. Show the exact one where there is room. */
export const shortTime = (time: number): string => short.format(time);

const units: readonly (readonly [name: string, size: number])[] = [
  ["year", 365.25 * day],
  ["month", 30.4375 * day],
  ["day", day],
  ["hour", 60 * minute],
  ["minute", minute],
  ["second", 1_000],
];

/** From this many on, a span has months or years and not days. In milliseconds. */
const longSpan = 90 * day;

/** From this many on, a span has no seconds. In milliseconds. */
const someMinutes = 10 * minute;

/** A span of time in its two largest units, such as `12 days 4 hours`. In milliseconds. */
export function spanText(span: number): string {
  if (span < 1_000) return "less than a second";
  const usable = units.slice(span < longSpan ? 2 : 0, span < someMinutes ? undefined : -1);
  const first = usable.findIndex(([, size]) => span >= size);
  const parts: string[] = [];
  let left = span;
  for (const [name, size] of usable.slice(first, first + 2)) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return parts.join(" ");
}

/** How long a record was current, or has been until now. In milliseconds since 1970 UTC. */
export const servedFor = ({ time, until }: TagRecord, now: number): string =>
  spanText((until ?? Math.max(now, time)) - time);

/** A record in one sentence, for screen readers. */
export function recordSentence(record: TagRecord, now: number): string {
  const { kind, digest, time, until, mover, warnings, override } = record;
  const what = kind === Kind.deleted ? "Deleted" : shortDigest(digest);
  const whole =
    until === undefined
      ? `for ${servedFor(record, now)} until now`
      : `for ${servedFor(record, now)}`;
  const who = mover.name === "" ? "" : `, by ${mover.name}`;
  const signs = warnings.map((warning) => `, ${warningWord(warning).toLowerCase()}`).join("");
  const rule = override ? `, overrode the rule ${overrideText(override)}` : "";
  return `${what}, ${kindWord(kind).toLowerCase()} on ${exactTime(time)}${who}, ${whole}${signs}${rule}`;
}

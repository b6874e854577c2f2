/** Times: relative, with the exact time when the pointer or the focus is on it. */
import { useEffect, useReducer } from "preact/hooks";

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** A time as `3 days ago` or `in 2 hours`. `now` is in milliseconds since 1970 UTC. */
export function relativeTime(time: number, now: number): string {
  const difference = time - now;
  const [unit, size] = units.find(([, length]) => Math.abs(difference) >= length) ?? [
    "second",
    1_000,
  ];
  if (unit === "second") return difference > 0 ? "in a moment" : "just now";
  return relative.format(Math.trunc(difference / size), unit);
}

/** A time in the reader's time zone, with seconds. */
export const exactTime = (time: number | Date | string): string => exact.format(new Date(time));

/** A time of the API, which is an RFC 3339 text. Without one, it shows `never` or another text. */
export function Time({ time, absent = "never" }: { time: string | undefined; absent?: string }) {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => tick(undefined), 60_000);
    return () => clearInterval(timer);
  }, []);
  if (!time) return <span class="pale">{absent}</span>;
  return (
    <time dateTime={time} title={`${exactTime(time)} (${time})`}>
      {relativeTime(Date.parse(time), Date.now())}
    </time>
  );
}

/** A span of time, such as `3 days`. In milliseconds. */
export function duration(span: number): string {
  const [unit, size] = units.find(([, length]) => span >= length) ?? (["second", 1_000] as const);
  const count = Math.floor(span / size);
  return new Intl.NumberFormat("en", { style: "unit", unit, unitDisplay: "long" }).format(count);
}

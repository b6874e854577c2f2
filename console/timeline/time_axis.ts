/** The texts below the picture. The first line is what changes from one text to the next. */
import { day, minute } from "./range.ts";

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat("en-GB", options);
  return (time: number) => formatter.format(time);
};

const year = format({ year: "numeric" });
const month = format({ month: "short" });
const dayOfMonth = format({ day: "numeric", month: "short" });
const hours = format({ hour: "2-digit", minute: "2-digit" });
const seconds = format({ hour: "2-digit", minute: "2-digit", second: "2-digit" });

/**
 * The texts of ticks. The second line of a text appears where it differs from the one before. Times and `step`, the
 * distance of the ticks, are in milliseconds.
 */
export function tickTexts(times: readonly number[], step: number): string[] {
  const [upper, lower] = linesFor(step);
  let shown = "";
  return times.map((time) => {
    const second = lower(time);
    if (second === shown) return upper(time);
    shown = second;
    return second === "" ? upper(time) : `${upper(time)}\n${second}`;
  });
}

type Text = (time: number) => string;

function linesFor(step: number): [Text, Text] {
  if (step >= 360 * day) return [year, () => ""];
  if (step >= 27 * day) return [month, year];
  if (step >= day * 0.9) return [dayOfMonth, year];
  const date = (time: number) => `${dayOfMonth(time)} ${year(time)}`;
  return [step >= minute ? hours : seconds, date];
}

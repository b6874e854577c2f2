/** The history of a tag as a timeline for people, with one line for each digest. */
import { withoutControls } from "../resources/cells.ts";
import { type Format, styleOutput } from "../resources/table.ts";
import type { Output } from "../surroundings.ts";
import { type Override, overrideText } from "./overrides.ts";
import type { TagPeriod } from "./tag_history.ts";
import { durationText, relativeTime } from "./times.ts";

/** The terminal that a timeline is drawn on. */
export type Canvas = {
  /** The characters in a line. */
  columns: number;
  /** Whether the terminal shows more than ASCII. */
  unicode: boolean;
  /** Decides about colors, as NO_COLOR and FORCE_COLOR do. */
  stream: Output;
  now: Date;
};

const marks = {
  unicode: { current: "●", past: "○", rail: "─", open: "┄" },
  ascii: { current: "*", past: "o", rail: "-", open: "." },
};

const widestRail = 10;
const narrowestRail = 3;
/** As wide as `115 d 17 h`. */
const spanWidth = 10;
/** The characters of a line besides the rail and the relative time: indent, gaps and digest. */
const besideRail = 3 + 2 + 2 + 12;
/** The characters of parts for which a narrow terminal has no room: the date, which is dropped first, and the span. */
const dateRoom = 2 + 20;
const spanRoom = 2 + spanWidth + 2 + 7;

type Row = { stay: TagPeriod & Override; relative: string; lasted: number };

/**
 * Draws a line for each stay, in the given order: a rail, the relative time, the short digest and the span. The rail
 * grows with the square root of the time that the digest was current, so that days are visible next to years. The date
 * and the span appear only if there is room. A move that overrode a tag rule has a second line.
 */
export function drawTimeline(stays: (TagPeriod & Override)[], canvas: Canvas): string[] {
  const rows = stays.map((stay) => rowOf(stay, canvas.now));
  const longest = Math.max(...rows.map(({ lasted }) => lasted));
  const relativeWidth = Math.max(...rows.map(({ relative }) => relative.length));
  const spare = canvas.columns - besideRail - relativeWidth - narrowestRail;
  const hasSpan = spare >= spanRoom;
  const hasDate = spare >= spanRoom + dateRoom;
  const room = spare + narrowestRail - (hasSpan ? spanRoom : 0) - (hasDate ? dateRoom : 0);
  const railWidth = Math.max(narrowestRail, Math.min(widestRail, room));
  const paint = painter(canvas);
  return rows.flatMap(({ stay, relative, lasted }) => {
    const isCurrent = stay.replacedTimestamp === undefined;
    const { current, past, rail, open } = canvas.unicode ? marks.unicode : marks.ascii;
    const line = (isCurrent ? open : rail).repeat(railLength(lasted, longest, railWidth));
    const date = stay.updateTimestamp.slice(0, 19).replace("T", " ");
    const cells = [
      `  ${paint(isCurrent ? "green" : "cyan", isCurrent ? current : past)}${paint("dim", line.padEnd(railWidth))}`,
      relative.padEnd(relativeWidth),
      ...(hasDate ? [paint("dim", `${date}Z`)] : []),
      paint("yellow", shortDigest(stay.digest)),
      ...(hasSpan ? [spanCell(lasted, isCurrent, paint)] : []),
    ];
    return [cells.join("  "), ...overrideLine(stay, paint)];
  });
}

function overrideLine(stay: Override, paint: ReturnType<typeof painter>): string[] {
  const text = withoutControls(overrideText(stay));
  return text === "" ? [] : [`     ${paint("yellow", `overrides the tag rule ${text}`)}`];
}

const spanCell = (lasted: number, isCurrent: boolean, paint: ReturnType<typeof painter>) =>
  isCurrent
    ? `${durationText(lasted).padEnd(spanWidth)}  ${paint("green", "current")}`
    : durationText(lasted);

/** Returns a summary such as `12 digests, on average a new one every 30 d 18 h`. */
export function summaryLine(stays: TagPeriod[]): string {
  const digests = new Set(stays.map(({ digest }) => digest)).size;
  const times = stays.map(({ updateTimestamp }) => Date.parse(updateTimestamp));
  const plural = (count: number, noun: string) =>
    `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
  const back = digests < stays.length ? ` in ${plural(stays.length, "move")}` : "";
  if (times.length < 2) return plural(digests, "digest") + back;
  const whole = Math.abs((times[0] ?? 0) - (times.at(-1) ?? 0));
  const every = durationText(whole / (times.length - 1));
  return `${plural(digests, "digest")}${back}, on average a new one every ${every}`;
}

/** Returns the first twelve hexadecimal digits, as container tools show them. */
export const shortDigest = (digest: string) => digest.slice("sha256:".length).slice(0, 12);

/** Whether a terminal in this environment shows more than ASCII (POSIX, locale precedence). */
export function showsUnicode(env: NodeJS.ProcessEnv): boolean {
  if (env.TERM === "linux" || env.TERM === "dumb") return false;
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale === undefined || /utf-?8/i.test(locale);
}

function rowOf(stay: TagPeriod & Override, now: Date): Row {
  const from = new Date(stay.updateTimestamp);
  const to = stay.replacedTimestamp ? Date.parse(stay.replacedTimestamp) : now.getTime();
  return { stay, relative: relativeTime(from, now), lasted: Math.max(0, to - from.getTime()) };
}

/** Returns at least one character, so that every dot is attached to a rail. */
function railLength(lasted: number, longest: number, width: number): number {
  const share = longest > 0 ? Math.sqrt(lasted / longest) : 1;
  return Math.max(1, Math.round(share * width));
}

function painter({ stream }: Canvas) {
  return (format: Format, text: string) => styleOutput(stream, format, text);
}

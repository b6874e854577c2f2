/** The order of RPM versions (rpm-version(7)): `[epoch:]version[-release]`. */
import { sortableNumber } from "./sortable_number.ts";

const form = /^(?:(\d+):)?([^:-]+)(?:-([^:-]+))?$/;

/**
 * A text that sorts like the version. A version without a release comes before all of its releases. Undefined
 * if the text is not an RPM version.
 */
export function rpmSortKey(version: string): string | undefined {
  const [all, epoch = "0", own = "", release] = form.exec(version.trim()) ?? [];
  if (all === undefined || !/[0-9A-Za-z]/.test(own)) return undefined;
  return `${sortableNumber(epoch)}${keyOf(own)}${release === undefined ? "" : keyOf(release)}`;
}

const end = "1";

/** Segments of digits or letters; other signs only separate them. `~` comes before the end, and `^` after it. */
const keyOf = (text: string) =>
  `${(text.match(/\d+|[A-Za-z]+|[~^]/g) ?? []).map(segmentKey).join("")}${end}`;

function segmentKey(segment: string): string {
  if (segment === "~") return "0";
  if (segment === "^") return "2";
  return /^\d/.test(segment) ? `4${sortableNumber(segment)}` : `3${segment}!`;
}

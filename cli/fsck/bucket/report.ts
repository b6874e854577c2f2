/** The report of a comparison with the bucket for people. */
import { bytesText } from "../../byte_counts.ts";
import type { Counted, Outcome } from "./compare.ts";

/** The things of one kind that the report names. */
const maxNamed = 10;

const number = (value: number) => value.toLocaleString("en");

/** A line with a count, and the first things below it. */
function section<Item>(
  name: string,
  { count, bytes, first }: Counted<Item>,
  note: string,
  line: (item: Item) => string,
): string[] {
  const head = `${name.padEnd(11)} ${number(count).padStart(11)}  ${bytesText(bytes)}`;
  if (count === 0) return [head];
  const named = first.slice(0, maxNamed);
  const rest = count - named.length;
  return [
    `${head}  ${note}`,
    ...named.map((item) => `    ${line(item)}`),
    ...(rest > 0 ? [`    and ${number(rest)} more`] : []),
  ];
}

const timeText = (idleTime: number) =>
  idleTime === 0 ? "is being deleted" : `deleted a day after ${new Date(idleTime).toISOString()}`;

/** Returns a line for each kind of objects and blobs, and a summary. */
export function reportOf(outcome: Outcome, isRepairing: boolean): string {
  const { objects, unneeded, strays, blobs, quarantined, damaged, unread } = outcome;
  const quarantineText = isRepairing
    ? "Quarantined: pulls get 404, and a push brings new bytes."
    : "--repair quarantines them, so that pulls get 404 until a push brings new bytes.";
  return [
    `objects     ${number(objects.count).padStart(11)}  ${bytesText(objects.bytes)}`,
    ...section(
      "unneeded",
      unneeded,
      "The clean-up of the registry deletes them.",
      ({ key, size, idleTime }) => `${key}  ${bytesText(size)}  ${timeText(idleTime)}`,
    ),
    ...section(
      "without row",
      strays,
      "The clean-up deletes them a week after it has found them.",
      ({ key, size, uploaded }) => `${key}  ${bytesText(size)}  written at ${uploaded}`,
    ),
    `blobs       ${number(blobs.count).padStart(11)}  ${number(blobs.read)} of them read`,
    ...section(
      "quarantined",
      quarantined,
      "Found earlier, and not pushed since then.",
      ({ database, digest, fault }) => `${digest}  ${fault}  in ${database}`,
    ),
    ...section(
      "damaged",
      damaged,
      quarantineText,
      ({ database, digest, wrong }) => `${digest}  ${wrong}  in ${database}`,
    ),
    ...(unread.count === 0
      ? []
      : section(
          "unread",
          unread,
          "R2 failed to return them. Check them again.",
          ({ database, digest, reason }) => `${digest}  ${reason}  in ${database}`,
        )),
    damaged.count + unread.count === 0 ? "No damage was found." : "",
  ]
    .join("\n")
    .trimEnd();
}

/** Half-open intervals of the sort keys of versions. */

/** From a key to before another. An empty `from` stands for the beginning, and an empty `below` for no end. */
export interface KeyInterval {
  from: string;
  below: string;
  /** The version that ends the interval, if it is one that fixes something. Empty otherwise. */
  fixed: string;
}

/** The first key after a key. Keys are printable ASCII, so nothing comes in between. */
export const after = (key: string): string => `${key}\u0001`;

/** The interval of one key. */
export const only = (key: string): KeyInterval => ({ from: key, below: after(key), fixed: "" });

/** Whether an interval is of one key. */
export const isOnly = ({ from, below }: Pick<KeyInterval, "from" | "below">): boolean =>
  from !== "" && below === after(from);

/** Whether a key is in an interval. */
export const holds = ({ from, below }: Pick<KeyInterval, "from" | "below">, key: string): boolean =>
  key >= from && (below === "" || key < below);

/** The keys that are in none of the intervals, in their order. */
export function outside(keys: string[], intervals: KeyInterval[]): string[] {
  const ordered = [...intervals].sort((a, b) => (a.from < b.from ? -1 : 1));
  let at = 0;
  // The greatest end of the intervals that begin before a key. An empty text stands for no end.
  let below: string | undefined;
  return [...keys].sort().filter((key) => {
    for (let next = ordered[at]; next && next.from <= key; next = ordered[at]) {
      const isLater =
        below === undefined || (below !== "" && (next.below === "" || next.below > below));
      if (isLater) below = next.below;
      at += 1;
    }
    return below === undefined || (below !== "" && below <= key);
  });
}

/** The part of an interval before a key, or all of it without a key. Undefined if nothing is left. */
export function endAt(interval: KeyInterval, key: string | undefined): KeyInterval | undefined {
  if (key === undefined || (interval.below !== "" && interval.below <= key)) return interval;
  return interval.from < key ? { ...interval, below: key, fixed: "" } : undefined;
}

/** A place where a range begins or ends. The key of an end is the first that is outside. */
export interface KeyEvent {
  key: string;
  isBeginning: boolean;
  /** The version that fixes something. Empty for other events. */
  fixed: string;
}

/**
 * The intervals between beginnings and ends, in any sequence (OSV schema, "Evaluation"). An end with the key of its
 * beginning ends nothing. A beginning without an end counts for nothing if an end contradicts it. That is one that
 * follows it in the list but has a smaller key, or one before all beginnings.
 */
export function intervalsBetween(events: KeyEvent[]): KeyInterval[] {
  const ordered = [...events.entries()].sort(([, a], [, b]) => {
    if (a.key !== b.key) return a.key < b.key ? -1 : 1;
    return Number(a.isBeginning) - Number(b.isBeginning);
  });
  const intervals: KeyInterval[] = [];
  let open: { from: string; at: number } | undefined;
  let lastLoose: { key: string; at: number } | undefined;
  let hasBegun = false;
  let isContradiction = false;
  for (const [at, { key, isBeginning, fixed }] of ordered) {
    if (isBeginning) {
      hasBegun = true;
      if (lastLoose?.key !== key) open ??= { from: key, at };
    } else if (open) {
      intervals.push({ from: open.from, below: key, fixed });
      open = undefined;
    } else {
      lastLoose = { key, at: Math.max(at, lastLoose?.at ?? 0) };
      isContradiction ||= !hasBegun;
    }
  }
  isContradiction ||= open !== undefined && (lastLoose?.at ?? -1) > open.at;
  if (open && !isContradiction) intervals.push({ from: open.from, below: "", fixed: "" });
  return intervals;
}

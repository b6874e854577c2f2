/** The state of the page in its address: `from` and `to` of the picture, `at`, and `compare`. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useParameters } from "../data/parameters.ts";
import { readTime, type TimeRange, wholeTime, writeTime } from "./range.ts";
import type { View } from "./view.ts";

/** In milliseconds. Browsers refuse too many changes of an address. */
const pause = 300;

/** The part of time that the address names, and a function that writes where the person goes. */
export function useViewAddress() {
  const { get, set } = useParameters();
  const range = rangeOf(get("from"), get("to"));
  const write = useRef(set);
  write.current = set;
  const follow = useCallback((view: View) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = view.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(() => write.current(toParameters(view)), pause);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, []);
  return { range, follow };
}

function rangeOf(from: string, to: string): TimeRange | undefined {
  const range = { from: readTime(from), to: readTime(to) };
  if (range.from === undefined || range.to === undefined || range.from >= range.to)
    return undefined;
  return { from: range.from, to: range.to };
}

const toParameters = ({ isWhole, range }: View) =>
  isWhole
    ? { from: "", to: "" }
    : {
        from: writeTime(wholeTime(range.from, range)),
        to: writeTime(wholeTime(range.to, range)),
      };

const nowWord = "now";

/** The texts of the moments, as in the address. */
interface Written {
  at?: string;
  compare?: string;
}

/**
 * The moments in the address. A moment that is undefined is now. While a marker is dragged, the page follows it at once
 * and the address once it rests.
 */
export function useMoments() {
  const { get, set } = useParameters();
  const [draft, setDraft] = useState<Written>({});
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  const current = useRef({ draft, set });
  current.current = { draft, set };
  const write = useCallback((change: Written) => {
    const next = { ...current.current.draft, ...change };
    current.current.draft = next;
    setDraft(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      current.current.set({ ...current.current.draft });
      setDraft({});
    }, pause);
  }, []);
  const choose = useCallback((time: number | undefined) => write({ at: textOf(time, "") }), []);
  /** `null` ends the comparison. */
  const compare = useCallback(
    (time: number | undefined | null) =>
      write({ compare: time === null ? "" : textOf(time, nowWord) }),
    [],
  );
  const compared = draft.compare ?? get("compare");
  return {
    at: past(draft.at ?? get("at")),
    isComparing: compared !== "",
    compareWith: past(compared),
    choose,
    compare,
  };
}

const textOf = (time: number | undefined, absent: string) =>
  time === undefined ? absent : writeTime(Math.floor(time));

/** The time of a text, and now for the future. Undefined for now, and for a text without a time. */
function past(text: string): number | undefined {
  const time = readTime(text);
  return time === undefined || time >= Date.now() ? undefined : time;
}

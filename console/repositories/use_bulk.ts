/** A change of many tags: the platform checks each, the person confirms, and then each is changed alone. */
import { useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { Aborted, type Tag } from "../../client/index.ts";
import { fewAtOnce } from "../data/few_at_once.ts";
import { refusalsIn } from "../tag_rules/refusals.ts";

/** The two calls for one tag. */
export interface BulkCalls {
  /** Asks the platform whether the change is possible. It changes nothing. */
  check: (tag: Tag) => Promise<unknown>;
  run: (tag: Tag) => Promise<unknown>;
}

/** A tag that stays as it is, and why. */
export interface Left {
  tag: Tag;
  why: string;
}

/** How far the change is. The tags of a list are in the order of their answers. */
export interface Bulk {
  state: "checking" | "ready" | "running" | "done";
  /** The tags that can be changed, and those that cannot. */
  possible: readonly Tag[];
  refused: readonly Left[];
  /** The tags that were changed, and those for which that failed. */
  done: readonly Tag[];
  failed: readonly Left[];
}

const start: Bulk = { state: "checking", possible: [], refused: [], done: [], failed: [] };

/** Begins to check at once. When the dialog closes, no further call begins. `run` resolves when all are tried. */
export function useBulk(tags: readonly Tag[], { check, run }: BulkCalls) {
  const queries = useQueryClient();
  const [bulk, setBulk] = useState(start);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { current } = stop;
    const found: Pick<Bulk, "possible" | "refused"> = { possible: [], refused: [] };
    const onOutcome = (tag: Tag, error: Error | undefined) => {
      if (error) found.refused = [...found.refused, { tag, why: reasonOf(error) }];
      else found.possible = [...found.possible, tag];
      setBulk({ ...start, ...found });
    };
    void fewAtOnce(tags, check, onOutcome, current.signal).then(() =>
      setBulk({ ...start, ...found, state: "ready" }),
    );
    return () => current.abort();
  }, []);
  const runAll = async (): Promise<Bulk> => {
    let now: Bulk = { ...bulk, state: "running" };
    setBulk(now);
    const onOutcome = (tag: Tag, error: Error | undefined) => {
      now = error
        ? { ...now, failed: [...now.failed, { tag, why: reasonOf(error) }] }
        : { ...now, done: [...now.done, tag] };
      setBulk(now);
    };
    await fewAtOnce(bulk.possible, run, onOutcome, stop.current.signal);
    void queries.invalidateQueries({ queryKey: ["tags"] });
    now = { ...now, state: "done" };
    setBulk(now);
    return now;
  };
  return { bulk, runAll };
}

function reasonOf(error: Error): string {
  const rules = refusalsIn(error).map(({ text }) => text);
  if (rules.length > 0) return rules.join(" ");
  if (error instanceof Aborted && error.reason === "ETAG_MISMATCH")
    return "It has changed since the page showed it.";
  return error.message;
}

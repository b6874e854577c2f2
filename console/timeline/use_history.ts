/** The history of a tag for components: it loads while the page is open. */
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import { useClient } from "../data/platform.tsx";
import { HistoryLoader, type TagName } from "./history_loader.ts";

/** In milliseconds. */
const tickTime = 30_000;

/** The loader of a tag, and the time. Components render again when either changes. */
export interface History {
  loader: HistoryLoader;
  /** Increases when records come or time passes. */
  version: number;
  /** In milliseconds since 1970 UTC. */
  now: number;
}

/** Loads the history of a tag until the person leaves, and looks for new moves twice a minute and when they come back. */
export function useHistory({ repo, name }: TagName): History {
  const client = useClient();
  const [, update] = useReducer((count: number) => count + 1, 0);
  const [now, setNow] = useState(Date.now);
  const loader = useMemo(() => new HistoryLoader(client, { repo, name }), [client, repo, name]);
  useEffect(() => {
    const end = loader.subscribe(() => {
      setNow(Date.now());
      update(undefined);
    });
    void loader.load();
    const look = () => {
      if (document.visibilityState === "hidden") return;
      setNow(Date.now());
      void loader.refresh();
    };
    const timer = setInterval(look, tickTime);
    window.addEventListener("focus", look);
    return () => {
      clearInterval(timer);
      window.removeEventListener("focus", look);
      end();
      loader.stop();
    };
  }, [loader]);
  // The clock of this machine can be behind, and the newest record is never in the future.
  const time = Math.max(now, loader.records.timeOf(0) || 0);
  return { loader, now: time, version: loader.version + time };
}

/** The end of a change: the queries that it affects are asked again, and a notice says that it happened. */
import { type QueryKey, useQueryClient } from "@tanstack/preact-query";
import { useNotify } from "../elements/notices.tsx";

/** The queries whose answers a change of access changes. */
export const accessQueries = [["who"], ["explanation"], ["may"], ["choices"]] as const;

/** Returns functions that ask all queries with these beginnings of keys again, and that show a notice. */
export function useRefresh(...keys: readonly QueryKey[]) {
  const queries = useQueryClient();
  const notify = useNotify();
  const refresh = async () => {
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  };
  return { refresh, notify };
}

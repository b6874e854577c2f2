/** Changes of a row that show in every list at once. If the platform refuses one, the lists are as before. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import type { Page } from "../../client/index.ts";
import { useNotify } from "../elements/notices.tsx";
import { withoutEtag } from "./unchanged.ts";

/** A change of one row. */
export interface RowChange<Input, Row> {
  /** The beginning of the keys of the lists. */
  lists: QueryKey;
  call(input: Input): Promise<unknown>;
  /** The row as it will be, or undefined if it will be gone. */
  expect(row: Row, input: Input): Row | undefined;
  /** What happened, as a short sentence for the notice. */
  done(input: Input): string;
  /** Makes the opposite change, if that is safe. The notice then offers to undo it. */
  undo?(input: Input): (() => Promise<unknown>) | undefined;
  /** The beginnings of the keys of other queries that the change affects. */
  affects?: readonly QueryKey[];
}

/** Returns the mutation of a change. Its `error` is the refusal. */
export function useRowChange<Input, Row>(change: RowChange<Input, Row>) {
  const queries = useQueryClient();
  const notify = useNotify();
  const refresh = () =>
    Promise.all(
      [change.lists.slice(0, 1), ...(change.affects ?? [])].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    );
  return useMutation({
    mutationFn: (input: Input) => change.call(input),
    onMutate: async (input: Input) => {
      await queries.cancelQueries({ queryKey: change.lists });
      const before = queries.getQueriesData<unknown>({ queryKey: change.lists });
      for (const [key, data] of before)
        if (isPage<Row>(data)) queries.setQueryData(key, changePage(data, change, input));
      return { before };
    },
    onError: (_, __, context) => {
      for (const [key, data] of context?.before ?? []) queries.setQueryData(key, data);
    },
    onSuccess: (_, input) => {
      const undo = change.undo?.(input);
      notify({
        text: change.done(input),
        ...(undo ? { undo: () => undo().finally(refresh) } : {}),
      });
    },
    onSettled: refresh,
  });
}

const isPage = <Row>(data: unknown): data is Page<Row> =>
  typeof data === "object" && data !== null && "rows" in data;

function changePage<Input, Row>(
  page: Page<Row>,
  { expect }: RowChange<Input, Row>,
  input: Input,
): Page<Row> {
  const rows = page.rows.flatMap((row) => {
    const expected = expect(row, input);
    return expected === row ? row : (withoutEtag(expected) ?? []);
  });
  const gone = page.rows.length - rows.length;
  const { totalCount } = page;
  return { ...page, rows, ...(totalCount === undefined ? {} : { totalCount: totalCount - gone }) };
}

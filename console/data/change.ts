/** Changes that show at once. If the platform refuses one, the page shows the state before it again. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import { useNotify } from "../elements/notices.tsx";
import { withoutEtag } from "./unchanged.ts";

/** A change of something that the page shows. */
export interface Change<Input, Shown> {
  /** The query with the data that the change affects. */
  key: QueryKey;
  /** The beginnings of the keys of other queries that the change affects. */
  affects?: readonly QueryKey[];
  /** Makes the call. */
  call(input: Input): Promise<unknown>;
  /** The data as it will be. Without it, the page shows the change once the platform has made it. */
  expect?(shown: Shown, input: Input): Shown;
  /** What happened, as a short sentence for the notice. */
  done?(input: Input): string;
  /** The input that reverses a change. If there is one, the notice offers to undo it. */
  reverse?(before: Shown | undefined, input: Input): Input | undefined;
}

/** Returns the mutation of a change. Its `error` is the refusal. */
export function useChange<Input, Shown = unknown>(change: Change<Input, Shown>) {
  const queries = useQueryClient();
  const notify = useNotify();
  const mutation = useMutation({
    mutationFn: (input: Input) => change.call(input),
    onMutate: async (input: Input) => {
      await queries.cancelQueries({ queryKey: change.key });
      const before = queries.getQueryData<Shown>(change.key);
      if (before !== undefined && change.expect)
        queries.setQueryData(change.key, withoutEtag(change.expect(before, input)));
      return { before };
    },
    onError: (_, __, context) => {
      if (context?.before !== undefined) queries.setQueryData(change.key, context.before);
    },
    onSuccess: (_, input, context) => {
      const text = change.done?.(input);
      if (text === undefined) return;
      const reversed = change.reverse?.(context?.before, input);
      notify({
        text,
        ...(reversed === undefined ? {} : { undo: () => mutation.mutateAsync(reversed) }),
      });
    },
    onSettled: () =>
      Promise.all(
        [change.key.slice(0, 1), ...(change.affects ?? [])].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
  return mutation;
}

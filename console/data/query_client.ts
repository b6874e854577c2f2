/** The cache of what the console has read from the platform. */
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/preact-query";

/** Reads everything again that a change affects, also what was on its way during the change. */
class ConsoleQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    // The library keeps the first read of a query, although its answer can be from before the change.
    await this.cancelQueries({ ...filters, predicate: ({ state }) => state.data === undefined });
    await super.invalidateQueries(filters, options);
  }
}

/** Returns an empty cache. The client repeats what is safe to repeat, so a query does not. */
export const newQueryClient = (): QueryClient =>
  new ConsoleQueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 15_000, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });

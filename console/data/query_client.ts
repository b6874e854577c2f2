/** The cache of what the console has read from the platform. */
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/preact-query";

/** Reads everything again that a change affects, including what was still loading. */
class ConsoleQueryClient extends QueryClient {
  override async invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    // TanStack Query would keep a first read that is still running, and its answer can be from before the change.
    await this.cancelQueries({
      ...filters,
      predicate: (query) => query.state.data === undefined && (filters?.predicate?.(query) ?? true),
    });
    await super.invalidateQueries(filters, options);
  }
}

/** Returns an empty cache. Queries do not retry, because the API client retries what is safe to repeat. */
export const newQueryClient = (): QueryClient =>
  new ConsoleQueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 15_000, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });

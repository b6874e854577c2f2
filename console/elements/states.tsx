/** The states of a page without data: it is on its way, there is none, or there was an error. */
import type { ComponentChildren } from "preact";
import { ErrorNotice } from "./error_notice.tsx";

/** Grey bars in place of texts that are on their way. */
export function Loading({ lines = 4, what = "Loading" }: { lines?: number; what?: string }) {
  return (
    <div class="loading" role="status">
      <span class="out-of-sight">{what}…</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="bar" aria-hidden="true" />
      ))}
    </div>
  );
}

/** There is nothing here, and how to get something. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A query, as far as its answer shows. */
export interface Answered<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch(): unknown;
}

/** Shows the data of a query, or that it is on its way, or its error. */
export function Answer<Data>({
  query,
  lines = 4,
  children,
}: {
  query: Answered<Data>;
  lines?: number;
  children: (data: Data) => ComponentChildren;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) return <>{children(data)}</>;
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  return <Loading lines={lines} />;
}

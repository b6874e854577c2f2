/** The page of one resource: it is on its way, it is there, or the page says why it is not. */
import type { ComponentChildren } from "preact";
import { ErrorNotice } from "./error_notice.tsx";
import { Page } from "./page.tsx";
import { type Answered, Loading } from "./states.tsx";

interface PageAnswerProps<Data> {
  query: Answered<Data>;
  /** The name of the page if the resource cannot be read, such as `Repository`. */
  title: string;
  /** The pages above this one, as in {@link Page}. */
  path: readonly (readonly [string, string])[];
  /** Returns the page. */
  children: (data: Data) => ComponentChildren;
}

export function PageAnswer<Data>({ query, title, path, children }: PageAnswerProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return <>{children(data)}</>;
  if (!error) return <Loading lines={8} />;
  return (
    <Page title={title} path={path}>
      <ErrorNotice error={error} retry={() => void refetch()} />
    </Page>
  );
}

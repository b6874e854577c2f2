/** Loads the code of a page when someone opens it. */
import type { FunctionComponent } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { useSearch } from "wouter-preact";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Page } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";
import type { PageProps } from "./routes.ts";

type Load = () => Promise<{ default: FunctionComponent<PageProps> }>;

const loaded = new Map<Load, FunctionComponent<PageProps>>();

/**
 * Shows a page, or that it is on its way. The code of a new deployment has other names, so a failure offers a reload. If the
 * page itself fails, the rest of the console stays.
 */
export function LazyPage({ load, rest }: { load: Load; rest: string }) {
  const [, setCount] = useState(0);
  const [error, setError] = useState<Error>();
  const search = useSearch();
  const [failure, forgetFailure] = useErrorBoundary((reason) => reportError(reason));
  useEffect(forgetFailure, [rest, search]);
  const Component = loaded.get(load);
  useEffect(() => {
    let isCurrent = true;
    setError(undefined);
    if (loaded.has(load)) return;
    load().then(
      (module) => {
        loaded.set(load, module.default);
        if (isCurrent) setCount((count) => count + 1);
      },
      (reason: Error) => isCurrent && setError(reason),
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  if (failure)
    return (
      <Page title="This page has failed">
        <ErrorNotice error={failure} retry={forgetFailure} />
      </Page>
    );
  if (error) return <ErrorNotice error={error} retry={() => location.reload()} />;
  return Component ? <Component rest={rest} /> : <Loading lines={6} />;
}

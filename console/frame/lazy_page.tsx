/** Loads the code of a page when someone opens it. */
import type { FunctionComponent } from "preact";
import { useEffect, useErrorBoundary, useState } from "preact/hooks";
import { useSearch } from "wouter-preact";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Page } from "../elements/page.tsx";
import { Loading } from "../elements/states.tsx";

/** The uid, digest or id at the end of the address. Empty for a page that has none. */
export interface PageProps {
  rest: string;
}

type Load = () => Promise<{ default: FunctionComponent<PageProps> }>;

const loaded = new Map<Load, FunctionComponent<PageProps>>();

/** Shows a page, or that it is on its way. If the page itself fails, the rest of the console stays. */
export function LazyPage({ load, rest }: { load: Load; rest: string }) {
  const [, setCount] = useState(0);
  const [failed, setFailed] = useState<Load>();
  const search = useSearch();
  const [failure, forgetFailure] = useErrorBoundary((reason) => reportError(reason));
  useEffect(forgetFailure, [rest, search]);
  const Component = loaded.get(load);
  const begin = () =>
    load().then((module) => {
      loaded.set(load, module.default);
      setFailed(undefined);
      setCount((count) => count + 1);
    });
  useEffect(() => {
    if (!loaded.has(load)) begin().catch(() => setFailed(() => load));
  }, [load]);
  if (failure)
    return (
      <Page title="This page has failed">
        <ErrorNotice error={failure} retry={forgetFailure} />
      </Page>
    );
  if (Component) return <Component rest={rest} />;
  return failed === load ? <NotLoaded begin={begin} /> : <Loading lines={6} />;
}

/** The code cannot be loaded without a network, or after a deployment, which gives it other names. */
function NotLoaded({ begin }: { begin: () => Promise<unknown> }) {
  useEffect(() => {
    const again = () => void begin().catch(() => {});
    window.addEventListener("online", again);
    return () => window.removeEventListener("online", again);
  }, []);
  if (!navigator.onLine)
    return (
      <Page title="This page has not been loaded yet">
        <p>It appears when you are online again.</p>
      </Page>
    );
  return (
    <Page title="This page could not be loaded">
      <p>The network failed, or the platform has a new version.</p>
      <Button onClick={() => void begin().catch(() => location.reload())}>Try again</Button>
    </Page>
  );
}

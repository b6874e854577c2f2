/** The whole console: the frame, and the page of the address in it. */
import { QueryClientProvider } from "@tanstack/preact-query";
import type { FunctionComponent } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { Link, Route, Router, Switch, useLocation } from "wouter-preact";
import { PlatformProvider, useSessionState } from "../data/platform.tsx";
import { newQueryClient } from "../data/query_client.ts";
import { Icon } from "../elements/icon.tsx";
import { Notices } from "../elements/notices.tsx";
import { Page } from "../elements/page.tsx";
import { useInvite } from "../session/invite.ts";
import type { Session } from "../session/session.ts";
import { addresses } from "./addresses.ts";
import { Header } from "./header.tsx";
import { LazyPage } from "./lazy_page.tsx";
import { routes } from "./routes.ts";
import { keepPlaces } from "./scroll.ts";
import { Sidebar } from "./sidebar.tsx";
import { SessionEndedDialog, SignInPage } from "./sign_in.tsx";
import { WaitBar } from "./wait_bar.tsx";

const queries = newQueryClient();

/** The console of a session. */
export function App({ session, icon }: { session: Session; icon: string }) {
  return (
    <QueryClientProvider client={queries}>
      <PlatformProvider session={session}>
        <Router base="/console">
          <Notices>
            <Frame icon={icon} />
          </Notices>
        </Router>
      </PlatformProvider>
    </QueryClientProvider>
  );
}

function Frame({ icon }: { icon: string }) {
  const state = useSessionState();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const [location] = useLocation();
  const search = useCallback(() => setSearching(true), []);
  useEffect(() => setMenuOpen(false), [location]);
  useEffect(keepPlaces, []);
  useEffect(() => {
    // Another person must not see what this one has seen.
    if (state.kind === "signed-out") queries.clear();
  }, [state.kind]);
  return (
    <>
      <a class="site-skip" href="#main">
        Skip to the page
      </a>
      <Header icon={icon} onSearch={search} />
      {isSearching && state.kind === "signed-in" && (
        <PaletteOnDemand onClose={() => setSearching(false)} />
      )}
      <OfflineBar />
      <WaitBar />
      {state.kind === "signed-out" ? (
        <SignInPage reason={state.reason} />
      ) : (
        <div class={isMenuOpen ? "frame menu-open" : "frame"}>
          <button
            type="button"
            class="button menu-button"
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(!isMenuOpen)}
          >
            <Icon name="menu" /> Menu
          </button>
          <Sidebar />
          <main id="main" tabIndex={-1}>
            <Pages />
          </main>
        </div>
      )}
      {state.kind === "signed-in" && <InviteOnDemand />}
      {state.kind === "ended" && <SessionEndedDialog />}
    </>
  );
}

/** The code of the palette is loaded when someone opens it. */
function PaletteOnDemand({ onClose }: { onClose: () => void }) {
  const [Palette, setPalette] = useState<FunctionComponent<{ onClose: () => void }>>();
  useEffect(() => {
    import("./console_palette.tsx").then((module) => setPalette(() => module.default), onClose);
  }, []);
  return Palette ? <Palette onClose={onClose} /> : null;
}

/** The link of an invite opens the console. Someone who is signed in can accept it there. */
function InviteOnDemand() {
  const [invite, forget] = useInvite();
  const [Offer, setOffer] = useState<FunctionComponent<{ code: string; onClose: () => void }>>();
  useEffect(() => {
    if (!invite) return;
    import("../invites/accept_invite.tsx").then((module) => setOffer(() => module.default), forget);
  }, [invite]);
  return Offer && invite ? <Offer code={invite.code} onClose={forget} /> : null;
}

function Pages() {
  return (
    <Switch>
      {routes.map(({ path, load }) => (
        <Route key={path} path={path}>
          {() => <LazyPage load={load} rest={restOf(path)} />}
        </Route>
      ))}
      <Route>
        <Page title="There is no page here">
          <p>
            The address is wrong, or the page has moved. Begin at{" "}
            <Link href={addresses.home()}>Home</Link>.
          </p>
        </Page>
      </Route>
    </Switch>
  );
}

/** The part of the address that matches the `*` of a path. The router gives it half decoded, so it comes from the browser. */
function restOf(path: string): string {
  if (!path.endsWith("*")) return "";
  const rest = location.pathname.slice(`/console${path}`.length - 1);
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}

function OfflineBar() {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    const back = () => {
      update();
      void queries.invalidateQueries();
    };
    window.addEventListener("online", back);
    window.addEventListener("offline", update);
    return () => {
      window.removeEventListener("online", back);
      window.removeEventListener("offline", update);
    };
  }, []);
  if (isOnline) return null;
  return (
    <p class="offline" role="status">
      You are offline. The page shows what it has loaded.
    </p>
  );
}

/** The session and the client of the platform, for every component. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useReducer } from "preact/hooks";
import { type Client, createClient, exchangedToken, type TokenSource } from "../../client/index.ts";
import type { Session, SessionState } from "../session/session.ts";
import { keepBookmark, keptBookmark } from "./bookmark.ts";
import { showWait } from "./rate_limit_waits.ts";

const SessionContext = createContext<Session | undefined>(undefined);
const ClientContext = createContext<Client | undefined>(undefined);

/** Provides the session and the client below it. */
export function PlatformProvider({
  session,
  children,
}: {
  session: Session;
  children: ComponentChildren;
}) {
  const client = useMemo(() => newClient(session), [session]);
  useEffect(() => keepBookmark(client), [client]);
  return (
    <SessionContext.Provider value={session}>
      <ClientContext.Provider value={client}>{children}</ClientContext.Provider>
    </SessionContext.Provider>
  );
}

/** Creates the client of a session. */
export function newClient(session: Session): Client {
  const { api, registry, vendor } = session.addresses;
  return createClient({
    url: api,
    vendor,
    token: session.token,
    bookmark: keptBookmark(),
    onWait: showWait,
    registry: { url: registry, vendor, token: registryToken(session) },
  });
}

/**
 * The registry has tokens of its own, which the issuer gives for a token of the API. They go when the person signs out,
 * so that the next person on this page does not use them.
 */
function registryToken(session: Session): TokenSource {
  const { issuer, registryAudience: audience } = session.addresses;
  const newSource = () =>
    exchangedToken({ issuer, source: session.token, audience, onWait: showWait });
  let source = newSource();
  session.subscribe(() => {
    if (session.state.kind === "signed-out") source = newSource();
  });
  return (request) => source(request);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("There is no PlatformProvider above.");
  return value;
}

/** The typed client, `platform-api/client`. It makes every call of the console. */
export const useClient = (): Client => required(useContext(ClientContext));

export const useSession = (): Session => required(useContext(SessionContext));

/** The state of the session. The component renders again when it changes. */
export function useSessionState(): SessionState {
  const session = useSession();
  const [, update] = useReducer((count: number) => count + 1, 0);
  useEffect(() => session.subscribe(() => update(undefined)), [session]);
  return session.state;
}

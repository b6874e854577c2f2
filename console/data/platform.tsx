/** The session and the client of the platform, for every component. */
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useReducer } from "preact/hooks";
import { type Client, createClient, exchangedToken } from "../../client/index.ts";
import type { Session, SessionState } from "../session/session.ts";

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
  return (
    <SessionContext.Provider value={session}>
      <ClientContext.Provider value={client}>{children}</ClientContext.Provider>
    </SessionContext.Provider>
  );
}

/** The registry has tokens of its own, which the issuer gives for a token of the API. */
function newClient({ addresses, token }: Session): Client {
  const { api, issuer, registry, registryAudience: audience, vendor } = addresses;
  return createClient({
    ...{ url: api, vendor, token },
    registry: { url: registry, vendor, token: exchangedToken({ issuer, source: token, audience }) },
  });
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

/**
 * The session: who uses the console, and the token of their calls. Tokens are only in the memory of this page. A reload
 * therefore signs in again, through an identity provider that usually still knows the person.
 */
import type { TokenRequest, TokenSource } from "../../client/index.ts";
import { type Addresses, readAddresses } from "./addresses.ts";
import {
  findLocalOwner,
  type Grant,
  GrantEnded,
  type LocalOwner,
  redeemCode,
  renewGrant,
  requestLocalOwner,
  revokeGrant,
} from "./grants.ts";
import { lastPlace } from "./last_place.ts";
import { leaveForIssuer, readArrival } from "./pkce.ts";
import { textOfPart } from "./token_part.ts";

/** The state of the session, as far as pages need it. */
export type SessionState =
  | { kind: "signed-out"; reason?: string }
  | ({ kind: "signed-in" } & Person)
  /** The token cannot be renewed. The page keeps what it shows until the person signs in again. */
  | ({ kind: "ended" } & Person);

/** The person who is signed in. */
export interface Person {
  /** The uid of their identity. */
  uid: string;
  /** Their email address, or another text that they know. */
  name: string;
  /** Whether they are the owner of the sample organization of `npm start`. */
  isLocalOwner: boolean;
}

/** Renewed this long before its expiry, in milliseconds. */
const renewalMargin = 60_000;

/** How this tab signed in last, so that a reload can repeat it. It is a name and no token. */
const lastSignInKey = "console.last-sign-in";
const localOwnerMark = "local-owner";

/** Tabs send the uid of the person who signs out. */
const signOutChannel = "console.sign-out";

function announceSignOut(uid: string): void {
  const channel = new BroadcastChannel(signOutChannel);
  channel.postMessage(uid);
  channel.close();
}

const notRevoked =
  "You are signed out here. The issuer did not respond, so the session remains there until it expires. This page has deleted its tokens.";

/** The organization that the person named last, for the next sign-in. */
export const lastProvider = {
  read: () => localStorage.getItem("console.provider") ?? "",
  write: (name: string) => localStorage.setItem("console.provider", name),
};

/** The session of this page. There is one. */
export class Session {
  state: SessionState = { kind: "signed-out" };
  readonly addresses: Addresses;
  readonly localOwner: LocalOwner | undefined;
  #grant: Grant | undefined;
  #renewal: Promise<string> | undefined;
  #listeners = new Set<() => void>();

  constructor(addresses: Addresses, localOwner: LocalOwner | undefined) {
    this.addresses = addresses;
    this.localOwner = localOwner;
  }

  /** Calls the listener after each change of `state`, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #become(state: SessionState): void {
    this.state = state;
    for (const listener of this.#listeners) listener();
  }

  #begin(grant: Grant, isLocalOwner: boolean, mark: string): void {
    this.#grant = grant;
    sessionStorage.setItem(lastSignInKey, mark);
    const { sub = "", email } = claimsOf(grant.token);
    const owner = isLocalOwner ? this.localOwner?.owner.name : undefined;
    const name = email ?? owner ?? `${sub.slice(0, 8)}…`;
    this.#become({ kind: "signed-in", uid: sub, name, isLocalOwner });
  }

  /** Signs in as the owner of the sample organization of `npm start`. */
  async signInAsLocalOwner(): Promise<void> {
    this.#begin(await requestLocalOwner(), true, localOwnerMark);
  }

  /** Leaves the page for the issuer. The page comes back to the address that it shows now. */
  async signIn(provider: string, inviteCode?: string): Promise<void> {
    if (provider !== "") lastProvider.write(provider);
    // A page of the issuer asks about the invite, so the page must not offer it again.
    const hash = inviteCode === undefined ? location.hash : "";
    const returnTo = location.pathname + location.search + hash;
    await leaveForIssuer(this.addresses, {
      provider,
      returnTo,
      ...(inviteCode === undefined ? {} : { inviteCode }),
    });
  }

  /** Ends the session here and at the issuer, and the sessions of the same person in other tabs. */
  async signOut(): Promise<void> {
    if (this.state.kind === "signed-in") announceSignOut(this.state.uid);
    await this.#end();
  }

  /** Ends the session here as soon as the same person signs out in another tab. */
  followOtherTabs(): void {
    new BroadcastChannel(signOutChannel).onmessage = ({ data }) => {
      if (this.state.kind !== "signed-out" && this.state.uid === data) void this.#end();
    };
  }

  async #end(): Promise<void> {
    const grant = this.#grant;
    this.#grant = undefined;
    lastPlace.forget();
    this.#refuse();
    const isEnded = !grant || (await revokeGrant(this.addresses, grant));
    if (!isEnded && this.state.kind === "signed-out") this.#refuse(notRevoked);
  }

  /** Continues what the address or the last sign-in of this tab began. Resolves when it is clear who is there. */
  async start(): Promise<void> {
    const arrival = readArrival(this.addresses);
    if (arrival.kind === "refused") return this.#refuse(arrival.reason);
    if (arrival.kind === "code") {
      const { code, verifier, provider } = arrival;
      const redeemed = redeemCode(this.addresses, code, verifier);
      return redeemed.then(
        (grant) => this.#begin(grant, false, provider),
        (error: Error) => this.#refuse(error.message),
      );
    }
    const mark = sessionStorage.getItem(lastSignInKey);
    if (mark === localOwnerMark && this.localOwner) {
      return this.signInAsLocalOwner().catch((error: Error) => this.#refuse(error.message));
    }
    if (mark && mark !== localOwnerMark) {
      // A second attempt in a row is the person's own.
      sessionStorage.removeItem(lastSignInKey);
      await this.signIn(mark);
      await new Promise(() => {});
    }
  }

  #refuse(reason?: string): void {
    sessionStorage.removeItem(lastSignInKey);
    this.#become({ kind: "signed-out", ...(reason === undefined ? {} : { reason }) });
  }

  /** The tokens of calls. All calls that need a new one wait for the same renewal. */
  readonly token: TokenSource = async ({ refused }: TokenRequest) => {
    const grant = this.#grant;
    if (!grant) throw new GrantEnded("You are not signed in.");
    const isFresh = grant.expires - renewalMargin > Date.now();
    if (isFresh && grant.token !== refused) return grant.token;
    this.#renewal ??= this.#renew(grant).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal.catch((error: unknown) => {
      const isUsable = grant.expires > Date.now() && grant.token !== refused;
      if (isUsable && this.#grant === grant && !(error instanceof GrantEnded)) return grant.token;
      throw error;
    });
  };

  async #renew(grant: Grant): Promise<string> {
    const isLocalOwner = this.state.kind !== "signed-out" && this.state.isLocalOwner;
    try {
      const next = await (isLocalOwner ? requestLocalOwner() : renewGrant(this.addresses, grant));
      // Signing out has revoked it at the issuer. Here it must not begin the session again.
      if (this.#grant !== grant) throw new GrantEnded("You have signed out.");
      this.#grant = next;
      return next.token;
    } catch (error) {
      if (error instanceof GrantEnded && this.state.kind === "signed-in" && this.#grant === grant)
        this.#become({ ...this.state, kind: "ended" });
      throw error;
    }
  }
}

/** Reads the addresses of the platform and what `npm start` offers, and starts the session. */
export async function openSession(): Promise<Session> {
  const [addresses, localOwner] = await Promise.all([readAddresses(), findLocalOwner()]);
  const session = new Session(addresses, localOwner);
  session.followOtherTabs();
  await session.start();
  return session;
}

/** The claims of a token that the page shows. The platform checks the signature, with each call. */
function claimsOf(token: string): { sub?: string; email?: string } {
  const [, payload = ""] = token.split(".");
  return JSON.parse(textOfPart(payload)) as { sub?: string; email?: string };
}

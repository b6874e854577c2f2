import type { DescMessage, DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { BatchItem } from "drizzle-orm/batch";
import type { EtagCondition } from "../aip/etags.ts";
import type { Config } from "../config.ts";
import type { Database, Databases } from "./databases.ts";
import type { Idempotency } from "./idempotency.ts";
import type { ChainLink } from "./token_chain.ts";

export type { Database } from "./databases.ts";

/** The issuer and subject of another issuer's token, and the uid of the person that they identify. */
export interface ForeignBearer {
  issuer: string;
  subject: string;
  person: string;
}

/** The bearer as the verified token describes it. Each call reads from D1 which identity that is. */
export interface Credential {
  /** The uid of an identity (from our own token), or the issuer and subject that an identity must match. */
  bearer: { uid: string } | ForeignBearer;
  /** The groups that the token is narrowed to. Undefined if it is not narrowed. */
  scopes?: string[];
  /** The capability numbers that the token is narrowed to. Undefined if it is not narrowed. */
  capabilities?: number[];
  /** The email address in the token, and whether its issuer says that it is verified. */
  email?: { address: string; isVerified: boolean };
  /**
   * The login that the token comes from: an identity provider, and the person's groups there that have role
   * mappings.
   */
  login?: { identityProvider: string; groups: string[] };
  /** The origin of our own token, before all exchanges. Undefined for other tokens. */
  chain: ChainLink[];
  /** The part of the chain that a statement checks itself, if others check the rest. By default all of it. */
  linksHere?: ChainLink[];
  /** The claims of the upstream token before the exchange. The actor of an event contains them. */
  act: Record<string, string>;
}

/** The event of a change as the handler describes it: the resource, its group and the body. */
export interface EventDraft {
  subject: string;
  group: string;
  /**
   * The type and the message of the body. Undefined if the body is redacted. `only` lists the JSON names of
   * the fields that remain if the others are redacted.
   */
  body?: { desc: DescMessage; message: MessageInitShape<DescMessage>; only?: string[] };
  extensions?: Record<string, string>;
  /** The image that the event is about. */
  image?: EventImage;
  /** The uid of the only subscription that receives the event. */
  recipient?: string;
  /** The id of the event, a UUID. By default a new one. */
  id?: string;
}

/** The repository of an event, and the parts of an image there. Subscriptions can choose events by them. */
export interface EventImage {
  /** The uid of the repository. */
  repo: string;
  tag?: string;
  digest?: string;
  /** The digest that the tag pointed to before. */
  previousDigest?: string;
}

/** The RPC of version 1 that a call of version 2 serves, and the function that converts its event. */
export interface V1Origin {
  method: DescMethod;
  event: (draft: EventDraft) => EventDraft;
}

/**
 * One call of one RPC, from the transport to the handler. It has no database yet: {@link callAt} finds the one of a
 * uid, and `databases` has all of them.
 */
export interface CallAnywhere {
  readonly config: Config;
  readonly method: DescMethod;
  /** The numbers of all capabilities that the method's `iam` option requires. */
  readonly capabilities: readonly number[];
  /** Milliseconds since 1970 in UTC. The value is the same during the whole call. */
  readonly now: number;
  readonly databases: Databases;
  readonly headers: Headers;
  /** The headers of the response, for every transport. */
  readonly responseHeaders: Headers;
  /** The caller as the verified token describes it. Undefined for an open RPC. */
  readonly credential: Credential | undefined;
  /**
   * Guards for what the call has read, by the kind of data. `commit` puts them before everything that the
   * call writes. A second read of the same data replaces its guard.
   */
  readonly guards: Map<string, () => BatchItem<"sqlite">>;
  /** Whether the call checks everything and writes nothing (AIP-163). `commit` then undoes its batch. */
  readonly validateOnly?: boolean;
  /** Present if the call has an idempotency key, and writes. */
  readonly idempotency?: Idempotency;
  /** The versions of the resource that the caller wants to change or delete (`If-Match`). By default any. */
  readonly ifMatch?: EtagCondition | undefined;
  /**
   * Does work when the call is over, or only if it succeeded. The response does not wait for it, and its errors
   * are ignored.
   */
  readonly after: (work: () => Promise<unknown>, when?: "over" | "succeeded") => void;
  /** Present if an RPC of version 1 made this call (src/rpc/version1.ts). */
  readonly origin?: V1Origin;
  /** Whether the response of a List contains all rows, as in version 1, which has no pages. */
  readonly unpaged?: boolean;
}

/** A call in one database: that of the uid that the call is about. */
export interface Call extends CallAnywhere {
  readonly db: Database;
}

/** The same call, in the database of a uid that its request does not name. */
export const callAt = <Context extends Pick<CallAnywhere, "databases">>(
  call: Context,
  uid: string,
): Context & Pick<Call, "db"> => ({ ...call, db: call.databases.databaseOf(uid) });

/**
 * The uid of an identity of a group, whose access is all in one organization. Empty for a person, and for a caller that
 * only the database knows: their rows begin in the first database.
 */
export const uidOfCaller = ({ credential }: Pick<Call, "credential">): string => {
  const { bearer } = credential ?? {};
  return bearer && "uid" in bearer && bearer.uid.includes("/") ? bearer.uid : "";
};

/** The uid of a caller: of an identity, or of a person that only another issuer knows. Empty without a caller. */
export function callerUid(credential: Credential | undefined): string {
  const { bearer } = credential ?? {};
  if (!bearer) return "";
  return "uid" in bearer ? bearer.uid : bearer.person;
}

/** The same call, in the database with the identity of its caller. */
export const callAtCaller = (call: CallAnywhere): Call => callAt(call, uidOfCaller(call));

/** The part of a call that a change and its event need. A login has it too. */
export type WriteContext = Pick<Call, "db" | "config" | "now" | "headers">;

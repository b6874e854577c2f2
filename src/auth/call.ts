import type { DescMessage, DescMethod, MessageInitShape } from "@bufbuild/protobuf";
import type { BatchItem } from "drizzle-orm/batch";
import type { DrizzleD1Database } from "drizzle-orm/d1";
import type { Config } from "../config.ts";
import type { ChainLink } from "./token_chain.ts";

/** The database of one call. Its batches are counted where the configuration asks for it. */
export type Database = DrizzleD1Database;

/** Issuer and subject of another issuer's token, and the uid of the person that they would be. */
export interface ForeignBearer {
  issuer: string;
  subject: string;
  person: string;
}

/** What a verified token says of its bearer. Who that is in our tables, D1 tells with each call. */
export interface Credential {
  /** Identity uid (a token of ours), or the issuer and subject that an identity must match. */
  bearer: { uid: string } | ForeignBearer;
  /** Groups the token was narrowed to; undefined: not narrowed. */
  scopes?: string[];
  /** Capability numbers the token was narrowed to; undefined: not narrowed. */
  capabilities?: number[];
  /** The address it carries, and whether its issuer says that it was verified. */
  email?: { address: string; isVerified: boolean };
  /** The login it comes from: an identity provider and those groups of it that mappings name. */
  login?: { identityProvider: string; groups: string[] };
  /** What a token of ours was exchanged from; empty for any other. */
  chain: ChainLink[];
  /** Claims of the upstream token it was exchanged for, as the event's actor tells them. */
  act: Record<string, string>;
}

/** What the handler of a change says of its event: the resource, its group and the body. */
export interface EventDraft {
  subject: string;
  group: string;
  /**
   * The body's type and message; undefined where it is redacted away. `only`: JSON names of the
   * fields that stay, where the others are redacted away.
   */
  body?: { desc: DescMessage; message: MessageInitShape<DescMessage>; only?: string[] };
  extensions?: Record<string, string>;
}

/** The RPC of version 1 that a call of version 2 answers for, and what makes its event of that of version 2. */
export interface V1Origin {
  method: DescMethod;
  event: (draft: EventDraft) => EventDraft;
}

/** One call of one RPC, on its way from the transport to the handler. */
export interface Call {
  readonly config: Config;
  readonly method: DescMethod;
  /** Capability numbers that the method's `iam` option demands, all of them. */
  readonly capabilities: readonly number[];
  /** Milliseconds since 1970 UTC, the same through the whole call. */
  readonly now: number;
  readonly db: Database;
  readonly headers: Headers;
  /** Headers of the answer, on every transport. */
  readonly responseHeaders: Headers;
  /** What the verified token says of the caller; undefined for an open RPC. */
  readonly credential: Credential | undefined;
  /**
   * Guards of what the call has read, by what that is: `commit` puts them in front of all that the call
   * writes. Whoever reads the same again replaces its guard.
   */
  readonly guards: Map<string, () => BatchItem<"sqlite">>;
  /** Where it was called by an RPC of version 1 (src/rpc/version1.ts). */
  readonly origin?: V1Origin;
  /** The answer of a List has all rows, as in version 1, which has no pages. */
  readonly unpaged?: boolean;
}

/** What a change and its event need of a call, or of whatever else writes, such as a login. */
export type WriteContext = Pick<Call, "db" | "config" | "now">;

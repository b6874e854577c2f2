/** A change by an RPC, and its expected event (contract: v2 event table). */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Fixtures } from "../fixtures.ts";

/** A request, and facts about it that the response does not contain. */
export interface PreparedCall {
  request: JsonObject;
  subject?: string;
  /** The group of the event, and its extensions, if they do not follow from the subject. */
  group?: string;
  extensions?: Record<string, string>;
  /** Reads the rows that the call changes, if they do not belong to the fixtures' organization. */
  rows?: () => Promise<unknown>;
  /** Further claims of the caller's token, if the RPC is about them. */
  claims?: JsonObject;
  /** The caller, if the RPC does not take our tokens. */
  as?: { uid: string; name: string; token: string };
}

/** A change: its caller, the request and the response. */
export interface ChangeContext {
  /** The uid and the name of the caller, and further claims of their token. */
  actor: string;
  name: string;
  claims: JsonObject;
  request: JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  answer: any;
}

/** A change, and the event that it emits. */
export interface EventChange {
  /** Makes a successful request that changes something in the fixtures. */
  prepare(fixtures: Fixtures): Promise<PreparedCall> | PreparedCall;
  /** The `ce-subject` if only the response contains it and it is not the uid there. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  subjectOf?(answer: any): string;
  /** The type of the event without `dev.<vendor>.`. */
  type: string;
  /** The path in `ce-source`. */
  source: string;
  /**
   * The `ce-subject`: the uid in the response, unless `prepare` returns it. The group extension follows from
   * it.
   */
  group: "parent" | "grandparent" | "self" | "root" | "none";
  /** The readers of the event. The default is customers. */
  audience?: "internal";
  /** Additional extensions of the event, computed from its subject. */
  extensions?: (subject: string) => Record<string, string>;
  /** The type of the event's body, and the name of its message. */
  body: "answer" | "request" | ((context: ChangeContext) => JsonValue | undefined);
  bodyType: string;
  /** The RPC is about its caller, so its errors are in the tests of its resource. */
  personal?: boolean;
  /** Types of further events that the change writes in addition to the RPC's own. */
  alsoEmits?: string[];
  /** The event is all that the change writes. */
  onlyEvent?: boolean;
  /** A request that meets its rules and is refused because of the fixtures. */
  conflict?(fixtures: Fixtures): Promise<JsonObject> | JsonObject;
  /** A successful request that changes nothing. */
  idle?(fixtures: Fixtures): Promise<JsonObject> | JsonObject;
}

/** The part of a change that does not follow from its RPC (standard_changes.ts). */
export type OwnChange = Partial<EventChange>;

/** Like {@link deleteOf}, for version 1. */
export const deleteOfV1 = (id: string): PreparedCall => ({ request: { id }, subject: id });

/** The subject of a delete: the uid in the request. */
export const deleteOf = (uid: string): PreparedCall => ({ request: { uid }, subject: uid });

/** A change that an RPC makes, and the event it must make (contract: v2 event table). */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Fixtures } from "../fixtures.ts";

/** A request, and what of it cannot be read off the answer. */
export interface PreparedCall {
  request: JsonObject;
  subject?: string;
  /** Further claims of the caller's token, where the RPC is about them. */
  claims?: JsonObject;
  /** Who calls, where the RPC takes no token of ours. */
  as?: { uid: string; name: string; token: string };
}

/** What a change was: by whom, of what they asked, with which answer. */
export interface ChangeContext {
  /** Uid and name of the caller, and further claims of their token. */
  actor: string;
  name: string;
  claims: JsonObject;
  request: JsonObject;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  answer: any;
}

/** A change and its event. */
export interface EventChange {
  /** Makes a request that succeeds and changes something in the fixtures. */
  prepare(fixtures: Fixtures): Promise<PreparedCall> | PreparedCall;
  /** `ce-subject` of what only the answer tells, where that is not its uid. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  subjectOf?(answer: any): string;
  /** Event type without `dev.<vendor>.`. */
  type: string;
  /** Path of `ce-source`. */
  source: string;
  /** `ce-subject`: the answer's uid unless `prepare` tells it. The group extension, from that. */
  group: "parent" | "self" | "root" | "none";
  /** Who may read it: customers, unless told. */
  audience?: "internal";
  /** Further extensions of the event, from its subject. */
  extensions?: (subject: string) => Record<string, string>;
  /** What the event's body is, and its message's name. */
  body: "answer" | "request" | ((context: ChangeContext) => JsonValue | undefined);
  bodyType: string;
  /** The RPC is about the caller, whoever that is: its refusals are in the tests of its resource. */
  personal?: boolean;
  /** Types of the further events that the change makes, told beside the RPC's own. */
  alsoEmits?: string[];
  /** A request that passes its rules and is refused for what stands in the fixtures. */
  conflict?(fixtures: Fixtures): Promise<JsonObject> | JsonObject;
  /** A request that succeeds and changes nothing. */
  idle?(fixtures: Fixtures): Promise<JsonObject> | JsonObject;
}

/** What of a change does not follow from its RPC (standard_changes.ts). */
export type OwnChange = Partial<EventChange>;

/** As {@link deleteOf}, of version 1. */
export const deleteOfV1 = (id: string): PreparedCall => ({ request: { id }, subject: id });

/** Subject of a delete: the uid that was asked for. */
export const deleteOf = (uid: string): PreparedCall => ({ request: { uid }, subject: uid });

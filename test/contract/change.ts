/** A change that an RPC makes, and the event it must make (contract: v2 event table). */
import type { JsonObject } from "@bufbuild/protobuf";
import type { Stock } from "./stock.ts";

/** A request, and what of it cannot be read off the answer. */
export interface Prepared {
  request: JsonObject;
  subject?: string;
}

/** A change and its event. */
export interface Change {
  /** Makes a request that succeeds and changes something in the stock. */
  prepare(stock: Stock): Promise<Prepared> | Prepared;
  /** Event type without `dev.<vendor>.`. */
  type: string;
  /** Path of `ce-source`. */
  source: string;
  /** `ce-subject`: the answer's uid unless `prepare` tells it. The group extension, from that. */
  group: "parent" | "self" | "root";
  /** What the event's body is, and its message's name. */
  body: "answer" | "request";
  bodyType: string;
  /** A request that passes its rules and is refused for what stands in the stock. */
  conflict?(stock: Stock): Promise<JsonObject> | JsonObject;
  /** A request that succeeds and changes nothing. */
  idle?(stock: Stock): Promise<JsonObject> | JsonObject;
}

/** Subject of a delete: the uid that was asked for. */
export const named = (uid: string): Prepared => ({ request: { uid }, subject: uid });

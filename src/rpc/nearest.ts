/** Decides which database a call reads from first, if the operator has set `READS` to `nearest`. */
import type { Message } from "@bufbuild/protobuf";
import { httpRules } from "../../schema/options.ts";
import type { Config } from "../config.ts";
import {
  anyone,
  bookmarkHeader,
  callerIn,
  openBookmarks,
  type SeenStates,
  sealBookmark,
} from "./bookmark.ts";
import type { Rpc } from "./service.ts";
import type { ReplicaStart } from "./session.ts";

/** The domains whose reads may start at a replica. All others are about access or changes. */
const nearDomains = ["registry", "vulnerabilities", "libraries", "advisory"];

/** Whether the RPC only reads, in a domain where a replica is new enough. */
export function mayReadNearby({ method }: Rpc): boolean {
  const [, domain = ""] = method.parent.typeName.split(".");
  const rules = httpRules(method);
  return (
    nearDomains.includes(domain) && rules.length > 0 && rules.every(({ verb }) => verb === "get")
  );
}

/** The bookmarks of one call. */
export interface CallBookmarks {
  /** Where the call starts in a database. Undefined if it starts at the primary of each. */
  startOf: ((database: string) => ReplicaStart) | undefined;
  /**
   * Gives the caller the states that the call has seen: in a header, and in the token of the next page. The
   * answer is undefined if the call failed.
   */
  give(states: SeenStates, headers: Headers, answer: Message | undefined): Promise<void>;
}

/** The end of a page token that carries a bookmark: the next page is not older than the page before it. */
const carriedPattern = /~([\w-]*)$/;

/**
 * Reads the bookmarks that a call sends, and takes the one in its page token out of the request. Undefined if
 * all reads start at the primary.
 */
export async function readBookmarks(
  rpc: Rpc,
  request: Message,
  headers: Headers,
  { config, now }: { config: Config; now: number },
): Promise<CallBookmarks | undefined> {
  const carried = takeCarried(request);
  const { replicaMaxAge: maxAge } = config;
  if (maxAge === undefined) return undefined;
  const caller = callerIn(headers);
  const owner = rpc.open ? anyone : caller;
  const { seen, seal } = await openSent(config, headers, { caller, owner, carried, maxAge, now });
  return {
    startOf:
      seen && mayReadNearby(rpc)
        ? (database) => ({ from: seen[database] ?? "first-unconstrained", maxAge })
        : undefined,
    async give(states, responseHeaders, answer) {
      if (Object.keys(states).length === 0) return;
      const word = await seal(states);
      responseHeaders.set(bookmarkHeader, word);
      if (answer) carry(answer, word);
    },
  };
}

/**
 * The bookmark for the response of the registry host, which reads only from the primary. Undefined if the
 * operator has not set `READS`, and for a client that neither writes nor sends bookmarks.
 */
export async function registryBookmark(
  config: Config,
  { method, headers }: Request,
  { states, caller, now }: { states: SeenStates; caller: string; now: number },
): Promise<string | undefined> {
  const { replicaMaxAge: maxAge } = config;
  const isRead = method === "GET" || method === "HEAD";
  if (maxAge === undefined || (isRead && !headers.has(bookmarkHeader))) return undefined;
  const { seal } = await openSent(config, headers, {
    caller,
    owner: caller,
    carried: "",
    maxAge,
    now,
  });
  return Object.keys(states).length === 0 ? undefined : seal(states);
}

interface Sent {
  caller: string;
  /** Whom the new bookmark is for. */
  owner: string;
  /** The bookmark in the page token. */
  carried: string;
  maxAge: number;
  now: number;
}

/** Opens what a call has sent. `seal` adds the states that the call has seen. */
async function openSent(config: Config, headers: Headers, sent: Sent) {
  const text = [headers.get(bookmarkHeader) ?? "", sent.carried].join(",");
  const seen = await openBookmarks(config, { ...sent, text });
  const seal = (states: SeenStates) => sealBookmark(config, { ...seen, ...states }, sent);
  return { seen, seal };
}

/** Casts here and below, because the type of the message is not known. Page tokens are found by their names. */
function takeCarried(request: Message): string {
  const paged = request as { pageToken?: unknown };
  if (typeof paged.pageToken !== "string") return "";
  const [end = "", word = ""] = carriedPattern.exec(paged.pageToken) ?? [];
  if (end !== "") paged.pageToken = paged.pageToken.slice(0, -end.length);
  return word;
}

function carry(answer: Message, word: string): void {
  const page = answer as { nextPageToken?: unknown };
  if (typeof page.nextPageToken === "string" && page.nextPageToken !== "")
    page.nextPageToken = `${page.nextPageToken}~${word}`;
}

/**
 * Bookmarks: the state of the database that a caller has seen, in the header `x-d1-bookmark`. A read with a
 * bookmark sees at least that state (docs/decisions/0011). A bookmark is sealed, because D1's own bookmark
 * counts the writes of all organizations.
 */
import { openText, sealText } from "../auth/sealed.ts";
import { bearerToken, readUnverified } from "../auth/token.ts";
import type { Config } from "../config.ts";

export const bookmarkHeader = "x-d1-bookmark";

/** The states that D1's bookmarks name, by the binding of their database. */
export type SeenStates = Record<string, string>;

/** The bookmark of a call that must see everything written before it. */
export const primaryBookmark = "primary";

/** The most bookmarks in a header, separated by commas, and the most characters of the header. */
const maxBookmarks = 16;
const maxLength = 8_192;

/** The owner of the bookmarks of calls without a caller. Everyone can use them. */
export const anyone = "";

const purposeOf = (owner: string) => ({ name: "platform bookmark", boundTo: owner });

/** The owner of bookmarks for a token of this issuer with this subject. */
export const callerName = (issuer: string, subject: string) => JSON.stringify([issuer, subject]);

/**
 * The caller that bookmarks are bound to: the issuer and the subject of the token. The token need not be
 * verified yet, because a call with a token that fails its verification reads nothing for a caller.
 */
export function callerIn(headers: Headers, token = bearerToken): string {
  try {
    const { issuer, claims } = readUnverified(token(headers));
    return callerName(issuer, claims.sub);
  } catch {
    return anyone;
  }
}

/** A sealed bookmark as JSON: the time in milliseconds, and the states. */
interface Stored {
  time: number;
  seen: SeenStates;
}

/** Seals the states for their owner at a time in milliseconds. The result is one word for a header. */
export const sealBookmark = (
  { pageTokenKeys }: Pick<Config, "pageTokenKeys">,
  seen: SeenStates,
  { owner, now }: { owner: string; now: number },
): Promise<string> => {
  const stored: Stored = { time: now, seen };
  return sealText(pageTokenKeys, purposeOf(owner), JSON.stringify(stored));
};

/** The bookmarks that a call sends, its caller, and the greatest age of a replica in milliseconds. */
interface Sent {
  text: string;
  caller: string;
  now: number;
  maxAge: number;
}

/**
 * The latest states that the bookmarks of a call name. Undefined if one of them cannot be opened, so that only the
 * primary is sure to be new enough. This is so for `primary`, for a text that was changed or is too long, for the
 * bookmark of another caller, and if its key is gone. A bookmark that is older than every replica in use says nothing,
 * and is left out.
 */
export async function openBookmarks(
  { pageTokenKeys }: Pick<Config, "pageTokenKeys">,
  { text, caller, now, maxAge }: Sent,
): Promise<SeenStates | undefined> {
  if (text.length > maxLength) return undefined;
  const words = new Set(text.split(",").flatMap((word) => word.trim() || []));
  if (words.size > maxBookmarks || words.has(primaryBookmark)) return undefined;
  const latest: SeenStates = {};
  for (const word of words) {
    const opened =
      (await openText(pageTokenKeys, purposeOf(caller), word)) ??
      (await openText(pageTokenKeys, purposeOf(anyone), word));
    if (opened === undefined) return undefined;
    // A cast, because this purpose seals only bookmarks.
    const { time, seen } = JSON.parse(opened) as Stored;
    if (now - time > 2 * maxAge) continue;
    for (const [database, state] of Object.entries(seen)) {
      // D1 orders its bookmarks as texts (its glossary, "bookmark").
      if (state > (latest[database] ?? "")) latest[database] = state;
    }
  }
  return latest;
}

/**
 * The bookmarks of a client: the states of the platform that its calls have seen. Each call sends them, so that no read
 * shows an older state, even if a replica near the caller serves it.
 */

export const bookmarkHeader = "x-d1-bookmark";

/** The bookmark that asks for everything that was written before the call. */
export const primary = "primary";

/** The most bookmarks that are kept. The platform accepts twice as many. */
const maxHeld = 8;

/** The characters of one or several bookmarks. They are a part of a header. */
const pattern = /^[\w-]+(,[\w-]+)*$/;

/** Reports whether a text can be a bookmark, or several. */
export const isBookmark = (text: string): boolean => pattern.test(text);

/** One call, from its request to its response. */
export interface BookmarkedCall {
  headers: Record<string, string>;
  /** Keeps the bookmark of the response. It takes the place of those that the call has sent, because it is newer. */
  end(response: Headers): void;
}

/**
 * Bookmarks are opaque, so no one can see which is the newest. After calls at the same time there are several, and the
 * next call sends all of them.
 */
export class Bookmarks {
  /** Objects, because the same text can be added again. */
  #held: { text: string }[];

  /** Throws a TypeError for a text that is not a bookmark. */
  constructor(first = "") {
    this.#held = first === "" ? [] : [{ text: first }];
    if (first !== "" && !isBookmark(first)) throw new TypeError("bookmark is not valid");
  }

  /** All bookmarks in one text, or an empty text. */
  get text(): string {
    return this.#held.map(({ text }) => text).join(",");
  }

  /** The calls after this one see everything that was written so far, by anyone. */
  requirePrimary(): void {
    this.#held = [{ text: primary }];
  }

  /** Begins a call. A host that always reads from the primary need not be asked for it. */
  begin(isAtPrimary = false): BookmarkedCall {
    const { text } = this;
    const sent = this.#held;
    return {
      headers: text === "" || (isAtPrimary && text === primary) ? {} : { [bookmarkHeader]: text },
      end: (response) => {
        const bookmark = response.get(bookmarkHeader)?.replaceAll(" ", "") ?? "";
        if (!isBookmark(bookmark)) return;
        const newer = this.#held.filter((held) => !sent.includes(held));
        // An error over Connect has each of its headers twice.
        this.#held = [...newer, ...[...new Set(bookmark.split(","))].map((text) => ({ text }))];
        if (this.#held.length > maxHeld) this.requirePrimary();
      },
    };
  }
}

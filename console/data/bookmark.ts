/** The state of the platform that the page has seen. A page that is loaded again shows nothing older. */
import type { Client } from "../../client/index.ts";

const key = "console.bookmark";

/** Bookmarks as the client returns them. It refuses any other text. */
const pattern = /^[\w-]+(,[\w-]+)*$/;

/** The bookmark of the page that this tab showed before. A new tab reads everything that was written before it. */
export function keptBookmark(): string {
  const kept = sessionStorage.getItem(key) ?? "";
  return pattern.test(kept) ? kept : "primary";
}

/**
 * Keeps the bookmark of the client when the page goes, until the returned function is called. It has no use without a
 * token of the same person.
 */
export function keepBookmark(client: Pick<Client, "bookmark">): () => void {
  const keep = () => sessionStorage.setItem(key, client.bookmark());
  addEventListener("pagehide", keep);
  return () => removeEventListener("pagehide", keep);
}

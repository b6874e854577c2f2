/** The search in the guides and the operations. The index is loaded when someone searches for the first time. */
import MiniSearch from "minisearch";

/** A section of a guide, or an operation of the API. `site/search.ts` writes the entries. */
interface Entry {
  kind: "guide" | "operation";
  title: string;
  detail: string;
  text: string;
  address: string;
}

/** A place that a person can go to. */
export interface Destination {
  /** The path on this host. */
  address: string;
  title: string;
  /** The kind of the place, such as `Guide: Get started`. */
  detail: string;
}

/** A place at an address below `/console`. */
export const newDestination = (address: string, title: string, detail: string): Destination => ({
  address: `/console${address}`,
  title,
  detail,
});

const maxFound = 8;

let index: Promise<MiniSearch<Entry>> | undefined;

async function loadIndex(): Promise<MiniSearch<Entry>> {
  const response = await fetch("/docs/search.json");
  if (!response.ok) throw new Error(`The index responded with HTTP ${response.status}.`);
  const search = new MiniSearch<Entry>({
    idField: "address",
    fields: ["title", "detail", "text"],
    storeFields: ["kind", "title", "detail"],
    searchOptions: {
      boost: { title: 4, detail: 2 },
      prefix: true,
      fuzzy: 0.15,
      combineWith: "AND",
    },
  });
  await search.addAllAsync((await response.json()) as Entry[]);
  return search;
}

/** Returns the best matches. Rejects if the index cannot be loaded; the next call tries again. */
export async function searchGuides(text: string): Promise<Destination[]> {
  index ??= loadIndex().catch((error: Error) => {
    index = undefined;
    throw error;
  });
  const results = (await index).search(text).slice(0, maxFound);
  return results.map(({ id, kind, title, detail }) => ({
    address: String(id),
    title: String(title),
    detail: kind === "operation" || detail === "Guide" ? String(detail) : `Guide: ${detail}`,
  }));
}

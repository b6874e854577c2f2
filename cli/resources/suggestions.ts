/** Suggests words at the cursor from the platform. It is quick or suggests nothing. */

import {
  type CatalogResource,
  fieldNamed,
  resourceNamed,
  supportsVerb,
  type Verb,
  verbs,
} from "./catalog.ts";
import { withoutControls } from "./cells.ts";
import {
  beginningWith,
  imagesLike,
  imageToComplete,
  type Suggestion,
  tagsLike,
} from "./image_suggestions.ts";
import { findUid, isUid, parentOf, readNames, requireResourceNamed } from "./names.ts";
import { openPlatform, type PlatformClient } from "./platform.ts";

/** In milliseconds: the longest time that a user waits for a completion. */
const timeoutMs = 1_500;
const maxSuggestions = 200;

/** Shells insert a word unchanged, so words with characters that are special to a shell are not offered. */
const isWord = /^[\w@%+=:,./][\w@%+=:,./-]*$/;

/** Resources that flags name, in addition to flags with the name of a resource. */
const flagResources: Record<string, string> = {
  "-g": "group",
  "--group": "group",
  "--parent": "group",
  "--on-group": "group",
  "--scope": "group",
  "--default-role": "role",
};

/** Returns the resource that a flag names, or undefined. */
function resourceOfFlag(flag: string): CatalogResource | undefined {
  const name = flagResources[flag];
  if (name) return requireResourceNamed(name);
  const resource = flag.startsWith("--") ? resourceNamed(flag.slice(2)) : undefined;
  return resource?.word === flag.slice(2) ? resource : undefined;
}

/** Returns the resource to complete in the words of a command line. The last word is not finished. */
function resourceToComplete(words: string[]): CatalogResource | undefined {
  const before = words.at(-2) ?? "";
  const last = words.at(-1) ?? "";
  if (last.startsWith("-")) return undefined;
  if (before.startsWith("-")) return resourceOfFlag(before);
  const [verb = "", word = ""] = words;
  if (words.length < 3 || !(verbs as readonly string[]).includes(verb)) return undefined;
  const resource = resourceNamed(word);
  const isNamed = ["get", "describe", "update", "delete"].includes(verb);
  return resource && isNamed && supportsVerb(resource, verb as Verb) ? resource : undefined;
}

/** Returns the names of a resource that begin like the word. It never fails and never takes long. */
export async function suggestionsOf(words: string[]): Promise<Suggestion[]> {
  const image = imageToComplete(words);
  const resource = resourceToComplete(words);
  if (image === undefined && !resource) return [];
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Suggestion[]>((resolve) => {
    timer = setTimeout(() => resolve([]), timeoutMs);
  });
  try {
    const search = resource
      ? lookUp(resource, words)
      : openPlatform().then((platform) => imagesLike(platform, image ?? ""));
    const suggestions = await Promise.race([search, tooLate]);
    return suggestions.filter(({ value }) => isWord.test(value));
  } catch {
    // A shell cannot show an error here.
    return [];
  } finally {
    clearTimeout(timer);
  }
}

async function lookUp(resource: CatalogResource, words: string[]): Promise<Suggestion[]> {
  const platform = await openPlatform();
  const named = resource.name === "repoReadme" ? requireResourceNamed("repo") : resource;
  const { list } = named.methods;
  if (!list) return [];
  if (named.name === "tag") return tags(platform, words);
  const sorted = named.key?.field === "name" ? { orderBy: "name" } : {};
  const typed = fieldNamed(list.input, "namePrefix") ? beginningWith(words.at(-1) ?? "") : {};
  const rows = await platform.rows(list.rpc, { ...sorted, ...typed }, maxSuggestions);
  const parents = await readNames(
    platform,
    rows.map(({ uid }) => parentOf(String(uid)) ?? ""),
  );
  return rows.map((row) => {
    const name = named.key ? row[named.key.field] : row.uid;
    const parent = parents.get(parentOf(String(row.uid)) ?? "");
    const text = String(row.description || (parent ? `in ${parent}` : ""));
    return { value: withoutControls(String(name)), text: withoutControls(text) };
  });
}

/** `python:` is followed by the tags of python. Before the colon, repositories are suggested. */
async function tags(platform: PlatformClient, words: string[]): Promise<Suggestion[]> {
  const last = words.at(-1) ?? "";
  const index = words.indexOf("--repo");
  const colon = last.lastIndexOf(":");
  const repo = index >= 0 ? words[index + 1] : last.slice(0, Math.max(0, colon));
  if (!repo) {
    const { list } = requireResourceNamed("repo").methods;
    const asked = { orderBy: "name", ...beginningWith(last) };
    const repos = list ? await platform.rows(list.rpc, asked, maxSuggestions) : [];
    return repos.map(({ name }) => ({ value: `${name}:`, text: "tags" }));
  }
  const uid = isUid(repo) ? repo : await findUid(platform, requireResourceNamed("repo"), repo);
  const before = index >= 0 ? "" : `${repo}:`;
  return tagsLike(platform, uid, { before, typed: last.slice(before.length) });
}

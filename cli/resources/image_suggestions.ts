/** Suggests images at the cursor: repositories as a registry names them, and then their tags. */
import { requireMethod } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { organizationOf, requireResourceNamed } from "./names.ts";
import type { PlatformClient } from "./platform.ts";

/** A word and its description. */
export type Suggestion = { value: string; text: string };

/** The position of the image among the words after the command. */
const imageArguments: Record<string, number> = {
  ...{ history: 0, pin: 0, pull: 0, push: 1 },
  ...{ "rules check": 1, "rules plan": 1, "rules plans": 1 },
};

/** How many images are offered, and how many repositories and organizations are looked at for them. */
const most = { offered: 50, read: 200 };

/** Returns the image that is being typed: the last word, if it is the argument of such a command. */
export function imageToComplete(words: string[]): string | undefined {
  const [command = "", ...rest] = words;
  const position = imageArguments[command] ?? imageArguments[`${command} ${rest[0]}`];
  const last = rest.at(-1);
  if (position === undefined || last === undefined || last.startsWith("-")) return undefined;
  // An option may have a value, so only a line without options is certain.
  if (rest.some((word) => word.startsWith("-"))) return undefined;
  return rest.length === position + 1 ? last : undefined;
}

const listOf = (name: string) => requireMethod(requireResourceNamed(name), "list").rpc;

/** Returns images that begin like the text: repositories with their organization, or tags after a colon. */
export async function imagesLike(platform: PlatformClient, text: string): Promise<Suggestion[]> {
  const host = `${new URL(platform.account.registryUrl).host}/`;
  const before = text.startsWith(host) ? host : "";
  const image = text.slice(before.length);
  const colon = image.indexOf(":", image.indexOf("/"));
  const suggestions =
    colon < 0 || !image.includes("/")
      ? await repositories(platform, image)
      : await tagsOf(platform, image.slice(0, colon), image.slice(colon + 1));
  return suggestions
    .filter(({ value }) => value.startsWith(image))
    .slice(0, most.offered)
    .map((suggestion) => ({ ...suggestion, value: `${before}${suggestion.value}` }));
}

/** The longest beginning of a name that a List accepts, in characters. */
const maxPrefixLength = 100;

/** Returns the filter of a List for names that begin with the typed text. */
export const beginningWith = (typed: string): JsonObject =>
  typed === "" ? {} : { namePrefix: typed.slice(0, maxPrefixLength) };

/** Returns the namespace of each organization: its verified name, otherwise its uid. */
async function namespaces(platform: PlatformClient): Promise<Map<string, string>> {
  const request = { uidp: { inRoot: true }, orderBy: "name" };
  const rows = await platform.rows(listOf("group"), request, most.read);
  return new Map(
    rows.map(({ uid, name, verified }) => [String(uid), String(verified ? name : uid)]),
  );
}

async function repositories(platform: PlatformClient, image: string) {
  const read = (request: JsonObject) =>
    platform.rows(listOf("repo"), { ...request, orderBy: "name" }, most.read);
  const organizations = await namespaces(platform);
  const slash = image.indexOf("/");
  const asked = slash < 0 ? undefined : namespaceOf(organizations, image.slice(0, slash));
  if (slash >= 0 && asked === undefined) return [];
  const rows = await read(
    asked === undefined
      ? {}
      : { uidp: { descendantsOf: asked }, ...beginningWith(image.slice(slash + 1)) },
  );
  return rows.map((row) => ({
    value: `${organizations.get(organizationOf(String(row.uid))) ?? organizationOf(String(row.uid))}/${row.name}`,
    text: String(row.description ?? "image"),
  }));
}

/** Returns the uid of the organization with a namespace. */
function namespaceOf(organizations: Map<string, string>, namespace: string): string | undefined {
  const [uid] =
    [...organizations].find(([own, name]) => name === namespace || own === namespace) ?? [];
  return uid;
}

async function tagsOf(platform: PlatformClient, repository: string, typed: string) {
  const slash = repository.indexOf("/");
  const within = namespaceOf(await namespaces(platform), repository.slice(0, slash));
  if (within === undefined) return [];
  const name = repository.slice(slash + 1);
  const request = { name, uidp: { descendantsOf: within } };
  const repo = (await platform.rows(listOf("repo"), request, 2)).find((row) => row.name === name);
  if (!repo) return [];
  return tagsLike(platform, String(repo.uid), { before: `${repository}:`, typed });
}

/**
 * Returns the tags of the repository with this uid that begin with the typed text. Without a text, the newest ones come
 * first. `before` is the text before each name.
 */
export async function tagsLike(
  platform: PlatformClient,
  repo: string,
  { before, typed }: { before: string; typed: string },
): Promise<Suggestion[]> {
  const order = typed === "" ? { orderBy: "update_time desc" } : beginningWith(typed);
  const query = { uidp: { childrenOf: repo }, ...order };
  const rows = await platform.rows(listOf("tag"), query, most.read);
  return rows.map(({ name, digest }) => ({
    value: `${before}${name}`,
    text: digest === undefined ? "no image yet" : String(digest).slice(0, 19),
  }));
}

/** The platform as a registry that lists tags: ListTags below a repository, by name, for a caller with one grant. */
import { join } from "node:path";
import { fillOrganization } from "../organization.ts";
import { type BenchPlatform, makeDatabase, startBenchPlatform } from "../stage.ts";
import { digest, type Peer, pageSize, tagNames } from "./listing.ts";

/** The most moves in an import whose body is smaller than 1.5 MiB. */
const batch = 5_000;
const image = "peers";

/** Starts the bundle on its own database in a folder, with the tags in it. */
export async function openPlatform(bundle: string, folder: string): Promise<Peer> {
  const workFolder = join(folder, "platform");
  const { root, owner } = fillOrganization(await makeDatabase(workFolder), 1_000);
  const metered = await startBenchPlatform(bundle, workFolder);
  try {
    await importTags(metered, await metered.tokenFor(owner), root);
  } finally {
    await metered.stop();
  }
  const platform = await startBenchPlatform(bundle, workFolder, { meter: false });
  const token = await platform.tokenFor(owner);
  const headers = { authorization: `Bearer ${token}` };
  const repo = await repoOf(platform.url, headers, root);
  const list = `${platform.url}/registry/v2/tags?uidp.children_of=${repo}&order_by=name&page_size=${pageSize}`;
  const lastToken = await walk(list, headers);
  return {
    name: "Platform API",
    firstPage: { url: list, headers },
    lastPage: { url: `${list}&page_token=${lastToken}`, headers },
    namesOf: (body) => (body as { tags: { name: string }[] }).tags.map(({ name }) => name),
    stop: () => platform.stop(),
  };
}

async function importTags(platform: BenchPlatform, token: string, group: string): Promise<void> {
  const update_time = "2026-01-01T00:00:00Z";
  for (let start = 0; start < tagNames.length; start += batch) {
    const moves = tagNames
      .slice(start, start + batch)
      .map((tag) => ({ update_time, repo: image, tag, digest }));
    const path = `/registry/v2/tagMoves/${group}:import`;
    await platform.call(token, path, { method: "POST", body: { moves } });
  }
}

async function answerOf(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
  return (await response.json()) as { nextPageToken?: string; repos?: { uid: string }[] };
}

async function repoOf(url: string, headers: Record<string, string>, group: string) {
  const query = new URLSearchParams({ name: image, "uidp.children_of": group });
  const { repos } = await answerOf(`${url}/registry/v2/repos?${query}`, headers);
  const uid = repos?.[0]?.uid;
  if (!uid) throw new Error(`there is no repository ${image}`);
  return uid;
}

/** Returns the token of the last page. It gets the token in the way that a client does, page by page. */
async function walk(list: string, headers: Record<string, string>): Promise<string> {
  let token = "";
  for (;;) {
    const next = (await answerOf(token ? `${list}&page_token=${token}` : list, headers))
      .nextPageToken;
    if (!next) return token;
    token = next;
  }
}

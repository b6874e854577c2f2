/** Copies the repositories of another registry, through the API that every registry has (OCI distribution 1.1). */

import { reasonOf, toFailure } from "../failure.ts";
import { maxListBytes, readObject, shortGet } from "../images/answers.ts";
import { copyImage } from "../images/copy_image.ts";
import { indexTypes, manifestTypes, tagForm } from "../images/descriptor.ts";
import { readRemoteImage } from "../images/remote_image.ts";
import { requireStatus, type Session } from "../images/session.ts";

/** The most pages of a list that are read: a registry that never ends its list stops here. */
const maxPages = 10_000;

/** A tag of the other registry, and where it goes. */
export type TagCopy = { from: string; to: string; tag: string };

export type TagOutcome = TagCopy & {
  /** `unchanged` if the tag already pointed to the same digest, and `planned` in a dry run. */
  result: "copied" | "unchanged" | "failed" | "planned";
  digest?: string;
  referrers?: number;
  reason?: string;
};

/**
 * Returns the repositories of a project, in order: the one with exactly that name, and all below it. Without a project,
 * all repositories. A registry without a catalog has only the first, so the path must then name a repository.
 */
export async function listRepositories(source: Session, project: string): Promise<string[]> {
  const own = project !== "" && (await hasTags(source, project)) ? [project] : [];
  const listed = await listAll(source, "", "/v2/_catalog?n=1000", "repositories").catch((error) => {
    if (own.length > 0) return [];
    throw error;
  });
  const below = listed.filter((name) => project === "" || name.startsWith(`${project}/`));
  return [...new Set([...own, ...below])].sort();
}

async function hasTags(source: Session, name: string): Promise<boolean> {
  const path = `/v2/${name}/tags/list?n=1`;
  const response = await source.send(name, { method: "GET", path });
  await response.body?.cancel();
  return response.status === 200;
}

/** Returns the tags of a repository. */
export const listTags = (source: Session, name: string): Promise<string[]> =>
  listAll(source, name, `/v2/${name}/tags/list?n=1000`, "tags");

/** The names of the OCI (distribution 1.1, "Pulling manifests"). Another one could lead to another path of a registry. */
const names = {
  repositories: /^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$/,
  tags: tagForm,
};

async function listAll(
  source: Session,
  name: string,
  first: string,
  member: "tags" | "repositories",
): Promise<string[]> {
  const all = new Set<string>();
  const read = new Set<string>();
  let path: string | undefined = first;
  while (path !== undefined && !read.has(path) && read.size < maxPages) {
    read.add(path);
    const response: Response = await source.send(name, shortGet(path));
    await requireStatus(response, 200);
    const body = await readObject(
      response,
      maxListBytes,
      `The list of ${member} of ${source.host}`,
    );
    const values: unknown = body[member];
    for (const one of Array.isArray(values) ? values : [])
      if (typeof one === "string" && names[member].test(one)) all.add(one);
    const [, next] = /<([^>]+)>\s*;\s*rel="?next"?/.exec(response.headers.get("link") ?? "") ?? [];
    path = next === undefined ? undefined : withPath(next, source.url);
  }
  return [...all];
}

/**
 * A link can be a whole URL. Only its path counts, so that no other host gets the token. Two slashes at its start would name
 * a host.
 */
function withPath(link: string, url: string): string | undefined {
  const address = URL.parse(link, url);
  return address ? `${address.pathname.replace(/^\/+/, "/")}${address.search}` : undefined;
}

/**
 * Copies one tag, unless it already points to the same digest. Afterwards the digest that the tag points to is compared.
 * Never throws for what a registry answers: the outcome says what failed.
 */
export async function copyTag(
  source: Session,
  target: Session,
  copy: TagCopy,
  chunkSize: number,
): Promise<TagOutcome> {
  const { from, to, tag } = copy;
  try {
    const digest = await digestOf(source, from, tag);
    if (digest !== undefined && digest === (await digestOf(target, to, tag)))
      return { ...copy, result: "unchanged", digest };
    const image = await readRemoteImage(source, from, tag, undefined);
    const plan = { source, session: target, from, to, tag, chunkSize };
    const copied = await copyImage(plan, image);
    const stored = await digestOf(target, to, tag);
    if (stored !== copied.digest)
      return { ...copy, result: "failed", reason: `the tag points to ${stored ?? "nothing"}` };
    return { ...copy, result: "copied", digest: stored, referrers: copied.referrers };
  } catch (error) {
    return { ...copy, result: "failed", reason: reasonIn(error, source.url) };
  }
}

/** An answer that nothing here has foreseen fails its tag, and not those that follow. */
function reasonIn(error: unknown, url: string): string {
  try {
    return toFailure(error, url).message;
  } catch {
    return `the answer of the registry cannot be used: ${reasonOf(error)}`;
  }
}

/** The digest that a tag points to. Undefined without the tag, or if the registry does not say it. */
async function digestOf(session: Session, name: string, tag: string): Promise<string | undefined> {
  const accept = [...indexTypes, ...manifestTypes].join(", ");
  const path = `/v2/${name}/manifests/${tag}`;
  const response = await session.send(name, { method: "HEAD", path, headers: { accept } });
  return response.ok ? (response.headers.get("docker-content-digest") ?? undefined) : undefined;
}

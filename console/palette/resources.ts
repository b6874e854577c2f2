/** Finds resources of the person: by a part of their names, images by their digests, and people by name or address. */
import type { Group, Repo, RoleBinding } from "../../client/index.ts";
import { identityName } from "../data/people.ts";
import { isPerson } from "../data/uids.ts";
import { addresses } from "../frame/addresses.ts";
import { findImages, readDigest, type SearchScope } from "./images.ts";
import { type Destination, newDestination } from "./search_index.ts";

/** The most resources of one kind. */
const most = 5;

/** Rows of a list that are read once, and in which any part of a name is found: one page. */
const maxListed = 200;

/** Reads something once for several searches. The key begins with the kind, so a change of such a resource ends it. */
export type ReadOnce = <Value>(
  key: readonly string[],
  read: () => Promise<Value>,
) => Promise<Value>;

/** The first rows of a list. */
interface Listed<Row> {
  rows: Row[];
  /** Whether these are all rows. */
  isWhole: boolean;
}

/** The lists that a search looks through. */
export interface Directory {
  repos: Listed<Repo>;
  groups: Listed<Group>;
  bindings: Listed<RoleBinding>;
}

/** How a search reaches the platform. */
export interface SearchPlace extends SearchScope {
  once: ReadOnce;
}

const repoPlace = ({ uid, name }: Repo) =>
  newDestination(addresses.repository(uid), name, "Repository");

const groupPlace = ({ uid, name }: Group) =>
  newDestination(addresses.access(uid), name, uid.includes("/") ? "Group" : "Organization");

/** Reads the lists, each once, with three requests. A list that the person may not see is empty. */
export async function readDirectory({
  client,
  organization,
  once,
}: SearchPlace): Promise<Directory> {
  const page = { orderBy: "name", pageSize: maxListed };
  const bound = { descendantsOf: organization, pageSize: maxListed };
  const [repos, groups, bindings] = await Promise.all([
    once(["repos"], () => firstPage(client.repos.list(page))),
    once(["groups"], () => firstPage(client.groups.list(page))),
    once(["roleBindings", organization], () => firstPage(client.roleBindings.list(bound))),
  ]);
  return { repos, groups, bindings };
}

async function firstPage<Row>(list: {
  page(): Promise<{ rows: Row[]; nextPageToken?: string }>;
}): Promise<Listed<Row>> {
  return list.page().then(
    ({ rows, nextPageToken }) => ({ rows, isWhole: nextPageToken === undefined }),
    () => ({ rows: [], isWhole: true }),
  );
}

/**
 * Returns what a text finds, with at most three requests after those of {@link readDirectory}. In a list that is longer
 * than a page, the other rows are found by the beginning of their names.
 */
export async function findResources(place: SearchPlace, text: string): Promise<Destination[]> {
  const directory = await readDirectory(place);
  const digest = readDigest(text);
  const searches: Promise<Destination[]>[] = digest
    ? [findImages(place, digest, directory.repos.rows)]
    : text.includes(":")
      ? [findTags(place, directory, text)]
      : [findNames(place, directory, text), Promise.resolve(findPeople(directory, text))];
  const results = await Promise.allSettled(searches);
  const found = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  const byAddress = new Map(found.map((one) => [one.address, one]));
  return [...findVulnerability(text), ...byAddress.values()];
}

const hasPart = (text: string) => {
  const wanted = text.toLowerCase();
  return (name: string) => name.toLowerCase().includes(wanted);
};

async function findNames(
  { client }: SearchPlace,
  { repos, groups }: Directory,
  text: string,
): Promise<Destination[]> {
  const begins = { namePrefix: text, orderBy: "name", pageSize: most };
  const none = Promise.resolve([]);
  const parts = await Promise.allSettled([
    repos.isWhole ? none : client.repos.list(begins).all(most),
    client.identities.list(begins).all(most),
    groups.isWhole ? none : client.groups.list(begins).all(most),
  ]);
  const [moreRepos, identities, moreGroups] = [
    rowsOf(parts[0]),
    rowsOf(parts[1]),
    rowsOf(parts[2]),
  ];
  const isMatch = hasPart(text);
  const matches = <Row extends { name: string }>({ rows }: Listed<Row>, more: Row[]) =>
    [...more, ...rows.filter(({ name }) => isMatch(name))].slice(0, 2 * most);
  return [
    ...matches(repos, moreRepos).map(repoPlace),
    ...identities.map(({ uid, name }) => newDestination(addresses.identity(uid), name, "Identity")),
    ...matches(groups, moreGroups).map(groupPlace),
  ];
}

const rowsOf = <Row>(result: PromiseSettledResult<Row[]>): Row[] =>
  result.status === "fulfilled" ? result.value : [];

/** People, and workloads with a role. A person belongs to no group, so only their role bindings name them. */
function findPeople({ bindings }: Directory, text: string): Destination[] {
  const isMatch = hasPart(text);
  const found = new Map<string, Destination>();
  for (const { identity = {} } of bindings.rows) {
    const { uid = "", name = "", email = "" } = identity;
    if (uid === "" || !(isMatch(name) || isMatch(email))) continue;
    const kind = isPerson(uid) ? `Person ${email}`.trim() : "Identity";
    found.set(uid, newDestination(addresses.identity(uid), identityName(identity), kind));
  }
  return [...found.values()].slice(0, 2 * most);
}

/** Repositories whose tags are searched. */
const maxTagRepos = 2;

/** `python:3.1` finds the tags of `python` that begin with `3.1`. */
async function findTags(
  { client }: SearchPlace,
  { repos: listed }: Directory,
  text: string,
): Promise<Destination[]> {
  const colon = text.indexOf(":");
  const [repoName, namePrefix] = [text.slice(0, colon).toLowerCase(), text.slice(colon + 1)];
  if (repoName === "") return [];
  const exact = listed.rows.filter(({ name }) => name === repoName);
  const isKnown = exact.length > 0 || listed.isWhole;
  const same = isKnown ? exact : await client.repos.list({ name: repoName }).all(1);
  const repos = same.length > 0 ? same : listed.rows.filter(({ name }) => hasPart(repoName)(name));
  const lists = repos.slice(0, maxTagRepos).map(async (repo) => {
    const request = { childrenOf: repo.uid, orderBy: "name", ...(namePrefix && { namePrefix }) };
    const tags = await client.tags.list({ ...request, pageSize: most }).all(most);
    return tags.map((tag) =>
      newDestination(addresses.tag(tag.uid), `${repo.name}:${tag.name}`, "Tag"),
    );
  });
  return (await Promise.all(lists)).flat();
}

/** The whole id of a vulnerability. */
const vulnerability = /^(?:CVE-\d{4}-\d{4,}|GHSA(?:-[0-9a-z]{4}){3})$/i;

/** The page of an id exists, whether or not something has the vulnerability. */
const findVulnerability = (text: string): Destination[] =>
  vulnerability.test(text)
    ? [newDestination(addresses.vulnerability(idOf(text)), idOf(text), "Vulnerability")]
    : [];

const idOf = (text: string) =>
  /^cve/i.test(text) ? text.toUpperCase() : `GHSA${text.slice(4).toLowerCase()}`;

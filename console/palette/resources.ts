/** Finds resources of the person by the beginning of their names. */
import type { Client } from "../../client/index.ts";
import { addresses } from "../frame/addresses.ts";
import type { Destination } from "./search_index.ts";

/** The most resources of one kind. */
const most = 5;

/** How the names of a kind of resource are searched. */
type Finder = (client: Client, namePrefix: string) => Promise<Destination[]>;

const newDestination = (address: string, title: string, kind: string): Destination => ({
  address: `/console${address}`,
  title,
  detail: kind,
});

const finders: Finder[] = [
  async (client, namePrefix) =>
    (await client.repos.list({ namePrefix, orderBy: "name" }).all(most)).map(({ uid, name }) =>
      newDestination(addresses.repository(uid), name, "Repository"),
    ),
  async (client, namePrefix) =>
    (await client.identities.list({ namePrefix, orderBy: "name" }).all(most)).map(({ uid, name }) =>
      newDestination(addresses.identity(uid), name, "Identity"),
    ),
  async (client, namePrefix) =>
    (await client.groups.list({ namePrefix, orderBy: "name" }).all(most)).map(({ uid, name }) =>
      newDestination(addresses.access(uid), name, uid.includes("/") ? "Group" : "Organization"),
    ),
  findTags,
];

/** `python:3.1` finds the tags of `python` that begin with `3.1`. Without a colon, it finds no tags. */
async function findTags(client: Client, text: string): Promise<Destination[]> {
  const colon = text.indexOf(":");
  if (colon < 1) return [];
  const name = text.slice(0, colon);
  const repos = await client.repos.list({ name }).all(most);
  const lists = repos.map(async (repo) => {
    const namePrefix = text.slice(colon + 1);
    const request = { childrenOf: repo.uid, orderBy: "name", ...(namePrefix && { namePrefix }) };
    const tags = await client.tags.list(request).all(most);
    return tags.map((tag) => newDestination(addresses.tag(tag.uid), `${name}:${tag.name}`, "Tag"));
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

/** Returns what begins with the text. A kind that the person cannot list is left out. */
export async function findResources(client: Client, text: string): Promise<Destination[]> {
  const results = await Promise.allSettled(finders.map((find) => find(client, text)));
  return [
    ...findVulnerability(text),
    ...results.flatMap((result) => (result.status === "fulfilled" ? result.value : [])),
  ];
}

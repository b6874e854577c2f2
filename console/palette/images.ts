/** Finds images by their digest, or by its first digits. */
import type { Client, Repo, Tag } from "../../client/index.ts";
import { shortDigest } from "../data/digests.ts";
import { parentOf } from "../data/uids.ts";
import { addresses } from "../frame/addresses.ts";
import { type Destination, newDestination } from "./search_index.ts";

/** Where a search looks. `organization` is a uid. */
export interface SearchScope {
  client: Client;
  organization: string;
}

/** A digest, or its beginning, with the algorithm. */
export interface DigestText {
  text: string;
  isWhole: boolean;
}

/** The most tags that are shown. */
const most = 10;

/** The newest tags, among which the first digits are looked for, because the platform only finds whole digests. */
const maxTags = 200;

/** Reads `sha256:` with at least 12 digits, or at least 12 digits alone. Undefined for another text. */
export function readDigest(text: string): DigestText | undefined {
  const [, algorithm = "sha256", digits = ""] =
    /^(?:(sha256|sha512):)?([0-9a-f]{12,128})$/.exec(text.toLowerCase()) ?? [];
  const length = algorithm === "sha512" ? 128 : 64;
  if (digits === "" || digits.length > length) return undefined;
  return { text: `${algorithm}:${digits}`, isWhole: digits.length === length };
}

const every = { includeReferrers: true, includeDates: true, includeEpochs: true };

/** The tags with the digest and their images, with at most two requests. `repos` are those with a known name. */
export async function findImages(
  { client, organization }: SearchScope,
  { text, isWhole }: DigestText,
  repos: readonly Repo[],
): Promise<Destination[]> {
  const scope = { descendantsOf: organization, ...every };
  const nameOf = (uid: string) => repos.find((repo) => repo.uid === uid)?.name;
  if (!isWhole) {
    const newest = { ...scope, orderBy: "update_time desc", pageSize: maxTags };
    const { rows } = await client.tags.list(newest).page();
    return placesOf(
      rows.filter(({ digest = "" }) => digest.startsWith(text)).slice(0, most),
      nameOf,
    );
  }
  const tags = await client.tags.list({ ...scope, digest: text, pageSize: most }).all(most);
  if (tags.length > 0) return placesOf(tags, nameOf);
  const past = { descendantsOf: organization, digest: text, pageSize: maxTags };
  const { rows } = await client.tagHistory.listTagMoves(past).page();
  const uids = new Set(rows.flatMap(({ repoUid }) => repoUid ?? []));
  return [...uids].map((uid) => imagePlace(uid, text, nameOf(uid)));
}

/** Each image once, and then the tags. */
function placesOf(
  tags: readonly Tag[],
  nameOf: (uid: string) => string | undefined,
): Destination[] {
  const images = new Map<string, Destination>();
  for (const { uid, digest = "" } of tags) {
    const repo = parentOf(uid);
    images.set(`${repo}@${digest}`, imagePlace(repo, digest, nameOf(repo)));
  }
  const names = tags.map(({ uid, name }) => {
    const repo = nameOf(parentOf(uid));
    return newDestination(addresses.tag(uid), repo === undefined ? name : `${repo}:${name}`, "Tag");
  });
  return [...images.values(), ...names];
}

const imagePlace = (repo: string, digest: string, name: string | undefined): Destination =>
  newDestination(
    addresses.image(repo, digest),
    shortDigest(digest),
    name === undefined ? "Image" : `Image of ${name}`,
  );

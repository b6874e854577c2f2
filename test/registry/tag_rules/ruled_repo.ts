/** A repository, into which a test pushes images with the registry client, and the rules about its tags. */
import {
  digestOf,
  type Image,
  indexType,
  manifestType,
  newImageOf,
  pushBlob,
  putManifest,
  type Target,
} from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { createResource, type Organization, randomName } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";

/** A repository, and the token of the owner of its organization. */
export interface RuledRepo {
  organization: Organization;
  token: string;
  name: string;
  uid: string;
  target: Target;
}

export async function newRuledRepo(organization: Organization): Promise<RuledRepo> {
  const { token } = organization.owner;
  const name = randomName("app");
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, { name });
  const registry = await registryToken(organization.owner.uid);
  const target = { token: registry, name: `${organization.uid}/${name}` };
  return { organization, token, name, uid, target };
}

/** Creates a rule with this condition about tags of the repository. */
export const keep = ({ uid, token }: RuledRepo, condition: object, includeTags: string[]) =>
  createResource(`/registry/v2/tagRules/${uid}`, token, {
    name: randomName("rule"),
    includeTags,
    keep: condition,
  });

/** An image that says when it was built, if at all. */
export function imageBuilt(
  created: string | undefined,
  labels: Record<string, string> = {},
): Image {
  const image = newImageOf({ labels });
  const { created: _, ...rest } = JSON.parse(image.config);
  const config = JSON.stringify({ ...rest, ...(created === undefined ? {} : { created }) });
  const manifest = JSON.parse(image.text);
  manifest.config = { ...manifest.config, digest: digestOf(config), size: config.length };
  const text = JSON.stringify(manifest);
  return { ...image, config, text, digest: digestOf(text) };
}

/** The status of a push, and the text of its error. */
export type Pushed = [status: number, text?: string];

export async function outcomeOf(answer: Response): Promise<Pushed> {
  const text = await answer.text();
  return answer.ok ? [answer.status] : [answer.status, JSON.parse(text).errors[0].message];
}

export async function pushBlobs({ target }: RuledRepo, image: Image): Promise<void> {
  await pushBlob(target, image.layer);
  await pushBlob(target, image.config);
}

/** Pushes an image as docker does: its blobs, and then its manifest by a tag, or by its digest if there is none. */
export async function push(repo: RuledRepo, image: Image, tag = image.digest): Promise<Pushed> {
  await pushBlobs(repo, image);
  return outcomeOf(await putManifest(repo.target, tag, image.text));
}

/** Pushes an image with several tags in one request. */
export async function pushWithTags(repo: RuledRepo, image: Image, tags: string[]): Promise<Pushed> {
  await pushBlobs(repo, image);
  const query = tags.map((tag) => `tag=${tag}`).join("&");
  return outcomeOf(await putManifest(repo.target, `${image.digest}?${query}`, image.text));
}

/** An image index. */
export interface Index {
  digest: string;
  text: string;
}

/** An index of images, each for an architecture. `unknown` is that of an attestation. */
export function indexOf(entries: [architecture: string, image: Image][]): Index {
  const manifests = entries.map(([architecture, { digest, text }]) => ({
    mediaType: manifestType,
    ...{ digest, size: text.length },
    platform: { os: architecture === "unknown" ? "unknown" : "linux", architecture },
  }));
  const text = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  return { text, digest: digestOf(text) };
}

export const pushIndex = async (
  { target }: RuledRepo,
  { text, digest }: Index,
  tag = digest,
): Promise<Pushed> => outcomeOf(await putManifest(target, tag, text, indexType));

export async function digestOfTag({ uid }: RuledRepo, tag: string): Promise<string | undefined> {
  const rows = await sql<{ digest: string }>(
    "select digest from tags where parent = ? and name = ?",
    ...[uid, tag],
  );
  return rows[0]?.digest;
}

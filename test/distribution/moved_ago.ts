/** Images to which a tag moved some time ago. */
import { createResource, type Organization } from "../world/personas.ts";
import { newImageOf, pushBlob, putManifest } from "./client.ts";
import { hourMs, registryToken } from "./stored_images.ts";

/**
 * Pushes an image to a repository of an organization, and imports a move of a tag to it as of some hours ago. Returns its
 * digest.
 */
export async function movedAgo(
  { uid, owner }: Organization,
  repo: string,
  tag: string,
  hours: number,
): Promise<string> {
  const target = { token: await registryToken(owner.uid), name: `${uid}/${repo}` };
  const image = newImageOf();
  await pushBlob(target, image.layer);
  await pushBlob(target, image.config);
  const { status } = await putManifest(target, image.digest, image.text);
  if (status !== 201) throw new Error(`the push ended with ${status}`);
  const updateTime = new Date(Date.now() - hours * hourMs).toISOString();
  const moves = [{ repo, tag, digest: image.digest, updateTime }];
  await createResource(`/registry/v2/tagMoves/${uid}:import`, owner.token, { moves });
  return image.digest;
}

/** Pushes the sample image (`image/`, an OCI layout) to a registry, with the SBOMs and scan reports that refer to it. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesBody } from "../images/blob_body.ts";
import { blobPath, type Descriptor, type Manifest, refName } from "../images/descriptor.ts";
import { type RegistryRequest, requireStatus, type Session } from "../images/session.ts";

const layout = join(import.meta.dirname, "image");

const bytesOf = (digest: unknown) => readFile(join(layout, blobPath(digest)));

/**
 * Pushes the image to the repository `name`, such as `example.com/app`, and points its tag there. Pushing it again
 * changes nothing. Throws the error of the request that failed.
 */
export async function pushSampleImage(session: Session, name: string): Promise<void> {
  const send = async (request: Omit<RegistryRequest, "body">, bytes: Buffer) => {
    const response = await session.send(name, { ...request, body: bytesBody(bytes) });
    await requireStatus(response, 201);
    await response.body?.cancel();
  };
  const index: Manifest = JSON.parse(await readFile(join(layout, "index.json"), "utf8"));
  const manifests = index.manifests ?? [];
  const digests = (await readdir(join(layout, "blobs/sha256"))).map((hash) => `sha256:${hash}`);
  const blobs = digests.filter(
    (digest) => !manifests.some((manifest) => manifest.digest === digest),
  );
  await Promise.all(
    blobs.map(async (digest) => {
      const path = `/v2/${name}/blobs/uploads/?digest=${digest}`;
      await send({ method: "POST", path }, await bytesOf(digest));
    }),
  );
  // A manifest stands after everything that it names.
  for (const manifest of manifests) {
    const { digest, mediaType } = manifest;
    const path = `/v2/${name}/manifests/${tagOf(manifest) ?? digest}`;
    const headers = { "content-type": String(mediaType) };
    await send({ method: "PUT", path, headers }, await bytesOf(digest));
  }
}

const tagOf = ({ annotations }: Descriptor) => annotations?.[refName];

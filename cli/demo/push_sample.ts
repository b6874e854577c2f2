/** Pushes a sample image to a registry. */
import { bytesBody } from "../images/blob_body.ts";
import { type RegistryRequest, requireStatus, type Session } from "../images/session.ts";
import { digestOf, type SampleImage } from "./sample_images.ts";

/**
 * Pushes the image to the repository `name`, such as `acme.example/app`, and points its tag there, if it has one.
 * Pushing it again changes nothing. Throws the error of the request that failed.
 */
export async function pushSampleImage(
  session: Session,
  name: string,
  { blobs, manifests }: SampleImage,
): Promise<void> {
  const send = async (request: Omit<RegistryRequest, "body">, bytes: Buffer) => {
    const response = await session.send(name, { ...request, body: bytesBody(bytes) });
    await requireStatus(response, 201);
    await response.body?.cancel();
  };
  const byDigest = new Map(blobs.map((bytes) => [digestOf(bytes), bytes]));
  await Promise.all(
    [...byDigest].map(async ([digest, bytes]) => {
      const path = `/v2/${name}/blobs/uploads/?digest=${digest}`;
      await send({ method: "POST", path }, bytes);
    }),
  );
  for (const { mediaType, bytes, tag } of manifests) {
    const path = `/v2/${name}/manifests/${tag ?? digestOf(bytes)}`;
    await send({ method: "PUT", path, headers: { "content-type": mediaType } }, bytes);
  }
}

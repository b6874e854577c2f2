/** Pushes and pulls as a registry client does (OCI distribution specification). */
import { createHash } from "node:crypto";
import { type BenchBlob, newBlob } from "./blob.ts";
import { type TransferResponse, transfer } from "./transfer.ts";

const imageType = "application/vnd.oci.image.manifest.v1+json";

/** One image of a registry, and a token that may push and pull it. */
export interface ImageTarget {
  /** Without a trailing slash. */
  origin: string;
  image: string;
  token: string;
}

/** Returns the Authorization header for an image. */
export const authorizationOf = ({ token }: ImageTarget) => ({ authorization: `Bearer ${token}` });

/** Returns the URL of a path below the image, such as `manifests/latest`. */
export const urlOf = ({ origin, image }: ImageTarget, path: string) =>
  `${origin}/v2/${image}/${path}`;

/** Begins an upload. Returns the response, whose Location says where the bytes go. */
export const beginUpload = (target: ImageTarget): Promise<TransferResponse> =>
  transfer(urlOf(target, "blobs/uploads/"), { method: "POST", headers: authorizationOf(target) });

/** Sends all bytes of a blob in the request that ends its upload. */
export function endUpload(
  target: ImageTarget,
  { headers: { location = "" } }: TransferResponse,
  body: BenchBlob,
): Promise<TransferResponse> {
  const url = new URL(location, target.origin);
  url.searchParams.set("digest", body.digest);
  const type = { "content-type": "application/octet-stream" };
  return transfer(url.href, {
    method: "PUT",
    headers: { ...authorizationOf(target), ...type },
    body,
  });
}

/** Pushes a blob with a POST and one PUT. */
export const pushBlob = async (target: ImageTarget, blob: BenchBlob): Promise<TransferResponse> =>
  endUpload(target, await beginUpload(target), blob);

/** Pulls a blob, and computes its digest if `digests` is set. */
export const pullBlob = (
  target: ImageTarget,
  { digest }: BenchBlob,
  digests = false,
): Promise<TransferResponse> =>
  transfer(urlOf(target, `blobs/${digest}`), { headers: authorizationOf(target), digests });

/** A manifest and the blobs that it names, as a client has them before a push. */
export interface SmallImage {
  manifest: BenchBlob;
  blobs: BenchBlob[];
}

/** Returns a blob with the bytes of a text. */
export function textBlob(text: string): BenchBlob {
  const bytes = Buffer.from(text);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  return {
    size: bytes.length,
    digest,
    *pieces() {
      yield bytes;
    },
  };
}

const descriptorOf = ({ digest, size }: BenchBlob, mediaType: string) => ({
  mediaType,
  digest,
  size,
});

/** Returns an image, by default with one layer of 1 KiB. `more` are further members of its configuration. */
export function newSmallImage(more: object = {}, layers = [newBlob(1024)]): SmallImage {
  const rootfs = { type: "layers", diff_ids: layers.map(({ digest }) => digest) };
  const config = textBlob(JSON.stringify({ architecture: "amd64", os: "linux", rootfs, ...more }));
  const document = {
    schemaVersion: 2,
    mediaType: imageType,
    config: descriptorOf(config, "application/vnd.oci.image.config.v1+json"),
    layers: layers.map((layer) => descriptorOf(layer, "application/vnd.oci.image.layer.v1.tar")),
  };
  return { manifest: textBlob(JSON.stringify(document)), blobs: [...layers, config] };
}

/** Puts a manifest, whose blobs must be there, under a tag. */
export const putManifest = (
  target: ImageTarget,
  tag: string,
  { manifest }: SmallImage,
): Promise<TransferResponse> =>
  transfer(urlOf(target, `manifests/${tag}`), {
    method: "PUT",
    headers: { ...authorizationOf(target), "content-type": imageType },
    body: manifest,
  });

/** The headers of a client that reads a manifest. */
export const manifestHeaders = (target: ImageTarget) => ({
  ...authorizationOf(target),
  accept: imageType,
});

/** Pushes a small image under a tag. Returns the digest of its manifest. */
export async function pushSmallImage(target: ImageTarget, tag: string): Promise<string> {
  const image = newSmallImage();
  for (const blob of image.blobs) await pushBlob(target, blob);
  await putManifest(target, tag, image);
  return image.manifest.digest;
}

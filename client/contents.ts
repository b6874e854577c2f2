/** The contents of an image in the registry, and the manifests that refer to it. */
import { send } from "./connection.ts";
import { Unreachable } from "./errors.ts";
import { readPinnedImage } from "./image.ts";
import type { CallOptions, JsonObject } from "./operation.ts";
import { pathOf, pullToken, type RegistryConnection } from "./registry.ts";

/** The documents of an image (OCI image specification). */
export interface ImageContents {
  digest: string;
  /** The media type of the manifest. */
  mediaType: string;
  /** The number of bytes of the manifest. */
  size: number;
  /** The manifest or the image index. */
  manifest: JsonObject;
  /** The configuration that the manifest names. Undefined if it names none in JSON, or a long one. */
  config?: JsonObject;
}

/** A manifest that names an image as its subject, such as a signature or an SBOM. */
export interface Referrer {
  mediaType: string;
  digest: string;
  /** The number of bytes of the manifest. */
  size: number;
  /** The type of the content. Undefined if the manifest does not say it. */
  artifactType?: string;
  annotations?: Record<string, string>;
}

/** Where the requests about an image go, and their token. */
function placeOf(registry: RegistryConnection, text: string) {
  const image = readPinnedImage(text, new URL(registry.base).host);
  const connection = { ...registry.connection, token: pullToken(registry, image) };
  return { connection, base: `${registry.base}/v2/${pathOf(image.name)}`, digest: image.digest };
}

/** Returns the contents of an image. Rejects with NotFound if the registry does not have them. */
export async function readContents(
  registry: RegistryConnection,
  image: string,
  options: CallOptions,
): Promise<ImageContents> {
  const { connection, base, digest } = placeOf(registry, image);
  const url = `${base}/_${registry.vendor}/images/${digest}`;
  const { json } = await send(connection, { method: "GET", url, isSafe: true }, options);
  if (typeof json.manifest !== "object" || json.manifest === null)
    throw new Unreachable(`${url} returned no manifest, so it is not a registry of a platform.`);
  return json as unknown as ImageContents;
}

/** Returns the manifests that refer to an image. Throws a TypeError for an invalid name. */
export function readReferrers(
  registry: RegistryConnection,
  image: string,
  options: CallOptions,
): AsyncIterable<Referrer> {
  const { connection, base, digest } = placeOf(registry, image);
  async function* pages() {
    let next: string | undefined = `${base}/referrers/${digest}`;
    while (next !== undefined) {
      const url: string = next;
      const { json, headers } = await send(
        connection,
        { method: "GET", url, isSafe: true },
        options,
      );
      if (!Array.isArray(json.manifests))
        throw new Unreachable(`${url} returned no referrers, so it is not a registry.`);
      yield* json.manifests as Referrer[];
      next = nextUrl(headers.get("link"), url);
    }
  }
  return { [Symbol.asyncIterator]: pages };
}

/** The URL of the next page in a Link header (RFC 8288). The token is only for the registry, so another host is refused. */
function nextUrl(link: string | null, url: string): string | undefined {
  const [, target] = /^<([^>]*)>; rel="next"$/.exec(link ?? "") ?? [];
  if (target === undefined) return undefined;
  const next = new URL(target, url);
  if (next.origin !== new URL(url).origin)
    throw new Unreachable(`${url} names ${next.origin} for its next page, which is another host.`);
  return next.href;
}

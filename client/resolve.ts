/** The digest that a pull of a tag gets (OCI distribution, "Pulling manifests"). */
import { send } from "./connection.ts";
import { PlatformError, Unreachable } from "./errors.ts";
import { readImage } from "./image.ts";
import type { CallOptions } from "./operation.ts";
import { pathOf, pullToken, type RegistryConnection } from "./registry.ts";

/** The digest that a pull of a tag gets. */
export interface ResolvedTag {
  /** `sha256:` and 64 hexadecimal digits. */
  digest: string;
  /** The digest that the tag points to, if a tag rule chose another one. */
  tagDigest?: string;
}

/**
 * Asks the registry for the manifest of a tag, without its bytes. Rejects with NotFound if a pull gets none. Throws a
 * TypeError for an invalid name.
 */
export async function resolveTag(
  registry: RegistryConnection,
  text: string,
  options: CallOptions,
): Promise<ResolvedTag> {
  const image = readImage(text, new URL(registry.base).host);
  const connection = { ...registry.connection, token: pullToken(registry, image) };
  const url = `${registry.base}/v2/${pathOf(image.name)}/manifests/${encodeURIComponent(image.tag)}`;
  const ask = (method: "HEAD" | "GET") =>
    send(connection, { method, url, isSafe: true, mayBeEmpty: true }, options);
  const { headers } = await ask("HEAD").catch((error: unknown) => {
    // The answer to a HEAD does not say why it is refused.
    if (error instanceof PlatformError && [401, 403, 404].includes(error.status)) return ask("GET");
    throw error;
  });
  const digest = headers.get("docker-content-digest");
  if (digest === null)
    throw new Unreachable(`${url} returned no digest, so it is not a registry of a platform.`);
  const tagDigest = headers.get("platform-tag-digest");
  return { digest, ...(tagDigest !== null && { tagDigest }) };
}

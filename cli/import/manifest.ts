/** Sends one OCI manifest or image index to ManifestsService, byte for byte. */
import type { Client } from "../account/client.ts";
import { usageFailure } from "../failure.ts";

/** In bytes: the largest manifest and the largest configuration that the API accepts. */
export const maxManifestBytes = 1024 * 1024;

/** Stores a manifest in a repository, with its image configuration. Storing the same bytes again changes nothing. */
export function importManifest(request: {
  content: Uint8Array;
  config?: Uint8Array | undefined;
  repo: string;
  client: Client;
}) {
  const { content, config, repo, client } = request;
  const manifest = {
    content: base64(content),
    mediaType: mediaTypeOf(content),
    ...(config ? { config: base64(config) } : {}),
  };
  return client.manifests.create(repo, manifest, { idempotent: true });
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

/**
 * Returns the media type in the document, otherwise that of the OCI document that it looks like. Throws a USAGE Failure
 * for anything else.
 */
export function mediaTypeOf(content: Uint8Array): string {
  let document: Record<string, unknown> | null;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    throw usageFailure("The manifest must be JSON.");
  }
  if (typeof document?.mediaType === "string") return document.mediaType;
  // Go writes null for an empty list.
  const isList = (value: unknown) => Array.isArray(value) || value === null;
  if (isList(document?.manifests)) return "application/vnd.oci.image.index.v1+json";
  if (isList(document?.layers)) return "application/vnd.oci.image.manifest.v1+json";
  throw usageFailure("The file must be an image manifest or an image index.");
}

/** One OCI manifest or image index, byte for byte, to ManifestsService. */
import type { Client } from "../account/client.ts";
import { usageFailure } from "../failure.ts";

/** The largest manifest and the largest configuration that the API takes, in bytes. */
export const maxManifestBytes = 1024 * 1024;

/** Stores a manifest in a repo, with its image configuration. The same bytes again change nothing. */
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
 * The media type that the document states, or else that of the OCI document it looks like. Throws
 * a USAGE Failure for anything else.
 */
export function mediaTypeOf(content: Uint8Array): string {
  let document: Record<string, unknown> | null;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    throw usageFailure("The manifest is not JSON.");
  }
  if (typeof document?.mediaType === "string") return document.mediaType;
  if (Array.isArray(document?.manifests)) return "application/vnd.oci.image.index.v1+json";
  if (Array.isArray(document?.layers)) return "application/vnd.oci.image.manifest.v1+json";
  throw usageFailure("The file is neither an image manifest nor an image index.");
}

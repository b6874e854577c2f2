/** One OCI manifest or image index, byte for byte, to ManifestsService. */
import { createClient, type Transport } from "@connectrpc/connect";
import {
  type Manifest,
  ManifestsService,
} from "../schema/gen/platform/registry/v2/manifests_pb.js";
import { usage } from "./failure.ts";

/** The largest manifest that the API takes, in bytes. */
export const maxManifestBytes = 4 * 1024 * 1024;

/** Stores a manifest in a repo, with its image configuration. The same bytes again change nothing. */
export function importManifest(request: {
  content: Uint8Array;
  config?: Uint8Array | undefined;
  repo: string;
  transport: Transport;
}): Promise<Manifest> {
  const { content, config, repo, transport } = request;
  const manifest = { content, mediaType: mediaTypeOf(content), ...(config ? { config } : {}) };
  return createClient(ManifestsService, transport).createManifest({ parent: repo, manifest });
}

/**
 * The media type that the document states, or else that of the OCI document it looks like. Throws
 * a USAGE Failure for anything else.
 */
export function mediaTypeOf(content: Uint8Array): string {
  let document: Record<string, unknown> | null;
  try {
    document = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    throw usage("The manifest is not JSON.");
  }
  if (typeof document?.mediaType === "string") return document.mediaType;
  if (Array.isArray(document?.manifests)) return "application/vnd.oci.image.index.v1+json";
  if (Array.isArray(document?.layers)) return "application/vnd.oci.image.manifest.v1+json";
  throw usage("The file is neither an image manifest nor an image index.");
}

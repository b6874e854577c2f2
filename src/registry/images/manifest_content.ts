/** Reads OCI image indexes and manifests, and Docker's. */
import type { Manifest } from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import type { IndexEntry } from "../../../schema/tables/registry/manifests.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { readJson } from "../../aip/text.ts";
import { toArchitecture } from "./platforms.ts";

/** The media types of lists of manifests. */
export const indexTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
/** The media types of a single manifest. */
const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

export interface Descriptor {
  mediaType?: unknown;
  digest?: unknown;
  size?: unknown;
  annotations?: unknown;
  platform?: { os?: unknown; architecture?: unknown; variant?: unknown };
}

interface Content {
  mediaType?: unknown;
  /** Null is an empty list, as Go writes it. */
  manifests?: (Descriptor | null)[] | null;
  config?: Descriptor | null;
  layers?: (Descriptor | null)[] | null;
  artifactType?: unknown;
  annotations?: Record<string, unknown> | null;
}

const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** The stored part of an OCI document. */
export interface ManifestContent {
  /** The manifests of an index. Empty for a manifest. */
  entries: IndexEntry[];
  /** The bytes of the layers and the config of a manifest. 0 for an index. */
  size: number;
  /** The layers of a manifest that are signatures. No one has verified them. */
  signatures: Descriptor[];
  /** The other layers that are signed: attestations. */
  attestations: Descriptor[];
  /** The config that a manifest names. */
  config?: Descriptor;
}

/** Reads the stored part of an OCI document. Throws INVALID_ARGUMENT. */
export function readContent(manifest: Pick<Manifest, "content" | "mediaType">): ManifestContent {
  const content = readJson(manifest.content, (path, what) =>
    invalidArgument("content", path === "" ? `content ${what}` : `content: ${path} ${what}`),
  ) as Content;
  if (typeof content !== "object" || content === null)
    throw invalidArgument("content", "content must be a JSON object");
  if ((content.mediaType ?? manifest.mediaType) !== manifest.mediaType) {
    throw invalidArgument(
      "media_type",
      `media_type must be that of the content, ${quoted(String(content.mediaType))}`,
    );
  }
  if (indexTypes.includes(manifest.mediaType)) {
    return { entries: readEntries(content), size: 0, signatures: [], attestations: [] };
  }
  if (manifestTypes.includes(manifest.mediaType)) {
    const size = readSize(content);
    return { entries: [], size, ...findSigned(content), config: content.config ?? {} };
  }
  throw invalidArgument(
    "media_type",
    `media_type must be one of ${[...indexTypes, ...manifestTypes].join(", ")}; you sent ${quoted(manifest.mediaType)}`,
  );
}

/**
 * Attestations are entries of an index with the platform unknown/unknown, which is not an architecture. An entry without a
 * platform is an image: clients read its platform in its configuration.
 */
function readEntries({ manifests }: Content): IndexEntry[] {
  const descriptors = manifests === null ? [] : manifests;
  if (!Array.isArray(descriptors))
    throw invalidArgument("content", "content must have a list of manifests");
  return descriptors.flatMap((descriptor, index) => {
    const { digest, platform } = descriptor ?? {};
    if (typeof digest !== "string" || !digestPattern.test(digest)) {
      throw invalidArgument(
        "content",
        `content: manifests[${index}] must have a sha256 or sha512 digest`,
      );
    }
    const { architecture, variant } = platform ?? {};
    if (architecture === "unknown") return [];
    const text = typeof architecture === "string" ? architecture : "";
    const name = toArchitecture(text, typeof variant === "string" ? variant : "");
    return [{ digest, architecture: name }];
  });
}

function readSize({ config, layers: listedLayers }: Content): number {
  const layers = listedLayers === null ? [] : listedLayers;
  if (!config || !Array.isArray(layers))
    throw invalidArgument("content", "content must have a config and a list of layers");
  const sum = [config, ...layers].reduce((total, descriptor) => {
    const size = descriptor?.size;
    if (!Number.isSafeInteger(size) || (size as number) < 0) {
      throw invalidArgument("content", "content: the config and each layer must have a size");
    }
    return total + (size as number);
  }, 0);
  if (!Number.isSafeInteger(sum))
    throw invalidArgument(
      "content",
      "content: the sizes of the config and the layers are too large together",
    );
  return sum;
}

/** The media types of layers that are one signature each: those of cosign and of Notary. */
const signatureTypes = [
  "application/vnd.dev.cosign.simplesigning.v1+json",
  "application/jose+json",
  "application/cose",
];

/** The layer of a Sigstore bundle can be a signature or another statement. Its annotations say which. */
const bundleType = /^application\/vnd\.dev\.sigstore\.bundle\b/;

/** A layer that is an envelope is an attestation of cosign. */
const envelopeType = "application/vnd.dsse.envelope.v1+json";

/** Finds the signatures of cosign, Sigstore and Notary, and signed attestations, without verifying them. */
function findSigned({
  layers,
  annotations,
  artifactType,
  config,
}: Content): Pick<ManifestContent, "signatures" | "attestations"> {
  const notary = "application/vnd.cncf.notary.signature";
  const isNotary =
    artifactType === notary || (artifactType === undefined && config?.mediaType === notary);
  const { "dev.sigstore.bundle.content": bundled, "dev.sigstore.bundle.predicateType": predicate } =
    annotations ?? {};
  const isSignature =
    bundled === "message-signature" || predicate === "https://sigstore.dev/cosign/sign/v1";
  const found: ReturnType<typeof findSigned> = { signatures: [], attestations: [] };
  for (const layer of layers ?? []) {
    const type = String(layer?.mediaType ?? "");
    const isBundle = bundleType.test(type);
    if (
      isBundle
        ? isSignature
        : type === signatureTypes[0] || (isNotary && signatureTypes.includes(type))
    )
      found.signatures.push(layer ?? {});
    else if (isBundle || type === envelopeType) found.attestations.push(layer ?? {});
  }
  return found;
}

/**
 * Reads manifests and indexes (OCI image specification 1.1, and Docker's image manifest version 2, schema 2).
 * Errors are MANIFEST_INVALID and name the place in the document.
 */
import { ConnectError } from "@connectrpc/connect";
import { quoted } from "../../aip/quoted.ts";
import { readJson } from "../../aip/text.ts";
import {
  indexTypes,
  type ManifestContent,
  readContent,
} from "../../registry/images/manifest_content.ts";
import { isDigest } from "../digest.ts";
import { manifestInvalid } from "../errors.ts";

/** The most blobs and manifests that a manifest may name. */
const maxChildren = 2000;

/** The most characters of the annotations of a manifest with a subject, as JSON. */
const maxAnnotations = 32 * 1024;

/** A blob or a manifest that a manifest names. */
export interface Child {
  digest: string;
  size: number;
  isManifest: boolean;
  mediaType: string;
  /** Clients get it from elsewhere, so the repository need not have it. */
  isForeign: boolean;
}

/** A manifest or an index. */
export interface ManifestDocument {
  mediaType: string;
  isIndex: boolean;
  children: Child[];
  /** The digest of the manifest that this one is about. */
  subject: string | undefined;
  artifactType: string;
  annotations: Record<string, string> | undefined;
  /** The part that the Images service reads. */
  content: ManifestContent;
}

interface Json {
  [name: string]: unknown;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Reads the bytes of a manifest. `contentType` is the header of the request, if there is one. Throws
 * MANIFEST_INVALID.
 */
export function readManifest(bytes: Uint8Array, contentType: string | null): ManifestDocument {
  const document = readJson(bytes, (path, what) =>
    manifestInvalid(path === "" ? `the manifest ${what}` : `the manifest: ${path} ${what}`),
  );
  if (!isObject(document)) throw manifestInvalid("the manifest must be a JSON object");
  if (document.schemaVersion !== 2) throw manifestInvalid("schemaVersion must be 2");
  const sent = contentType?.split(";", 1)[0]?.trim() ?? "";
  const mediaType = sent || String(document.mediaType ?? "");
  const content = readStoredPart(bytes, mediaType);
  const isIndex = indexTypes.includes(mediaType);
  const children = isIndex ? readManifests(document) : readBlobs(document);
  if (children.length > maxChildren) {
    throw manifestInvalid(`a manifest may name at most ${maxChildren} blobs and manifests`);
  }
  const subject = readSubject(document.subject);
  return {
    mediaType,
    isIndex,
    children,
    subject,
    content,
    artifactType: readArtifactType(document, isIndex),
    annotations: readAnnotations(document.annotations, subject !== undefined),
  };
}

function readStoredPart(content: Uint8Array, mediaType: string): ManifestContent {
  try {
    return readContent({ content: content as Uint8Array<ArrayBuffer>, mediaType });
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) throw thrown;
    throw manifestInvalid(thrown.rawMessage.replace(/^Invalid argument: \w+: (?:content: )?/, ""));
  }
}

function readDescriptor(value: unknown, path: string): Json & { digest: string; size: number } {
  if (!isObject(value)) throw manifestInvalid(`${path} must be a descriptor`);
  const { digest, size } = value;
  if (!isDigest(digest)) {
    throw manifestInvalid(
      `${path}.digest must be a sha256 or sha512 digest; it is ${quoted(String(digest))}`,
    );
  }
  if (!Number.isSafeInteger(size) || (size as number) < 0) {
    throw manifestInvalid(`${path}.size must be a number of bytes`);
  }
  return { ...value, digest, size: size as number };
}

function readChild(value: unknown, path: string, isManifest: boolean): Child {
  const { digest, size, mediaType, urls } = readDescriptor(value, path);
  const type = String(mediaType ?? "");
  const isForeign =
    /\.(?:nondistributable|foreign)\./.test(type) && Array.isArray(urls) && urls.length > 0;
  return { digest, size, isManifest, mediaType: type, isForeign };
}

/** The children in a list that {@link readContent} has accepted. Null is an empty list, as Go writes it. */
const readChildren = (list: unknown, name: string, isManifest: boolean): Child[] =>
  ((list ?? []) as unknown[]).map((descriptor, index) =>
    readChild(descriptor, `${name}[${index}]`, isManifest),
  );

const readManifests = ({ manifests }: Json) => readChildren(manifests, "manifests", true);

const readBlobs = ({ config, layers }: Json): Child[] => [
  readChild(config, "config", false),
  ...readChildren(layers, "layers", false),
];

const readSubject = (subject: unknown): string | undefined =>
  subject === undefined || subject === null ? undefined : readDescriptor(subject, "subject").digest;

/** Without an artifact type, an image has that of its config (OCI distribution, "Listing Referrers"). */
function readArtifactType({ artifactType, config }: Json, isIndex: boolean): string {
  if (typeof artifactType === "string" && artifactType !== "") return artifactType;
  return !isIndex && isObject(config) ? String(config.mediaType ?? "") : "";
}

function readAnnotations(
  annotations: unknown,
  isReferrer: boolean,
): Record<string, string> | undefined {
  if (annotations === undefined || annotations === null) return undefined;
  const areTexts =
    isObject(annotations) && Object.values(annotations).every((value) => typeof value === "string");
  if (!areTexts) throw manifestInvalid("annotations must be an object with strings");
  if (isReferrer && JSON.stringify(annotations).length > maxAnnotations) {
    throw manifestInvalid(
      `the annotations of a manifest with a subject may have at most ${maxAnnotations} characters as JSON`,
    );
  }
  return annotations as Record<string, string>;
}

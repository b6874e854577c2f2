/** Fetches manifests, and the configurations of images, from upstreams. Their digests are checked. */
import { readBytesLimited } from "../../aip/bounded_body.ts";
import {
  configTypes,
  readImageConfig,
  type StoredConfig,
} from "../../registry/images/image_config.ts";
import { indexTypes } from "../../registry/images/manifest_content.ts";
import type { RegistryContext } from "../context.ts";
import { within } from "../deadline.ts";
import { algorithmOf, digestOf, isDigest } from "../digest.ts";
import { RegistryError } from "../errors.ts";
import { type ManifestDocument, readManifest } from "../manifests/document.ts";
import type { HeldMemory } from "../memory.ts";
import { UpstreamFailure } from "./failures.ts";
import { ask } from "./requests.ts";
import type { Mirror } from "./setting.ts";
import { recordAnswer } from "./states.ts";

/** The most bytes of a manifest, and of the configuration of an image. */
const most = { manifest: 4 * 1024 * 1024, config: 1024 * 1024 };

/** The types of manifests that the registry can store. */
const manifestTypes = [
  ...indexTypes,
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

const accept = { accept: manifestTypes.join(", ") };

/** A manifest of an upstream. */
export interface FetchedManifest {
  bytes: Uint8Array<ArrayBuffer>;
  digest: string;
  document: ManifestDocument;
}

const wrong = ({ address }: Mirror, text: string) =>
  new UpstreamFailure("wrong", `the upstream of ${address} ${text}`, Date.now());

/**
 * The digest that a tag has at the upstream now. `known` is the one that the mirror has. Undefined if the upstream does not
 * have the tag, and empty if it does not say the digest. Throws UpstreamFailure.
 */
export async function fetchDigest(
  context: RegistryContext,
  mirror: Mirror,
  tag: string,
  known: string,
): Promise<string | undefined> {
  const headers = { ...accept, "if-none-match": `"${known}"` };
  const answer = await ask(context, mirror, { method: "HEAD", path: `manifests/${tag}`, headers });
  if (!answer) return undefined;
  await recordAnswer(context, mirror, answer.limits);
  if (answer.response.status === 304) return known;
  const digest = answer.response.headers.get("docker-content-digest");
  return isDigest(digest) ? digest : "";
}

/**
 * Fetches a manifest by a tag or a digest. Undefined if the upstream does not have it. Throws UpstreamFailure, also if the
 * bytes have another digest than the reference or the header says. `memory` holds the bytes.
 */
export async function fetchManifest(
  context: RegistryContext,
  mirror: Mirror,
  reference: string,
  memory: HeldMemory,
): Promise<FetchedManifest | undefined> {
  const path = `manifests/${reference}`;
  const answer = await ask(context, mirror, { method: "GET", path, headers: accept });
  if (!answer) return undefined;
  const { response, limits } = answer;
  const length = Number(response.headers.get("content-length") ?? most.manifest);
  await memory.take(Math.min(length, most.manifest));
  const bytes = await readAll(context, mirror, response, most.manifest);
  const said = response.headers.get("docker-content-digest");
  const algorithm = algorithmOf(
    isDigest(reference) ? reference : isDigest(said) ? said : "sha256:",
  );
  const digest = await digestOf(bytes, algorithm);
  for (const promised of [reference, said]) {
    if (isDigest(promised) && promised !== digest)
      throw wrong(mirror, `says ${promised}, and sends a manifest with the digest ${digest}`);
  }
  await recordAnswer(context, mirror, limits);
  try {
    return { bytes, digest, document: readManifest(bytes, response.headers.get("content-type")) };
  } catch (thrown) {
    if (!(thrown instanceof RegistryError)) throw thrown;
    throw wrong(mirror, `sends a manifest that cannot be stored: ${thrown.message}`);
  }
}

async function readAll(
  { config }: RegistryContext,
  mirror: Mirror,
  response: Response,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () => wrong(mirror, `sends more than ${limit} bytes`);
  const late = () =>
    new UpstreamFailure("unreachable", `the upstream of ${mirror.address} is too slow`, Date.now());
  try {
    return await within(config.uploadStallMs, readBytesLimited(response, limit, tooLarge), late);
  } catch (thrown) {
    await response.body?.cancel().catch(() => {});
    if (thrown instanceof UpstreamFailure) throw thrown;
    throw new UpstreamFailure(
      "unreachable",
      `the upstream of ${mirror.address} ends before the last byte`,
      Date.now(),
    );
  }
}

/** A configuration that was fetched with its manifest. */
export interface FetchedConfig {
  digest: string;
  bytes: Uint8Array<ArrayBuffer>;
  image: StoredConfig;
}

/**
 * Fetches the configuration of an image, which tag rules and the list of images read. Undefined if there is none to read. A
 * pull fetches it again if that fails here.
 */
export async function fetchConfig(
  context: RegistryContext,
  mirror: Mirror,
  { content, isIndex }: ManifestDocument,
): Promise<FetchedConfig | undefined> {
  const { config } = content;
  const digest = config?.digest;
  if (isIndex || !isDigest(digest) || !configTypes.includes(config?.mediaType as string))
    return undefined;
  try {
    const answer = await ask(context, mirror, { method: "GET", path: `blobs/${digest}` });
    if (!answer) return undefined;
    const bytes = await readAll(context, mirror, answer.response, most.config);
    if ((await digestOf(bytes, algorithmOf(digest))) !== digest) return undefined;
    return { digest, bytes, image: readImageConfig(bytes, config?.mediaType) };
  } catch {
    return undefined;
  }
}

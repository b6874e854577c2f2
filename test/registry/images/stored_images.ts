/** Stores repositories, manifests and SBOMs for tests of the registry. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { createResource, type Organization, randomName } from "../../world/personas.ts";
import { type Answer, callRest } from "../../world/platform.ts";

export const indexType = "application/vnd.oci.image.index.v1+json";
export const manifestType = "application/vnd.oci.image.manifest.v1+json";

const base64 = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64");

export const sha256Of = (text: string | Uint8Array) =>
  `sha256:${createHash("sha256").update(text).digest("hex")}`;

export const newRepoIn = async ({ uid, owner }: Organization): Promise<string> =>
  (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: randomName("repo") }))
    .uid;

/**
 * Stores a manifest and returns its digest. With `config` (JSON text), the manifest names that configuration.
 */
export async function putManifest(
  { owner }: Organization,
  repo: string,
  config?: string,
  { send = true } = {},
): Promise<string> {
  const named = config === undefined ? {} : { digest: sha256Of(config) };
  const content = { config: { size: 5, ...named }, layers: [{ size: 10 }], mark: randomName("m") };
  const made = await createResource(`/registry/v2/manifests/${repo}`, owner.token, {
    mediaType: manifestType,
    content: base64(content),
    ...(config === undefined || !send ? {} : { config: base64(config) }),
  });
  return String(made.digest);
}

/** Stores an index of manifests by architecture and returns its digest. */
export async function putIndex(
  { owner }: Organization,
  repo: string,
  entries: [architecture: string, digest: string][],
): Promise<string> {
  const manifests = entries.map(([name, digest]) => {
    const [architecture, variant] = name.split("/");
    return { digest, platform: { os: "linux", architecture, variant } };
  });
  const made = await createResource(`/registry/v2/manifests/${repo}`, owner.token, {
    mediaType: indexType,
    content: base64({ mediaType: indexType, manifests, mark: randomName("i") }),
  });
  return String(made.digest);
}

/**
 * Sends a request to store an SBOM. Text is sent unchanged and anything else as JSON, compressed as the CLI
 * does.
 */
export function putSbom(
  { owner }: Organization,
  repo: string,
  digest: string,
  document: unknown,
): Promise<Answer> {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const content = gzipSync(text).toString("base64");
  return callRest(`/registry/v2/sboms/${repo}`, { token: owner.token, body: { digest, content } });
}

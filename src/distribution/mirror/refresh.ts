/** Brings a tag or a manifest of a mirror to the state of the upstream. */
import { and, eq } from "drizzle-orm";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { rootOf } from "../../aip/uid_path.ts";
import type { RegistryContext } from "../context.ts";
import { isDigest } from "../digest.ts";
import { HeldMemory } from "../memory.ts";
import { UpstreamFailure } from "./failures.ts";
import { fetchConfig, fetchDigest, fetchManifest } from "./fetch_manifest.ts";
import { keepBytes } from "./keep_blob.ts";
import type { Mirror } from "./setting.ts";
import { noteTag, recordFailure } from "./states.ts";
import { requireMirror, storeMirrored, unchanged } from "./store_manifest.ts";

/** The result: the reason why the tag stays behind the upstream, or an empty text. `unknown` if the upstream has none. */
export type Refreshed = { problem: string } | "unknown";

/** The reason if the upstream does not have a tag, or does not show it to the user. */
export const isGone = "the upstream does not have the tag";

/**
 * Compares a tag with the upstream, and fetches its manifest if it has moved. `known` is the digest that the mirror has, or
 * undefined. A digest is fetched. Failures of the upstream are recorded. Throws UpstreamFailure.
 */
export async function refresh(
  context: RegistryContext,
  mirror: Mirror,
  reference: string,
  known: string | undefined,
): Promise<Refreshed> {
  requireAsking(mirror);
  try {
    if (isDigest(reference))
      return await fetchAndStore(context, mirror, { reference, tag: undefined });
    const refreshed = await refreshTag(context, mirror, reference, known);
    if (refreshed !== "unknown" || known === undefined || mirror.repo === undefined)
      return refreshed;
    await noteTag(context, mirror.repo, reference, isGone);
    return { problem: isGone };
  } catch (thrown) {
    if (thrown instanceof UpstreamFailure) await recordFailure(context, mirror, thrown);
    throw thrown;
  }
}

/** Throws the last failure again while the upstream must not be asked. */
export function requireAsking({ failure }: Mirror): void {
  const left = (failure?.retryTime ?? 0) - Date.now();
  if (failure && left > 0)
    throw new UpstreamFailure(failure.reason, failure.error, Date.now(), left);
}

async function refreshTag(
  context: RegistryContext,
  mirror: Mirror,
  tag: string,
  known: string | undefined,
): Promise<Refreshed> {
  const { repo } = mirror;
  if (known === undefined || repo === undefined)
    return fetchAndStore(context, mirror, { reference: tag, tag });
  const digest = await fetchDigest(context, mirror, tag, known);
  if (digest === undefined) return "unknown";
  if (digest === known) {
    await noteTag(context, repo, tag, "");
    return { problem: "" };
  }
  if (digest !== "" && (await hasManifest(context, repo, digest))) {
    const stored = { repo, tag, digest, fetched: undefined, image: undefined };
    return { problem: await storeMirrored(context, unchanged(context, mirror.holder), stored) };
  }
  return fetchAndStore(context, mirror, { reference: digest === "" ? tag : digest, tag });
}

async function hasManifest(
  { db }: RegistryContext,
  repo: string,
  digest: string,
): Promise<boolean> {
  const rows = await db
    .select({ uid: manifests.uid })
    .from(manifests)
    .where(and(eq(manifests.parent, repo), eq(manifests.digest, digest)));
  return rows.length > 0;
}

/** The digest that a tag of a repository has. Undefined if there is no such tag. */
export async function digestOfTag(
  { db }: RegistryContext,
  repo: string,
  tag: string,
): Promise<string | undefined> {
  const [row] = await db
    .select({ digest: tags.digest })
    .from(tags)
    .where(and(eq(tags.parent, repo), eq(tags.name, tag)));
  return row?.digest;
}

async function fetchAndStore(
  context: RegistryContext,
  mirror: Mirror,
  { reference, tag }: { reference: string; tag: string | undefined },
): Promise<Refreshed> {
  const memory = new HeldMemory(context.config.uploadMemoryBytes, rootOf(mirror.holder.uid));
  try {
    const fetched = await fetchManifest(context, mirror, reference, memory);
    if (!fetched) return "unknown";
    const config = await fetchConfig(context, mirror, fetched.document);
    const repo = await requireMirror(context, mirror);
    const { digest } = fetched;
    // A pull of the configuration fetches it again if this fails.
    if (config) await keepBytes(context, repo, config).catch(() => {});
    const stored = { repo, fetched, image: config?.image, tag, digest };
    return { problem: await storeMirrored(context, unchanged(context, mirror.holder), stored) };
  } finally {
    memory.release();
  }
}

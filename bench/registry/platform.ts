/** The platform as a registry, and the bare Workers next to it. */
import { fillOrganization } from "../organization.ts";
import { type BenchPlatform, makeDatabase, startBenchPlatform } from "../stage.ts";
import { bareManifests, bareStorage } from "./bare.ts";
import { type ImageTarget, manifestHeaders, pushSmallImage } from "./client.ts";
import { type CountedRequest, countRequests } from "./counts.ts";
import type { ManifestServer } from "./manifests.ts";
import { measurePending, pushSize } from "./memory.ts";

/** A folder with the data of the platform: an organization, its owner, and an image with one tag. */
export interface Filled {
  folder: string;
  owner: string;
  /** `<organization>/<name>`. */
  image: string;
  tag: string;
  digest: string;
}

/** The counts from filling the folder. */
export interface Counted {
  requests: CountedRequest[];
  mostPending: number;
}

const target = async (
  platform: BenchPlatform,
  owner: string,
  image: string,
): Promise<ImageTarget> => ({
  origin: platform.url,
  image,
  token: await platform.tokenFor(owner, platform.registryAudience),
});

/** Fills a folder, and counts what that costs. The largest blob has `size` bytes. */
export async function fillPlatform(
  bundle: string,
  folder: string,
  tag: string,
  size = pushSize,
): Promise<{ filled: Filled; counted: Counted }> {
  const { root, owner } = fillOrganization(await makeDatabase(folder), 1_000);
  const image = `${root}/bench`;
  const platform = await startBenchPlatform(bundle, folder);
  try {
    const to = await target(platform, owner, image);
    const digest = await pushSmallImage(to, tag);
    const requests = await countRequests(to);
    const mostPending = await measurePending(to, size);
    return { filled: { folder, owner, image, tag, digest }, counted: { requests, mostPending } };
  } finally {
    await platform.stop();
  }
}

/** The running Workers. All of them are in one process, on the same D1. */
export interface RunningPlatform {
  target: ImageTarget;
  bareStorageUrl: string;
  /** The bare Worker as a server of manifests. */
  bareManifests(name: string): ManifestServer;
  stop(): Promise<void>;
}

/** Starts the platform on a filled folder. */
export async function openPlatform(bundle: string, filled: Filled): Promise<RunningPlatform> {
  const platform = await startBenchPlatform(bundle, filled.folder, {
    meter: false,
    extraWorkers: [bareStorage, bareManifests],
  });
  const own = await target(platform, filled.owner, filled.image);
  const bare = await platform.extraWorkerUrl(bareManifests.name);
  const [, hash] = filled.digest.split(":");
  const headers = manifestHeaders(own);
  return {
    target: own,
    bareStorageUrl: await platform.extraWorkerUrl(bareStorage.name),
    bareManifests: (name) => ({
      name,
      HEAD: { url: `${bare}/${hash}`, method: "HEAD", headers },
      GET: { url: `${bare}/${hash}`, method: "GET", headers },
    }),
    stop: () => platform.stop(),
  };
}

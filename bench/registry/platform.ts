/** The platform as a registry, and the bare Workers next to it. */
import { fillOrganization } from "../organization.ts";
import { type CasesWithCaller, recordStatements } from "../speed/cases.ts";
import { bareWorker } from "../speed/floor.ts";
import { type BenchPlatform, makeDatabase, startBenchPlatform } from "../stage.ts";
import { bareStorage } from "./bare.ts";
import { type ImageTarget, pushSmallImage } from "./client.ts";
import { type CountedRequest, countRequests } from "./counts.ts";
import { type ManifestServer, manifestMethods, manifestPath } from "./manifests.ts";
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

const caseName = (method: string) => `${method.toLowerCase()}-manifest`;

/** The requests for manifests, for the bare Worker that sends D1 the same statements. */
const casesOf = ({ owner, image, tag, digest }: Filled): CasesWithCaller => ({
  caller: owner,
  cases: manifestMethods.map((method) => ({
    name: caseName(method),
    title: `${method} of a manifest`,
    method,
    isRegistry: true,
    path: `/v2/${image}/${manifestPath(method, tag, digest)}`,
  })),
});

/** The running Workers. All of them are in one process, on the same D1. */
export interface RunningPlatform {
  target: ImageTarget;
  bareStorageUrl: string;
  /** The bare Worker as a server of manifests. */
  bareManifests(name: string): ManifestServer;
  stop(): Promise<void>;
}

/** Starts the platform on a filled folder. Throws an Error if reading a manifest takes more than one D1 read. */
export async function openPlatform(bundle: string, filled: Filled): Promise<RunningPlatform> {
  const recorded = await recordStatements(bundle, filled.folder, casesOf(filled));
  const wide = Object.entries(recorded).find(([, trips]) => trips.length !== 1);
  if (wide) throw new Error(`${wide[0]} takes ${wide[1].length} round trips to D1`);
  const platform = await startBenchPlatform(bundle, filled.folder, {
    meter: false,
    extraWorkers: [bareStorage, bareWorker(recorded)],
  });
  const own = await target(platform, filled.owner, filled.image);
  const bare = await platform.extraWorkerUrl("bare");
  return {
    target: own,
    bareStorageUrl: await platform.extraWorkerUrl(bareStorage.name),
    bareManifests: (name) => ({
      name,
      HEAD: { url: `${bare}/${caseName("HEAD")}`, method: "HEAD" },
      GET: { url: `${bare}/${caseName("GET")}`, method: "GET" },
    }),
    stop: () => platform.stop(),
  };
}

/** Platforms, sizes and findings of the images on the screen. One call asks for many of them. */
import { useQuery } from "@tanstack/preact-query";
import type { Client, ImageSummary } from "../../client/index.ts";
import { useMay } from "./may.ts";
import { useClient } from "./platform.tsx";

/** The digests of one call. They are part of its URL. */
const maxDigests = 40;

/** In milliseconds. The rows that appear in this time are asked for together. */
const collectTime = 200;

/** How long a summary is kept, in milliseconds. Only a new scan changes it. */
const staleTime = 300_000;

interface Waiting {
  digest: string;
  signal: AbortSignal;
  resolve: (summary: ImageSummary | null) => void;
  reject: (reason: unknown) => void;
}

/** Collects the digests of one repository until they are asked for. */
class Collector {
  readonly #client: Client;
  readonly #repoUid: string;
  #waiting: Waiting[] = [];

  constructor(client: Client, repoUid: string) {
    this.#client = client;
    this.#repoUid = repoUid;
  }

  /** Null if the platform has no summary of the digest. */
  ask(digest: string, signal: AbortSignal): Promise<ImageSummary | null> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setTimeout(() => this.#send(), collectTime);
      this.#waiting.push({ digest, signal, resolve, reject });
    });
  }

  /** A row that has left the screen in the meantime is not asked for. */
  #send(): void {
    const waiting = this.#waiting.filter(({ signal }) => !signal.aborted);
    this.#waiting = [];
    for (let start = 0; start < waiting.length; start += maxDigests)
      void this.#sendOne(waiting.slice(start, start + maxDigests));
  }

  async #sendOne(waiting: Waiting[]): Promise<void> {
    const digests = waiting.map(({ digest }) => digest);
    try {
      const { imageSummaries: summaries = [] } =
        await this.#client.imageSummaries.batchGetImageSummaries({
          repoUid: this.#repoUid,
          digests,
        });
      const byDigest = new Map(summaries.map((summary) => [summary.digest, summary]));
      for (const { digest, resolve } of waiting) resolve(byDigest.get(digest) ?? null);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}

const collectors = new WeakMap<Client, Map<string, Collector>>();

function collectorOf(client: Client, repoUid: string): Collector {
  const ofClient = collectors.get(client) ?? new Map<string, Collector>();
  collectors.set(client, ofClient);
  const collector = ofClient.get(repoUid) ?? new Collector(client, repoUid);
  ofClient.set(repoUid, collector);
  return collector;
}

/** The summary of an image. Undefined while it is on its way, and null if there is none or the person may not see it. */
export function useImageSummary(
  repoUid: string,
  digest: string | undefined,
): ImageSummary | null | undefined {
  const client = useClient();
  const isAllowed = useMay(repoUid).may("CAP_MANIFEST_METADATA_LIST");
  const { data, isError } = useQuery({
    queryKey: ["images", "summary", repoUid, digest],
    queryFn: ({ signal }) => collectorOf(client, repoUid).ask(digest ?? "", signal),
    enabled: digest !== undefined && isAllowed === true,
    staleTime,
  });
  return digest === undefined || isAllowed === false || isError ? null : data;
}

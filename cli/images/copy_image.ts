/** Copies an image from one repository to another, with the signatures, SBOMs and other manifests that refer to it. */
import { PassThrough, type Readable } from "node:stream";
import { maxListBytes, readObject, shortGet } from "./answers.ts";
import { type Descriptor, descriptorsOf } from "./descriptor.ts";
import { downloadBlob } from "./download.ts";
import type { LocalBlob, LocalImage } from "./local_image.ts";
import { type PushResult, pushImage } from "./push_image.ts";
import { type RemoteImage, readRemoteImage } from "./remote_image.ts";
import { requireStatus, type Session } from "./session.ts";

/** The most manifests that refer to one image, directly or through others. */
const maxReferrers = 1_000;

export type CopyPlan = {
  /** Where the image goes, and where it comes from. By default both are one registry. */
  session: Session;
  source?: Session;
  /** The names of the repositories in these registries. */
  from: string;
  to: string;
  tag: string;
  /** In bytes. */
  chunkSize: number;
};

/** The result of the push of the image, and how many manifests that refer to it came along. */
export type CopyResult = PushResult & { referrers: number };

/** Copies an image that was read before. The tag is set before the referrers, and a second run adds what is missing. */
export async function copyImage(plan: CopyPlan, image: RemoteImage): Promise<CopyResult> {
  const pushed = await push(plan, image, plan.tag);
  const seen = new Set(image.manifests.map(({ descriptor }) => descriptor.digest));
  const waiting = [...seen];
  let referrers = 0;
  for (let digest = waiting.pop(); digest !== undefined; digest = waiting.pop()) {
    for (const { digest: own } of await referrersOf(plan, digest)) {
      if (seen.has(own) || referrers >= maxReferrers) continue;
      seen.add(own);
      waiting.push(own);
      await push(plan, await readRemoteImage(sourceOf(plan), plan.from, own, undefined), own);
      referrers += 1;
    }
  }
  return { ...pushed, referrers };
}

const push = (plan: CopyPlan, image: RemoteImage, tag: string): Promise<PushResult> =>
  pushImage(plan.session, asLocal(plan, image), {
    ...{ name: plan.to, tag, chunkSize: plan.chunkSize },
    mountFrom: plan.source ? undefined : plan.from,
  });

const sourceOf = ({ session, source = session }: CopyPlan): Session => source;

/**
 * Returns the descriptors of manifests that refer to a digest (OCI distribution, "Listing Referrers"). An older registry
 * without that list has them in an index with a tag, which is copied like any other.
 */
async function referrersOf(plan: CopyPlan, digest: string): Promise<Descriptor[]> {
  const { from } = plan;
  const path = `/v2/${from}/referrers/${digest}`;
  const response = await sourceOf(plan).send(from, shortGet(path));
  if (plan.source && response.status === 404) return [];
  await requireStatus(response, 200);
  const what = `The list of what refers to ${digest}`;
  const { manifests } = await readObject(response, maxListBytes, what);
  return descriptorsOf(manifests, what);
}

/** The registry mounts blobs, so it only reads their bytes if it cannot. */
const asLocal = (plan: CopyPlan, { manifests, blobs }: RemoteImage): LocalImage => ({
  manifests: manifests.map(({ descriptor: { digest, mediaType }, bytes }) => ({
    ...{ digest, mediaType, bytes },
  })),
  blobs: blobs.map(
    (blob): LocalBlob => ({
      ...{ digest: blob.digest, size: blob.size },
      read: (start, end) => rangeOf(sourceOf(plan), plan.from, blob, start, end),
    }),
  ),
});

function rangeOf(
  session: Session,
  name: string,
  blob: Descriptor,
  start: number,
  end: number,
): Readable {
  const stream = new PassThrough();
  let left = end - start;
  const write = async (bytes: Buffer) => {
    const part = bytes.subarray(0, left);
    left -= part.length;
    if (part.length > 0 && !stream.write(part))
      await new Promise((resolve) => stream.once("drain", resolve));
    if (left === 0) stream.end();
  };
  downloadBlob({ session, name, blob, start }, write).then(
    () => stream.end(),
    (error: Error) => stream.destroy(error),
  );
  return stream;
}

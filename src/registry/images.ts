import { and, eq, inArray, sql } from "drizzle-orm";
import { ImagesService } from "../../schema/gen/platform/registry/v2/images_pb.js";
import { manifests } from "../../schema/tables/manifests.ts";
import { invalidArgument, notFound } from "../aip/errors.ts";
import { authorized } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { service } from "../rpc/service.ts";
import { indexTypes } from "./manifests.ts";

const columns = {
  digest: manifests.digest,
  mediaType: manifests.mediaType,
  entries: manifests.entries,
  size: manifests.size,
};

const isIndex = ({ mediaType }: { mediaType: string }) => indexTypes.includes(mediaType);

const selectManifest = (call: Call, repo: string, digest: string) =>
  call.db
    .select(columns)
    .from(manifests)
    .where(and(eq(manifests.parent, repo), eq(manifests.digest, digest)));

/** The manifests that an index names, as far as their metadata is stored. */
const selectEntries = (call: Call, repo: string, digest: string) =>
  call.db
    .select(columns)
    .from(manifests)
    .where(
      and(
        eq(manifests.parent, repo),
        inArray(
          manifests.digest,
          sql`(select entry.value ->> 'digest' from ${manifests} as listing, json_each(listing.entries) as entry where listing.parent = ${repo} and listing.digest = ${digest})`,
        ),
      ),
    );

export const imagesService = service(ImagesService, {
  async getArchitectures({ repoUid, digest }, call) {
    const { rows } = await authorized(call, repoUid, [selectManifest(call, repoUid, digest)]);
    const [index] = rows[0];
    if (!index) throw notFound("registry/Image", digest);
    if (!isIndex(index)) throw invalidArgument("digest", "digest is not that of an image index");
    return { architectures: index.entries.map((entry) => entry.architecture) };
  },

  /** Bytes of layers and config. A digest of a single manifest is measured as it is. */
  async getSize({ repoUid, digest, architecture }, call) {
    const wanted = architecture || "amd64";
    const { rows } = await authorized(call, repoUid, [
      selectManifest(call, repoUid, digest),
      selectEntries(call, repoUid, digest),
    ]);
    const [image] = rows[0];
    if (!image) throw notFound("registry/Image", digest);
    if (!isIndex(image)) return { size: BigInt(image.size), architecture };
    const entry = image.entries.find((one) => one.architecture === wanted);
    const manifest = rows[1].find((one) => one.digest === entry?.digest);
    if (!manifest) throw notFound("registry/Image", `${digest} for ${wanted}`);
    return { size: BigInt(manifest.size), architecture: wanted };
  },
});

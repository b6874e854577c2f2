import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { ImagesService } from "../../../schema/gen/platform/registry/v2/images_pb.js";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { invalidArgument, notFound } from "../../aip/errors.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import { indexTypes } from "./manifest_content.ts";
import { canonicalArchitecture, canonicalArchitectureSql } from "./platforms.ts";

/** The architecture of an index that is used if the request names none. */
export const defaultArchitecture = "amd64";

const columns = {
  digest: manifests.digest,
  mediaType: manifests.mediaType,
  entries: manifests.entries,
  size: manifests.size,
  architecture: manifests.architecture,
};

const isIndex = ({ mediaType }: { mediaType: string }) => indexTypes.includes(mediaType);

const selectManifest = (call: Call, repo: string, digest: string) =>
  call.db
    .select(columns)
    .from(manifests)
    .where(
      and(eq(manifests.parent, repo), eq(manifests.digest, digest), isPresent(manifests.parent)),
    );

/** The manifests of an index whose metadata is stored. */
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

/**
 * SQL: the digest of the one image in a repository with this digest and architecture. For an index it is the
 * digest of its manifest for that architecture, by default `amd64`. Null if the index has none, or if the
 * image has another architecture. A digest that is not stored stands for itself.
 */
export const imageDigestSql = (repo: string, digest: SQL, architecture: SQL) => {
  const wanted = canonicalArchitectureSql(architecture);
  const named = canonicalArchitectureSql(sql`entry.value ->> 'architecture'`);
  const entry = sql`(select entry.value ->> 'digest' from json_each(${manifests.entries}) as entry
    where ${named} = iif(${architecture} = '', ${defaultArchitecture}, ${wanted}) limit 1)`;
  const own = sql`iif(${architecture} = '' or ${manifests.architecture} in ('', ${wanted}), ${digest}, null)`;
  const stored = sql`from ${manifests} where ${manifests.parent} = ${repo} and ${manifests.digest} = ${digest}`;
  return sql`iif(exists (select 1 ${stored}),
    (select iif(${inArray(manifests.mediaType, indexTypes)}, ${entry}, ${own}) ${stored}), ${digest})`;
};

export const imagesService = service(ImagesService, {
  async getArchitectures({ repoUid, digest }, call) {
    const { rows } = await authorizeAndRead(call, repoUid, [selectManifest(call, repoUid, digest)]);
    const [index] = rows[0];
    if (!index) throw notFound("registry/Image", digest);
    if (!isIndex(index)) throw invalidArgument("digest", "digest must be that of an image index");
    return {
      architectures: index.entries
        .map((entry) => canonicalArchitecture(entry.architecture))
        .filter((name) => name !== ""),
    };
  },

  /** The bytes of the layers and the config. The digest of a single manifest is used unchanged. */
  async getSize({ repoUid, digest, architecture }, call) {
    const asked = canonicalArchitecture(architecture);
    const wanted = asked || defaultArchitecture;
    const { rows } = await authorizeAndRead(call, repoUid, [
      selectManifest(call, repoUid, digest),
      selectEntries(call, repoUid, digest),
    ]);
    const [image] = rows[0];
    if (!image) throw notFound("registry/Image", digest);
    if (!isIndex(image)) {
      const known = image.architecture || asked;
      if (asked !== "" && known !== asked) {
        throw notFound("registry/Image", `${digest} for ${asked}`);
      }
      return { size: BigInt(image.size), architecture: known };
    }
    const entry = image.entries.find(
      (indexEntry) => canonicalArchitecture(indexEntry.architecture) === wanted,
    );
    const manifest = rows[1].find((row) => row.digest === entry?.digest);
    if (!manifest) throw notFound("registry/Image", `${digest} for ${wanted}`);
    return { size: BigInt(manifest.size), architecture: wanted };
  },
});

/** `GET /v2/<name>/referrers/<digest>` (OCI distribution, "Listing Referrers"). */
import { and, asc, eq, gt } from "drizzle-orm";
import { blobs } from "../../../schema/tables/distribution/blobs.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { quoted } from "../../aip/quoted.ts";
import { reachRepository } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import type { RegistryContext } from "../context.ts";
import { readDigest } from "../digest.ts";
import { queryInvalid } from "../errors.ts";
import { selectPublic } from "../public_content.ts";
import { type ImageName, repoUidOf } from "../repository.ts";

/** The most referrers in one response. Their annotations have at most 32 KiB each. */
const pageSize = 50;

const indexType = "application/vnd.oci.image.index.v1+json";

/** The number of the last manifest of the previous page. */
function readLast({ url }: RegistryContext): number {
  const text = url.searchParams.get("last") ?? "0";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw queryInvalid(`last must come from the Link header; you sent ${quoted(text)}`);
}

/**
 * Returns an image index, with a Link header if there are more manifests. It is empty if the repository does
 * not exist, because clients take 404 for a registry without this endpoint.
 */
export async function listReferrers(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  digestText: string,
): Promise<Response> {
  const subject = readDigest(digestText);
  const { db, url } = context;
  const wanted = url.searchParams.get("artifactType") ?? "";
  const referrerRows = db
    .select({
      manifest: referrers.manifest,
      mediaType: referrers.mediaType,
      artifactType: referrers.artifactType,
      annotations: referrers.annotations,
      digest: blobs.digest,
      size: blobs.size,
    })
    .from(repoStorage)
    .crossJoin(referrers)
    .crossJoin(blobs)
    .where(
      and(
        eq(repoStorage.uid, repoUidOf(db, image)),
        eq(referrers.repo, repoStorage.id),
        eq(referrers.subject, subject),
        gt(referrers.manifest, readLast(context)),
        wanted === "" ? undefined : eq(referrers.artifactType, wanted),
        eq(blobs.id, referrers.manifest),
      ),
    )
    .orderBy(asc(referrers.manifest))
    .limit(pageSize + 1);
  const reach = await reachRepository(context, bearer, image, "pull", [
    referrerRows,
    ...selectPublic(context, image, subject),
  ]);
  const [all, [open] = []] = reach.rows;
  const rows = reach.isPublicOnly && !open ? [] : all;
  const shown = rows.slice(0, pageSize);
  const headers = new Headers({ "content-type": indexType });
  if (wanted !== "") headers.set("oci-filters-applied", "artifactType");
  const end = shown.at(-1);
  if (rows.length > pageSize && end) {
    const query = new URLSearchParams({
      ...(wanted === "" ? {} : { artifactType: wanted }),
      last: String(end.manifest),
    });
    headers.set("link", `<${url.pathname}?${query}>; rel="next"`);
  }
  const manifests = shown.map(({ mediaType, digest, size, artifactType, annotations }) => ({
    mediaType,
    digest,
    size,
    ...(artifactType === "" ? {} : { artifactType }),
    ...(annotations ? { annotations } : {}),
  }));
  return Response.json({ schemaVersion: 2, mediaType: indexType, manifests }, { headers });
}

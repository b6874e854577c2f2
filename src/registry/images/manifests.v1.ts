import type { MessageShape } from "@bufbuild/protobuf";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import {
  type ManifestMetadataFilterEntry,
  ManifestMetadataSchema,
} from "../../../schema/gen/platform/registry/manifests_pb.js";
import { counts } from "../../../schema/tables/counts.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { invalidArgument, invalidArguments, resourceExhausted } from "../../aip/errors.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { maxUnpagedBytes } from "../../paging/byte_limit.ts";
import { requireUid } from "../../rpc/version1.ts";
import { decompressStored } from "../compressed.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { sbomUidSql } from "../sboms/sboms.ts";
import { imageViolations } from "./images.v1.ts";

/** The most characters of packages in one response, as in Lists without pages. */
const maxPackagesLength = maxUnpagedBytes;
/** The most entries of a filter. Each is looked up separately. */
const maxItems = 1000;

/** An entry of the filter in the form that SQL needs. An exact digest has no architecture. */
type ManifestKey = { digest: string; arch: string | null };

function toManifestKey({ filter }: ManifestMetadataFilterEntry, index: number): ManifestKey {
  const path = `items[${index}]`;
  if (filter.case === undefined) {
    throw invalidArgument(`${path}.filter`, `${path}.filter is required`);
  }
  const isExact = filter.case === "imageDigest";
  const { digest, arch } = isExact ? { digest: filter.value, arch: "" } : filter.value;
  const within = `${path}.index_filter`;
  const violations = imageViolations(
    { digest, arch },
    { digest: isExact ? `${path}.image_digest` : `${within}.digest`, arch: `${within}.arch` },
  );
  if (violations.length > 0) throw invalidArguments(violations);
  return { digest, arch: isExact ? null : arch };
}

/** SQL: the uids of the SBOMs for the entries. */
function selectSbomUids(repo: string, keys: ManifestKey[]): SQL {
  const digest = sql`item.value ->> 'digest'`;
  const arch = sql`item.value ->> 'arch'`;
  const exact = sql`(select ${sboms.uid} from ${sboms} where ${sboms.parent} = ${repo} and ${sboms.digest} = ${digest})`;
  return sql`(select iif(${arch} is null, ${exact}, ${sbomUidSql(repo, digest, arch)})
    from json_each(${JSON.stringify(keys)}) as item)`;
}

/** Packages are read only if those of all rows fit into one response. */
function selectPackages({ db }: Call, repo: string, keys: ManifestKey[]) {
  const matchingSboms = db
    .select({
      uid: sboms.uid,
      digest: sboms.digest,
      total: sql<number>`sum(${sboms.packagesLength}) over ()`.as("total"),
    })
    .from(sboms)
    .where(
      and(
        eq(sboms.parent, repo),
        isPresent(sboms.parent),
        keys.length === 0 ? undefined : inArray(sboms.uid, selectSbomUids(repo, keys)),
      ),
    )
    .as("matching_sbom");
  // In a separate select: columns next to the sum would be read for all rows before the sum is known.
  const packages = sql<string>`(select ${sboms.packages} from ${sboms} where ${sboms.uid} = "matching_sbom"."uid")`;
  return db
    .select({
      total: matchingSboms.total,
      packages:
        sql<string>`iif("matching_sbom"."total" <= ${maxPackagesLength}, ${packages}, '')`.as(
          "packages",
        ),
    })
    .from(matchingSboms)
    .orderBy(matchingSboms.digest);
}

export const manifestsV1 = {
  async listManifestMetadata({ repoId, items }, call) {
    requireUid("repo_id", repoId);
    if (items.length > maxItems) {
      throw invalidArgument(
        "items",
        `items must have at most ${maxItems} items; you sent ${items.length}`,
      );
    }
    const keys = items.map(toManifestKey);
    const { rows } = await authorizeAndRead(call, repoId, [selectPackages(call, repoId, keys)]);
    if ((rows[0][0]?.total ?? 0) > maxPackagesLength) {
      throw resourceExhausted(
        "the packages of these images are too many for one response; request fewer images",
      );
    }
    const read: MessageShape<typeof ManifestMetadataSchema>[] = [];
    for (const { packages } of rows[0]) {
      const json = new TextDecoder().decode(await decompressStored(packages));
      read.push(messageFromStored(ManifestMetadataSchema, JSON.parse(json)));
    }
    return { items: read };
  },

  async getManifestDigestCount({ parentId }, call) {
    requireUid("parent_id", parentId);
    const { rows } = await authorizeAndRead(call, parentId, [
      call.db
        .select({ count: counts.descendants })
        .from(counts)
        .where(and(eq(counts.ancestor, parentId), eq(counts.kind, "manifests"))),
    ]);
    return { count: BigInt(rows[0][0]?.count ?? 0) };
  },
} satisfies RegistryHandlers;

import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import {
  type ListPackagesRequest,
  PackageSchema,
  PackagesService,
} from "../../../schema/gen/platform/registry/findings/v2/packages_pb.js";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { sbomPackages } from "../../../schema/tables/registry/sbom_packages.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { invalidArgument } from "../../aip/errors.ts";
import type { CallAnywhere, Database } from "../../auth/call.ts";
import { readTags, tagNamesSql } from "../../matching/image_tags.ts";
import { pypiName } from "../../packages/names.ts";
import { list } from "../../paging/list.ts";
import { defineListing, type IndexStrategy, type Listing } from "../../paging/listing.ts";
import { service } from "../../rpc/service.ts";
import { readImageFilter } from "./image_filter.ts";
import { type ImageTimes, imageCondition, readImageTimes } from "./image_times.ts";
import { readPackageFilter } from "./package_filter.ts";
import type { VersionRange } from "./version_range.ts";

const image = { repo: sql`${sbomPackages.parent}`, digest: sql`${sboms.digest}` };

/** `tagNames` are the tags now, or at a time in milliseconds since 1970. */
const columnsAt = (at: number | undefined) => ({
  uid: sbomPackages.uid,
  repoUid: sql<string>`${sbomPackages.parent}`.as("repo_uid"),
  repoName:
    sql<string>`(select "repo"."name" from ${repos} as "repo" where "repo"."uid" = ${sbomPackages.parent})`.as(
      "repo_name",
    ),
  digest: sql<string>`${sboms.digest}`.as("image_digest"),
  sbomTime: sql<number>`${sboms.updateTime}`.as("sbom_time"),
  sbomUid: sbomPackages.sbomUid,
  tagNames: tagNamesSql(image, at).as("tag_names"),
  name: sql<string>`${sbomPackages.name}`.as("package_name"),
  namespace: sbomPackages.namespace,
  version: sbomPackages.version,
  type: sbomPackages.type,
  purl: sbomPackages.purl,
  versionOrder: sbomPackages.versionOrder,
  sortKey: sbomPackages.sortKey,
  license: sbomPackages.license,
});

const selectAt =
  (at: number | undefined) =>
  (db: Database, from = sbomPackages) =>
    db
      .select(columnsAt(at))
      .from(from)
      .leftJoin(sboms, eq(sboms.uid, sbomPackages.sbomUid))
      .$dynamic();

type Row = Awaited<ReturnType<ReturnType<typeof selectAt>>>[number];

const listingAt = (at: number | undefined) =>
  defineListing({
    table: sbomPackages,
    select: selectAt(at),
    orders: { uid: "uid" },
    mayBeLeft: true,
  });

/** The condition of a package that its image meets the filters. Undefined if all images do. */
function isOfSuchImage(times: ImageTimes, taggedOnly: boolean): SQL | undefined {
  const condition = imageCondition(image, times, taggedOnly);
  // Filters read only the table of the packages.
  return (
    condition &&
    sql`exists (select 1 from ${sboms} where ${sboms.uid} = ${sbomPackages.sbomUid} and ${condition})`
  );
}

/**
 * The listing, the classes of its rows, and the index strategy of its pages. No index has the times of images, so with
 * one, a page looks at a limited number of rows.
 */
function indexOf(
  { name, digest }: ListPackagesRequest,
  {
    names,
    packageKey,
    times,
  }: { names: string[]; packageKey: string | undefined; times: ImageTimes },
): { listing: Listing<Row>; classes: string[]; index: IndexStrategy } {
  const listing = listingAt(times.at);
  const isTimed = times.at !== undefined || times.pulledSince !== undefined;
  if (!isTimed || digest !== "") {
    const index = names.length <= 1 ? "order_index" : "filter_index";
    return { listing, classes: [], index };
  }
  if (packageKey !== undefined) {
    const byPackage = { ...listing, classColumn: sbomPackages.packageKey };
    return { listing: byPackage, classes: [packageKey], index: "no_index" };
  }
  if (name === "") return { listing, classes: [], index: "no_index" };
  const byName = { ...listing, classColumn: sbomPackages.name };
  return { listing: byName, classes: names, index: "no_index" };
}

/**
 * The condition on a name with or without its namespace, and the values that the column can have. Usually it is one
 * name, and then one walk of an index has the rows in order.
 */
function nameFilter(name: string): { isNamed: SQL | undefined; names: string[] } {
  if (name === "") return { isNamed: undefined, names: [] };
  const separatorIndex = Math.max(name.lastIndexOf("/"), name.lastIndexOf(":"));
  const [namespace, last] =
    separatorIndex > 0
      ? [name.slice(0, separatorIndex), name.slice(separatorIndex + 1)]
      : ["", name];
  const ofPypi = pypiName(name);
  if (ofPypi === name && separatorIndex <= 0)
    return { isNamed: eq(sbomPackages.name, name), names: [name] };
  const isSpelled = or(
    // Without a package URL, the name in an SBOM can contain a namespace itself.
    and(eq(sbomPackages.name, name), sql`${sbomPackages.type} <> 'pypi'`),
    and(eq(sbomPackages.name, ofPypi), eq(sbomPackages.type, "pypi")),
    separatorIndex > 0
      ? and(eq(sbomPackages.name, last), eq(sbomPackages.namespace, namespace))
      : undefined,
  );
  const names = [...new Set([name, ofPypi, last])];
  const isOneOf = sql`${sbomPackages.name} in ${valuesSubselect(names)}`;
  return { isNamed: and(isOneOf, sql`(${isSpelled})`), names };
}

function toPackage(row: Row, range: VersionRange | undefined) {
  return create(PackageSchema, {
    uid: row.uid,
    repoUid: row.repoUid,
    repoName: row.repoName,
    digest: row.digest,
    tags: readTags(row.tagNames),
    name: row.name,
    namespace: row.namespace,
    version: row.version,
    purl: row.purl,
    type: row.type,
    license: row.license,
    versionUnordered: range?.isUnordered(row) ?? false,
    sbomTime: timestampFromMs(row.sbomTime),
    sbomUid: row.sbomUid,
  });
}

/** A package URL with a range instead of a version. */
const rangedPurl = /^(pkg:.*?)@(vers:.*|[<>=!~^*].*)$/is;

/** The bounds of the versions. Throws INVALID_ARGUMENT for bounds without a package. */
async function rangeOf(request: ListPackagesRequest, type: string, versions: string) {
  const { name, purl, from, below } = request;
  if (versions !== "") {
    if (from !== "" || below !== "")
      throw invalidArgument("purl", "purl with a range cannot be used with from or below");
    const { comparedRange } = await import("./version_range.ts");
    return comparedRange(versions, type);
  }
  if (from === "" && below === "") return undefined;
  if (name === "" && purl === "") {
    const field = below === "" ? "from" : "below";
    throw invalidArgument(field, `${field} needs a package; send name or purl too`);
  }
  const { versionRange } = await import("./version_range.ts");
  return versionRange({ from, below }, type);
}

/** The packages of one image. */
const isOfImage = ({ repo, digest }: { repo: string; digest: string }): SQL =>
  sql`${sbomPackages.sbomUid} = (select "described"."uid" from ${sboms} as "described"
    where "described"."parent" = ${repo} and "described"."digest" = ${digest})`;

async function listPackages(request: ListPackagesRequest, call: CallAnywhere) {
  const { name, purl, taggedOnly } = request;
  const named = readImageFilter(request);
  const [, ranged = purl, versions = ""] = rangedPurl.exec(purl) ?? [];
  const packageFilter = await readPackageFilter(ranged, sbomPackages);
  const range = await rangeOf(request, packageFilter?.type ?? "", versions);
  const { isNamed, names } = nameFilter(name);
  const times = readImageTimes(request, call.now);
  const asked = { names, packageKey: packageFilter?.key, times };
  const { listing, ...strategy } = indexOf(request, asked);
  const page = await list<Row>(call, named?.listed ?? request, listing, {
    total: "none",
    ...strategy,
    filters: [
      named && isOfImage(named),
      isNamed,
      packageFilter?.condition,
      range?.condition,
      isOfSuchImage(times, taggedOnly),
    ],
  });
  const { nextPageToken, skipped } = page.envelope;
  const packages = page.rows.map((row) => toPackage(row, range));
  return { packages, nextPageToken, skipped };
}

export const packagesService = service(PackagesService, { listPackages });

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
import { isTaggedSql, readTags, tagNamesSql } from "../../matching/image_tags.ts";
import { pypiName } from "../../packages/names.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { service } from "../../rpc/service.ts";
import { readImageFilter } from "./image_filter.ts";
import { readPackageFilter } from "./package_filter.ts";
import type { VersionRange } from "./version_range.ts";

const image = { repo: sql`${sbomPackages.parent}`, digest: sql`${sboms.digest}` };

const columns = {
  uid: sbomPackages.uid,
  repoUid: sql<string>`${sbomPackages.parent}`.as("repo_uid"),
  repoName:
    sql<string>`(select "repo"."name" from ${repos} as "repo" where "repo"."uid" = ${sbomPackages.parent})`.as(
      "repo_name",
    ),
  digest: sql<string>`${sboms.digest}`.as("image_digest"),
  sbomTime: sql<number>`${sboms.updateTime}`.as("sbom_time"),
  sbomUid: sbomPackages.sbomUid,
  tagNames: tagNamesSql(image).as("tag_names"),
  name: sql<string>`${sbomPackages.name}`.as("package_name"),
  namespace: sbomPackages.namespace,
  version: sbomPackages.version,
  type: sbomPackages.type,
  purl: sbomPackages.purl,
  versionOrder: sbomPackages.versionOrder,
  sortKey: sbomPackages.sortKey,
  license: sbomPackages.license,
};

const selectPackages = (db: Database, from = sbomPackages) =>
  db.select(columns).from(from).leftJoin(sboms, eq(sboms.uid, sbomPackages.sbomUid)).$dynamic();

/** Filters read only the table of the packages. */
const isTagged = sql`exists (select 1 from ${sboms} where ${sboms.uid} = ${sbomPackages.sbomUid} and ${isTaggedSql(image)})`;

type Row = Awaited<ReturnType<typeof selectPackages>>[number];

const listing = defineListing({
  table: sbomPackages,
  select: selectPackages,
  orders: { uid: "uid" },
  mayBeLeft: true,
});

/**
 * The condition on a name with or without its namespace. Usually it is one name, and then one walk of an index
 * has the rows in order.
 */
function nameFilter(name: string): { isNamed: SQL | undefined; isOne: boolean } {
  const separatorIndex = Math.max(name.lastIndexOf("/"), name.lastIndexOf(":"));
  const [namespace, last] =
    separatorIndex > 0
      ? [name.slice(0, separatorIndex), name.slice(separatorIndex + 1)]
      : ["", name];
  const ofPypi = pypiName(name);
  if (ofPypi === name && separatorIndex <= 0)
    return { isNamed: eq(sbomPackages.name, name), isOne: true };
  const isSpelled = or(
    // Without a package URL, the name in an SBOM can contain a namespace itself.
    and(eq(sbomPackages.name, name), sql`${sbomPackages.type} <> 'pypi'`),
    and(eq(sbomPackages.name, ofPypi), eq(sbomPackages.type, "pypi")),
    separatorIndex > 0
      ? and(eq(sbomPackages.name, last), eq(sbomPackages.namespace, namespace))
      : undefined,
  );
  const names = valuesSubselect([...new Set([name, ofPypi, last])]);
  return { isNamed: and(sql`${sbomPackages.name} in ${names}`, sql`(${isSpelled})`), isOne: false };
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

/** Throws INVALID_ARGUMENT for bounds without a package. */
async function rangeOf(request: ListPackagesRequest, type: string) {
  const { name, purl, from, below } = request;
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
  const packageFilter = await readPackageFilter(purl, sbomPackages);
  const range = await rangeOf(request, packageFilter?.type ?? "");
  const { isNamed, isOne } = nameFilter(name);
  const page = await list<Row>(call, named?.listed ?? request, listing, {
    total: "none",
    index: name === "" || isOne ? "order_index" : "filter_index",
    filters: [
      named && isOfImage(named),
      name === "" ? undefined : isNamed,
      packageFilter?.condition,
      range?.condition,
      taggedOnly ? isTagged : undefined,
    ],
  });
  const { nextPageToken, skipped } = page.envelope;
  const packages = page.rows.map((row) => toPackage(row, range));
  return { packages, nextPageToken, skipped };
}

export const packagesService = service(PackagesService, { listPackages });

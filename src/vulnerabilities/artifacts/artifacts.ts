/** The libraries of an import, as rows of the group. The domain libraries reads them. */
import { inArray, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  artifacts,
  artifactVersions,
  type VersionSpan,
} from "../../../schema/tables/vulnerabilities/artifacts.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { sha256 } from "../../aip/sha256.ts";
import type { Call } from "../../auth/call.ts";
import { rowStepOf } from "../../packages/library_versions.ts";
import { type GatheredLibrary, sortKeyOf } from "../osv/libraries.ts";

type Statement = BatchItem<"sqlite">;

/** A library with the uid of its row. */
export interface LocatedLibrary extends GatheredLibrary {
  uid: string;
  artifactUid: string;
}

const member = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

/** The rows of these libraries in a group. The same library has the same row in every import. */
export const locateLibraries = (
  parent: string,
  libraries: GatheredLibrary[],
): Promise<LocatedLibrary[]> =>
  Promise.all(
    libraries.map(async (library) => {
      // No part can contain a line feed that makes two libraries look the same: the platform chooses the
      // group and the number of the ecosystem.
      const id = await sha256(`${parent}\n${library.ecosystem}\n${library.name}`);
      return { ...library, uid: `${parent}/${id.slice(0, 16)}`, artifactUid: id.slice(0, 40) };
    }),
  );

/** An import rewrites the rows of its libraries, so their size has a limit. */
const maxVersionsOfLibrary = 40_000;

/** The statement that reads how many versions libraries have. */
export const selectVersionCounts = (call: Call, libraries: LocatedLibrary[]) =>
  call.db
    .select({ uid: artifacts.uid, versionCount: artifacts.versionCount })
    .from(artifacts)
    .where(inArray(artifacts.uid, valuesSubselect(libraries.map(({ uid }) => uid))));

/** Throws FAILED_PRECONDITION if a library could get too many versions. */
export function requireRoom(
  libraries: LocatedLibrary[],
  stored: { uid: string; versionCount: number }[],
): void {
  const counts = new Map(stored.map(({ uid, versionCount }) => [uid, versionCount]));
  const full = libraries.find(
    ({ uid, versions }) => (counts.get(uid) ?? 0) + versions.size > maxVersionsOfLibrary,
  );
  if (!full) return;
  throw failedPrecondition(
    "TOO_MANY_VERSIONS",
    `the library ${full.name} would have more than ${maxVersionsOfLibrary} versions`,
  );
}

/**
 * The statements that write the libraries and their versions into a group. They delete nothing: a version
 * remains even if a record no longer names it. The same libraries give the same rows, in any order and
 * however often they are written.
 */
export function upsertArtifacts(call: Call, libraries: LocatedLibrary[]): Statement[] {
  if (libraries.length === 0) return [];
  const rows = libraries.map((library) => JSON.stringify(rowOf(library)));
  return [
    ...toJsonParameters(rows).map((parameter) => insertArtifacts(call, parameter)),
    ...toJsonParameters(libraries.flatMap(versionRows)).map((parameter) =>
      insertVersions(call, parameter),
    ),
    updateCounts(
      call,
      libraries.map(({ uid }) => uid),
    ),
  ];
}

/** The columns of a library. Of versions with the same place in their order, the greater text is the latest. */
function rowOf({ versions, ...library }: LocatedLibrary) {
  let [latestKey, latestVersion] = ["", ""];
  for (const version of versions.keys()) {
    const key = sortKeyOf(library.ecosystem, version);
    if (key < latestKey || (key === latestKey && version < latestVersion)) continue;
    [latestKey, latestVersion] = [key, version];
  }
  return { ...library, latestKey, latestVersion };
}

/** JSON of the rows with the versions of a library. */
function versionRows({ uid, versions }: LocatedLibrary): string[] {
  const rows = new Map<string, Map<string, VersionSpan>>();
  for (const [version, { createTime, updateTime }] of versions) {
    const step = rowStepOf(version);
    const spans = rows.get(step) ?? new Map<string, VersionSpan>();
    rows.set(step, spans);
    const key = `${createTime} ${updateTime}`;
    const span = spans.get(key) ?? [createTime, updateTime, []];
    spans.set(key, span);
    span[2].push(version);
  }
  return [...rows].map(([step, spans]) =>
    JSON.stringify({ uid: `${uid}/${step}`, versions: [...spans.values()] }),
  );
}

function insertArtifacts(call: Call, parameter: string) {
  const values = {
    uid: member("uid"),
    createTime: member("createTime"),
    updateTime: member("updateTime"),
    artifactUid: member("artifactUid"),
    name: member("name"),
    ecosystem: member("ecosystem"),
    latestVersion: member("latestVersion"),
    latestKey: member("latestKey"),
    remediated: member("remediated"),
    cudaVersions: sql`"given"."value" -> 'cudaVersions'`,
  } satisfies InsertRow<typeof artifacts>;
  const { createTime, updateTime, remediated, cudaVersions, latestVersion, latestKey } = artifacts;
  const isLater = sql`(excluded.latest_key, excluded.latest_version) > (${latestKey}, ${latestVersion})`;
  return insertFrom(call.db, artifacts, values, fromParameter(parameter)).onConflictDoUpdate({
    target: artifacts.uid,
    set: {
      createTime: sql`min(${createTime}, excluded.create_time)`,
      updateTime: sql`max(${updateTime}, excluded.update_time)`,
      latestVersion: sql`iif(${isLater}, excluded.latest_version, ${latestVersion})`,
      latestKey: sql`iif(${isLater}, excluded.latest_key, ${latestKey})`,
      remediated: sql`max(${remediated}, excluded.remediated)`,
      cudaVersions: sql`(select json_group_array("value") from (
          select "value" from json_each(${cudaVersions})
          union select "value" from json_each(excluded.cuda_versions) order by 1))`,
    },
  });
}

/** SQL: the versions in a JSON text, each with its times. */
const versionsIn = (spans: SQL) =>
  sql`select "one"."value" as "version", "span"."value" ->> 0 as "created", "span"."value" ->> 1 as "updated"
    from json_each(${spans}) as "span" cross join json_each("span"."value", '$[2]') as "one"`;

/** SQL: the stored spans, from the versions of these selects: each version once, with its earliest and latest time. */
const spansOf = (versions: SQL) => sql`(
  select json_group_array(json_array("created", "updated", json("list")) order by "created", "updated") from (
    select "created", "updated", json_group_array("version" order by "version") as "list" from (
      select "version", min("created") as "created", max("updated") as "updated" from (${versions})
      group by "version")
    group by "created", "updated"))`;

function insertVersions(call: Call, parameter: string) {
  const given = sql`"given"."value" -> 'versions'`;
  const row = {
    uid: member("uid"),
    versions: spansOf(versionsIn(given)),
  } satisfies InsertRow<typeof artifactVersions>;
  const merged = spansOf(
    sql`${versionsIn(sql`${artifactVersions.versions}`)} union all ${versionsIn(sql`excluded.versions`)}`,
  );
  return insertFrom(call.db, artifactVersions, row, fromParameter(parameter)).onConflictDoUpdate({
    target: artifactVersions.uid,
    set: { versions: merged },
    setWhere: sql`${artifactVersions.versions} <> ${merged}`,
  });
}

/** Stores the number of versions of each library. */
const updateCounts = (call: Call, uids: string[]) =>
  call.db
    .update(artifacts)
    .set({
      versionCount: sql`(select coalesce(sum(json_array_length("span"."value", '$[2]')), 0)
        from ${artifactVersions} cross join json_each(${artifactVersions.versions}) as "span"
        where ${artifactVersions.parent} = ${artifacts.uid})`,
    })
    .where(inArray(artifacts.uid, valuesSubselect(uids)));

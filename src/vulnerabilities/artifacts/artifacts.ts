/** The libraries of an import, as rows of the group. The domain libraries reads them. */
import { inArray, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { counts } from "../../../schema/tables/counts.ts";
import { artifacts, artifactVersions } from "../../../schema/tables/vulnerabilities/artifacts.ts";
import { valuesSubselect } from "../../aip/any_of.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { sha256 } from "../../aip/sha256.ts";
import type { Call } from "../../auth/call.ts";
import { type GatheredLibrary, sortKeyOf } from "../osv/libraries.ts";

type Statement = BatchItem<"sqlite">;

/** The most versions in one JSON object. A library with more is split. */
const maxVersionsPerObject = 1000;

const member = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const item = (index: number) => sql`"version"."value" ->> ${sql.raw(String(index))}`;

/**
 * The statements that write the libraries and their versions into a group. They delete nothing: a version
 * remains even if a record no longer names it. The same libraries give the same rows, in any order and
 * however often they are written.
 */
export async function upsertArtifacts(
  call: Call,
  parent: string,
  libraries: GatheredLibrary[],
): Promise<Statement[]> {
  const libraryRows = await Promise.all(
    libraries.map(async ({ versions, ...library }) => {
      // No part can contain a line feed that makes two libraries look the same: the platform chooses the
      // group and the number of the ecosystem.
      const id = await sha256(`${parent}\n${library.ecosystem}\n${library.name}`);
      const uid = `${parent}/${id.slice(0, 16)}`;
      return { ...library, uid, artifactUid: id.slice(0, 40), versions };
    }),
  );
  if (libraryRows.length === 0) return [];
  const rows = libraryRows.map(({ versions: _, ...row }) => JSON.stringify(row));
  return [
    ...toJsonParameters(rows).map((parameter) => insertArtifacts(call, parameter)),
    ...toJsonParameters(libraryRows.flatMap(versionsOf)).map((parameter) =>
      insertVersions(call, parameter),
    ),
    updateSummaries(
      call,
      libraryRows.map(({ uid }) => uid),
    ),
  ];
}

/** JSON of `{ uid, versions: [[version, sort key, create time, update time], …] }`, in parts. */
function versionsOf({ uid, ecosystem, versions }: GatheredLibrary & { uid: string }): string[] {
  const rows = [...versions].map(([version, { createTime, updateTime }]) => [
    version,
    sortKeyOf(ecosystem, version),
    createTime,
    updateTime,
  ]);
  return Array.from({ length: Math.ceil(rows.length / maxVersionsPerObject) }, (_, i) =>
    JSON.stringify({
      uid,
      versions: rows.slice(i * maxVersionsPerObject, (i + 1) * maxVersionsPerObject),
    }),
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
    remediated: member("remediated"),
    cudaVersions: sql`"given"."value" -> 'cudaVersions'`,
  } satisfies InsertRow<typeof artifacts>;
  const { createTime, updateTime, remediated, cudaVersions } = artifacts;
  return insertFrom(call.db, artifacts, values, fromParameter(parameter)).onConflictDoUpdate({
    target: artifacts.uid,
    set: {
      createTime: sql`min(${createTime}, excluded.create_time)`,
      updateTime: sql`max(${updateTime}, excluded.update_time)`,
      remediated: sql`max(${remediated}, excluded.remediated)`,
      cudaVersions: sql`(select json_group_array("value") from (
          select "value" from json_each(${cudaVersions})
          union select "value" from json_each(excluded.cuda_versions) order by 1))`,
    },
  });
}

function insertVersions(call: Call, parameter: string) {
  const { createTime, updateTime } = artifactVersions;
  const row = {
    // A random step, because no one requests a version by its uid, and hashing thousands takes time.
    uid: sql`${member("uid")} || '/' || lower(hex(randomblob(8)))`,
    createTime: item(2),
    updateTime: item(3),
    version: item(0),
    sortKey: item(1),
  } satisfies InsertRow<typeof artifactVersions>;
  const source = sql`from json_each(${parameter}) as "given"
    cross join json_each("given"."value", '$.versions') as "version" where true`;
  return insertFrom(call.db, artifactVersions, row, source).onConflictDoUpdate({
    target: [artifactVersions.parent, artifactVersions.version],
    set: {
      createTime: sql`min(${createTime}, excluded.create_time)`,
      updateTime: sql`max(${updateTime}, excluded.update_time)`,
    },
    setWhere: sql`excluded.create_time < ${createTime} or excluded.update_time > ${updateTime}`,
  });
}

const latest = sql`select ${artifactVersions.version} from ${artifactVersions}
  where ${artifactVersions.parent} = ${artifacts.uid}
  order by ${artifactVersions.sortKey} desc, ${artifactVersions.uid} desc limit 1`;
const count = sql`select ${counts.children} from ${counts} where ${counts.ancestor} = ${artifacts.uid}
  and ${counts.kind} = 'artifact_versions' and ${counts.class} = 0`;

/** The columns of a library about its versions, from the current rows. */
export const summaryColumns = {
  latestVersion: sql<string>`coalesce((${latest}), '')`,
  versionCount: sql<number>`coalesce((${count}), 0)`,
};

/** Stores the latest version and the number of versions of each library. */
const updateSummaries = (call: Call, uids: string[]) =>
  call.db
    .update(artifacts)
    .set(summaryColumns)
    .where(inArray(artifacts.uid, valuesSubselect(uids)));

/** The rows that a plan deletes, as JSON in its items, and the statements that write them again. */
import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { incompleteIndexes } from "../../../schema/tables/distribution/incomplete_indexes.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { expiryItems } from "../../../schema/tables/registry/expiry_plans.ts";
import { imageSignatures } from "../../../schema/tables/registry/image_signatures.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import {
  pushedSignatures,
  verifiedSignatures,
} from "../../../schema/tables/registry/verified_signatures.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import type { Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
import { isItem } from "./stored_plans.ts";

/** The stored columns of a table, by property. */
const storedColumns = (table: SQLiteTable) =>
  Object.entries(getTableColumns(table)).filter(([, { generated }]) => generated === undefined);

/** SQL: a row of a table as a JSON object by property. Bytes are hexadecimal. */
function rowJson(table: SQLiteTable): SQL {
  const pairs = storedColumns(table).map(([property, column]) => {
    const stored = sql`${table}.${sql.identifier(column.name)}`;
    const isBytes = column.getSQLType() === "blob";
    return sql`${sql.raw(`'${property}'`)}, ${isBytes ? sql`hex(${stored})` : stored}`;
  });
  return sql`json_object(${sql.join(pairs, sql`, `)})`;
}

/** The columns of a row in a JSON object, for {@link insertFrom}. */
function rowFrom<Table extends SQLiteTable>(table: Table, json: SQL): InsertRow<Table> {
  const columns = storedColumns(table).map(([property, column]) => {
    const value = sql`${json} ->> ${sql.raw(`'${property}'`)}`;
    return [property, column.getSQLType() === "blob" ? sql`unhex(${value})` : value];
  });
  // A cast, because these are all columns of the table.
  return Object.fromEntries(columns) as InsertRow<Table>;
}

/** SQL: the id of a repository in `repo_storage`. */
export const storageOf = (repo: string): SQL =>
  sql`(select ${repoStorage.id} from ${repoStorage} where ${repoStorage.uid} = ${repo})`;

/** SQL: the id of the bytes of a manifest. */
export const blobOf = (digest: SQL): SQL =>
  sql`(select "bytes"."id" from ${blobs} as "bytes" where "bytes"."digest" = ${digestBytes(digest)})`;

/** SQL: how much of what a manifest names its repository does not have, such as layers that are only elsewhere. */
export const gapsOf = (repo: string, digest: SQL): SQL =>
  sql`(select count(*) from ${manifestReferences} as "named"
    where "named"."manifest_id" = ${blobOf(digest)} and not exists (select 1 from ${blobLinks} as "held_link"
      where "held_link"."repo_id" = ${storageOf(repo)} and "held_link"."blob_id" = "named"."blob_id"))`;

const itemDigest = sql`${expiryItems}."digest"`;

/** SQL: the tag of an item. */
export const tagSnapshot = (repo: string): SQL =>
  sql`(select json_set(${rowJson(tags)}, '$.hadManifest', exists (select 1 from ${manifests}
    where ${manifests.parent} = ${repo} and ${manifests.digest} = ${tags.digest})) from ${tags} where ${isInRepo(repo)} and ${tags.name} = ${expiryItems}."tag")`;

/** The tables about signatures, by the names of their lists in a snapshot. */
const signatureTables = {
  signatures: imageSignatures,
  pushed: pushedSignatures,
  verified: verifiedSignatures,
};

/** SQL: the manifest of an item, with what the triggers of its deletion delete. */
export function manifestSnapshot(repo: string): SQL {
  const ofBytes = (table: typeof referrers | typeof incompleteIndexes) =>
    sql`(select json_group_array(${rowJson(table)}) from ${table}
      where ${table.repo} = ${storageOf(repo)} and ${table.manifest} = ${blobOf(itemDigest)})`;
  const own = sql`(select ${manifests.uid} from ${manifests}
    where ${manifests.parent} = ${repo} and ${manifests.digest} = ${itemDigest})`;
  const signaturesOf = (table: (typeof signatureTables)[keyof typeof signatureTables]) =>
    sql`(select json_group_array(${rowJson(table)}) from ${table}
      where ${table.uid} = ${own} or (${table.parent} = ${repo} and ${table.digest} = ${itemDigest}))`;
  const signatures = Object.entries(signatureTables).map(
    ([list, table]) => sql`${sql.raw(`'${list}'`)}, json(${signaturesOf(table)})`,
  );
  return sql`(select json_object('manifest', json(${rowJson(manifests)}), 'referrers', json(${ofBytes(referrers)}),
    'incomplete', json(${ofBytes(incompleteIndexes)}), ${sql.join(signatures, sql`, `)},
    'gaps', ${gapsOf(repo, itemDigest)})
    from ${manifests} where ${manifests.parent} = ${repo} and ${manifests.digest} = ${itemDigest})`;
}

/**
 * The statements that write the manifests of items again, with what belonged to them. Rows that are there already stay. The
 * numbers of a database are looked up, because the organization can have moved to another one.
 */
export function restoreManifests(
  db: Database,
  repo: string,
  planUid: string,
  numbers: readonly number[],
): Statement[] {
  const storage = storageOf(repo);
  const isOne = isItem(planUid, numbers);
  const each = (list: string) =>
    sql`from ${expiryItems} cross join json_each(${expiryItems.snapshot} -> ${sql.raw(`'$.${list}'`)}) as "row"
      where ${isOne}`;
  const row = sql`"row"."value"`;
  return [
    insertFrom(
      db,
      manifests,
      rowFrom(manifests, sql`(${expiryItems.snapshot} -> '$.manifest')`),
      sql`from ${expiryItems} where ${isOne}`,
    ).onConflictDoNothing(),
    insertFrom(
      db,
      blobLinks,
      { repo: storage, kind: ContentKind.manifest, blob: sql`${blobs.id}`, idleTime: null },
      sql`from ${expiryItems} cross join ${blobs}
        where ${isOne} and ${blobs.digest} = ${digestBytes(itemDigest)} and ${blobs.size} is not null`,
    ).onConflictDoNothing(),
    insertFrom(
      db,
      referrers,
      { ...rowFrom(referrers, row), repo: storage, manifest: blobOf(itemDigest) },
      each("referrers"),
    ).onConflictDoNothing(),
    insertFrom(
      db,
      incompleteIndexes,
      { ...rowFrom(incompleteIndexes, row), repo: storage, manifest: blobOf(itemDigest) },
      each("incomplete"),
    ).onConflictDoNothing(),
    ...Object.entries(signatureTables).map(([list, table]) =>
      insertFrom(
        db,
        table as typeof imageSignatures,
        rowFrom(table as typeof imageSignatures, row),
        sql`${each(list)} and exists (select 1 from ${manifests} where ${manifests.uid} = ${row} ->> 'uid')`,
      ).onConflictDoNothing(),
    ),
  ];
}

/** The columns of the tag of an item, for {@link insertFrom}. */
export const tagOfSnapshot = (): InsertRow<typeof tags> =>
  rowFrom(tags, sql`${expiryItems.snapshot}`);

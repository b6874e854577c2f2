/** The columns of ListTagMoves, and how a page reads what its records share. */
import { type SQL, sql } from "drizzle-orm";
import {
  digestText,
  kindOf,
  MoveKind,
  tagNames,
  tagOrigins,
  tagRecords,
  warningsOf,
} from "../../../schema/tables/registry/tag_records.ts";
import { previousDigest } from "../../../schema/views/tag_moves.ts";
import type { Database } from "../../auth/call.ts";
import type { SharedColumns } from "../../paging/listing.ts";

/** The columns of a row that the record `m` has. */
export const ofRecord = {
  /** The id of the tag in a fixed length. Records of the same time are in its order. */
  uid: sql<string>`printf('%015d', m.tag_id)`.as("id"),
  nameId: sql<number>`m.tag_id`.as("name_id"),
  updateTime: sql<number>`m.update_time`.as("update_time"),
  originId: sql<number>`m.origin_id`.as("origin_id"),
  kind: sql<number>`${sql.raw(kindOf("m.flags"))}`.as("kind"),
  digest: sql<string>`${sql.raw(digestText("m.digest"))}`.as("digest"),
  /** Null if {@link withPreviousDigests} finds it. */
  previousDigest: sql<string | null>`${sql.raw(previousDigest("m"))}`.as("previous_digest"),
  warnings: sql<number>`${sql.raw(warningsOf("m.flags"))}`.as("warnings"),
  isEnd: sql<number>`0`.as("is_end"),
};

/** In place of the previous digest. */
export const unknownDigest = sql<string | null>`null`.as("previous_digest");

/** Those that its name `n` and its origin `o` have. */
export const ofOthers = {
  tag: sql<string>`n.tag`.as("tag"),
  repoUid: sql<string>`o.repo_uid`.as("repo_uid"),
  repo: sql<string>`o.repo`.as("repo"),
  identityUid: sql<string>`o.identity`.as("identity"),
  identityName: sql<string>`o.identity_name`.as("identity_name"),
  method: sql<number>`o.method`.as("method"),
};

type Selected = typeof ofRecord & typeof ofOthers;

/** A record with the names that it shows. */
export type MoveRow = { [Name in keyof Selected]: Selected[Name]["_"]["type"] } & {
  /** The digest of the tag before all records of its page. */
  digestBefore?: string | null;
};

/** SQL: a value in the row of a packed page that is the oldest. `at` is its place in {@link ofRecord}. */
const ofOldest = (descending: boolean, at: number): SQL =>
  sql.raw(`("packed"."packed_rows" ->> '$[${descending ? "#-1" : "0"}][${at}]')`);

/** SQL: the digest of the tag in `tag_names` before the records of a packed page. */
function digestBefore(descending: boolean): SQL {
  const [tag, time] = [ofOldest(descending, 1), ofOldest(descending, 2)];
  // Records of the same time are in the order of their tags.
  return sql`(select ${sql.raw(digestText("m.digest"))} from ${tagRecords} as m
    where m.tag_id = ${tagNames.id} and m.update_time < ${time} + (${tagNames.id} < ${tag})
    order by m.update_time desc limit 1)`;
}

/** The columns that records share: each name and each origin of a page is read once. */
export const sharedColumns = (descending: boolean): SharedColumns[] => [
  {
    ...{ by: "nameId", table: tagNames, key: tagNames.id },
    columns: { tag: tagNames.tag, digestBefore: digestBefore(descending) },
  },
  {
    ...{ by: "originId", table: tagOrigins, key: tagOrigins.id },
    columns: {
      ...{ repoUid: tagOrigins.repoUid, repo: tagOrigins.repo, method: tagOrigins.method },
      ...{ identityUid: tagOrigins.identity, identityName: tagOrigins.identityName },
    },
  },
];

/**
 * Completes the rows of a packed page, which are all records of their time in a scope. The digest before a record is that
 * of the previous record of its tag on the page. The first record of a tag has the last digest before the page.
 */
function withPreviousDigests<Row extends MoveRow>(rows: Row[]): Row[] {
  const digests = new Map<number, string>();
  const completed = rows.map((row) => ({ ...row }));
  const inOrder: MoveRow[] = completed.toSorted((a, b) => a.updateTime - b.updateTime);
  for (const row of inOrder) {
    const before = digests.get(row.nameId) ?? row.digestBefore ?? "";
    row.previousDigest ??= row.kind === MoveKind.created ? "" : before;
    digests.set(row.nameId, row.digest);
  }
  return completed;
}

/** How the rows of a page are packed. */
export const sharedOfMoves = {
  select: (db: Database) => db.select(ofRecord).from(sql`${tagRecords} as m`).$dynamic(),
  columns: sharedColumns(true),
  complete: withPreviousDigests,
};

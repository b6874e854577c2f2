import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Tag, TagSchema } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUid, type RowOf } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call, Database } from "../../auth/call.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";
import { defineListing } from "../../paging/listing.ts";
import { resource } from "../../resource/resource.ts";

/** The columns that are read of a tag. */
export const tagColumns = {
  uid: tags.uid,
  parent: tags.parent,
  name: tags.name,
  digest: tags.digest,
  deprecated: tags.deprecated,
  bundles: tags.bundles,
  createTime: tags.createTime,
  updateTime: tags.updateTime,
};

export type TagRow = Pick<RowOf<typeof tags>, keyof typeof tagColumns>;

export const tagListing = defineListing({
  table: tags,
  select: (db, from) => db.select(tagColumns).from(from),
  classColumn: tags.class,
  leafOf: repos,
  mayBeLeft: true,
  hasCapitals: true,
});

/** Converts a stored row to a message. */
export function toTag(row: Omit<TagRow, "parent">): Tag {
  return wholeMessage(TagSchema, {
    uid: row.uid,
    name: row.name,
    digest: row.digest,
    deprecated: row.deprecated,
    bundles: row.bundles,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });
}

export const tag = resource({
  type: "registry/Tag",
  schema: TagSchema,
  table: tags,
  // The limit ends the lookup at the first class with such a tag.
  select: (db: Database, uid: string) =>
    db
      .select(tagColumns)
      .from(tags)
      .where(and(hasUid(tags, uid), isPresent(tags.parent)))
      .limit(1),
  toMessage: toTag,
  toColumns: ({ name, digest, deprecated, bundles, updateTime }: Tag) => ({
    name,
    digest,
    deprecated,
    bundles,
    deprecatedTime: deprecated && updateTime ? timestampMs(updateTime) : 0,
    ...tagLineOf(name),
  }),
  groupOf: rootOf,
  imageOf: (uid, message) => ({
    repo: parentOf(uid),
    ...(message && { tag: message.name, digest: message.digest }),
  }),
  unique: ({ name }) => name,
});

/** The condition that a tag has a name. The index of the names ignores their case. */
export const isNamed = (name: string): SQL =>
  sql`${tags.name} = ${name} collate nocase and ${tags.name} = ${name}`;

/** The statement that reads the tag with a name. */
export const selectNamedTag = ({ db }: Pick<Call, "db">, repo: string | SQL, name: string) =>
  db
    .select(tagColumns)
    .from(tags)
    .where(and(isInRepo(repo), eq(tags.name, name)));

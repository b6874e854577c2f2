import { integer, primaryKey, sqliteTable } from "drizzle-orm/sqlite-core";
import { digestColumn } from "../distribution/digest_column.ts";
import { trigger } from "../triggers.ts";
import { tagRecords, tagRepos } from "./tag_records.ts";

/** The tags of public images that anyone may see (specification: Authentication, rule 3). */
export const PUBLIC_TAGS = ["latest", "latest-dev"];

/**
 * The digests that a public tag of a repository points to or has pointed to, in every organization. So it takes one look
 * to see whether anyone may pull an image, however long the history is. The migration creates the table WITHOUT ROWID.
 */
export const publicDigests = sqliteTable(
  "public_digests",
  {
    /** The id in `tag_repos`. */
    repo: integer("repo_id").notNull(),
    digest: digestColumn("digest").notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.digest] })],
);

const names = PUBLIC_TAGS.map((tag) => `'${tag}'`).join(", ");

/** Another digest than a SHA-256 is stored as text. One that is not hexadecimal is left out. */
const digest = "iif(typeof(NEW.digest) = 'blob', NEW.digest, unhex(substr(NEW.digest, 8)))";

export const triggers = () => [
  trigger(
    tagRecords,
    "publish",
    { on: "AFTER INSERT", when: "NEW.digest <> ''" },
    `INSERT OR IGNORE INTO public_digests (repo_id, digest) SELECT NEW.repo_id, ${digest}
      FROM tag_names WHERE id = NEW.tag_id AND tag IN (${names});`,
  ),
  trigger(
    tagRepos,
    "delete_public_digests",
    { on: "AFTER DELETE" },
    "DELETE FROM public_digests WHERE repo_id = OLD.id;",
  ),
];

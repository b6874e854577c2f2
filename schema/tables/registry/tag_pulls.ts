import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../columns.ts";

/** How long after its last pull a row is kept, in milliseconds: longer than any rule about pulls looks back. */
export const PULL_LIFETIME = 400 * DAY_MS;

/**
 * The identities that pull an image: a row for each tag or digest and each identity. A pull writes it at most once a day,
 * and the schedule of the registry deletes it 400 days after the last one. The rows of deleted repositories and tags
 * therefore need no trigger. The migration creates the table WITHOUT ROWID.
 */
export const tagPulls = sqliteTable(
  "tag_pulls",
  {
    /** The id in `repo_storage`. */
    repo: integer("repo_id").notNull(),
    /** The name of a tag, or a digest. */
    reference: text("reference").notNull(),
    /** The uid of the identity. Empty for everyone without a role: they can pull public images. */
    identity: text("identity").notNull(),
    /** The name that the identity had at its last pull. */
    identityName: text("identity_name").notNull(),
    /** The time of the first pull on the last day with a pull, in milliseconds since 1970. Days are in UTC. */
    time: integer("time").notNull(),
    /** The number of days with a pull. */
    days: integer("days").notNull(),
    /** The number of pulls of callers without an identity, who write no events. 0 for an identity. */
    anonymousPulls: integer("anonymous_pulls").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.reference, t.identity] }),
    index("tag_pulls_latest").on(t.repo, t.reference, t.time),
    index("tag_pulls_by_time").on(t.time),
  ],
);

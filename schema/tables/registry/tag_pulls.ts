import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../columns.ts";

/** How long after its last pull a row is kept, in milliseconds: longer than any rule about pulls looks back. */
export const PULL_LIFETIME = 400 * DAY_MS;

/**
 * The identities that pull an image: a row for each tag or digest and each identity. Pulls are counted, and their sums
 * are written here later (src/distribution/pulls). The schedule of the registry deletes a row 400 days after the last
 * pull. The rows of deleted repositories and tags therefore need no trigger. The migration creates the table WITHOUT
 * ROWID.
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
    /** The time of the last pull, in milliseconds since 1970. */
    time: integer("time").notNull(),
    /** The number of days with a pull. Days are in UTC. */
    days: integer("days").notNull(),
    /** The number of pulls. A message of the queue that arrives twice counts twice. */
    pulls: integer("pulls").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.reference, t.identity] }),
    index("tag_pulls_latest").on(t.repo, t.reference, t.time),
    index("tag_pulls_by_time").on(t.time),
  ],
);

/** The hours of which the pulls of a repository are kept. */
export const PULL_HOURS = 24 * 7;

/** The pulls of each repository in each hour of the last week. The migration creates the table WITHOUT ROWID. */
export const pullHours = sqliteTable(
  "pull_hours",
  {
    /** The id in `repo_storage`. */
    repo: integer("repo_id").notNull(),
    /** The number of the hour since 1970 in UTC. */
    hour: integer("hour").notNull(),
    pulls: integer("pulls").notNull(),
  },
  (t) => [primaryKey({ columns: [t.repo, t.hour] }), index("pull_hours_by_hour").on(t.hour)],
);

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow, trigger } from "../triggers.ts";
import { repos } from "./repos.ts";

/** The states of the upstreams of mirrors: a row for each repository with an address that was asked. */
export const upstreamStates = sqliteTable(
  "upstream_states",
  {
    repo: text("repo_uid").primaryKey(),
    /** The organization, the host and the user name. The limits of an upstream are about all mirrors with the same. */
    account: text("account").notNull(),
    /** When the upstream last answered, in milliseconds since 1970 in UTC, as all times here. 0 before that. */
    checkTime: integer("check_time").notNull().default(0),
    /** The failure of the last request. Empty if it succeeded. */
    error: text("error").notNull().default(""),
    /** A FailureReason of src/distribution/mirror/failures.ts. Empty if it succeeded. */
    reason: text("reason").notNull().default(""),
    errorTime: integer("error_time"),
    /** Until when the upstream is not asked. 0 if it is asked. */
    retryTime: integer("retry_time").notNull().default(0),
    /** When the last outage began that has an event. Null before the first one. */
    outageTime: integer("outage_time"),
    pullLimit: integer("pull_limit"),
    pullsRemaining: integer("pulls_remaining"),
  },
  (t) => [index("upstream_states_by_account").on(t.account)],
);

/** When the tags of mirrors were compared with their upstream. The migration creates the table WITHOUT ROWID. */
export const mirroredTags = sqliteTable(
  "mirrored_tags",
  {
    repo: text("repo_uid").notNull(),
    tag: text("tag").notNull(),
    checkTime: integer("check_time").notNull(),
    /** Why the tag is not where the upstream has it. Empty if it is. */
    problem: text("problem").notNull().default(""),
  },
  (t) => [primaryKey({ columns: [t.repo, t.tag] })],
);

/**
 * The fetches from upstreams that are in progress. A request has the right to fetch until its time has passed, so one that
 * was cut off holds up no other. The migration creates the table WITHOUT ROWID.
 */
export const mirrorFetches = sqliteTable(
  "mirror_fetches",
  {
    /** The repository with the address of the upstream. */
    repo: text("repo_uid").notNull(),
    /** The path of the image, and a tag or a digest. */
    reference: text("reference").notNull(),
    /** A random text that only the request knows. */
    holder: text("holder").notNull(),
    expireTime: integer("expire_time").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.repo, t.reference] }),
    index("mirror_fetches_by_time").on(t.expireTime),
  ],
);

/** When synced repositories were last compared with their sources. */
export const repoSyncs = sqliteTable("repo_syncs", {
  repo: text("repo_uid").primaryKey(),
  /** In milliseconds since 1970 in UTC. */
  time: integer("time").notNull(),
  /** Whether tags are left to copy, so that the next run continues. */
  isPartial: integer("is_partial", { mode: "boolean" }).notNull().default(false),
  /** Why something was not copied. Empty if all was. */
  problem: text("problem").notNull().default(""),
});

const all = [upstreamStates, mirroredTags, mirrorFetches, repoSyncs];

export const triggers = () => [
  ...all.flatMap((table) => requireRow(table.repo, repos, "repository")),
  trigger(
    repos,
    "delete_mirror",
    { on: "AFTER DELETE" },
    "DELETE FROM upstream_states WHERE repo_uid = OLD.uid;",
    "DELETE FROM mirrored_tags WHERE repo_uid = OLD.uid;",
    "DELETE FROM mirror_fetches WHERE repo_uid = OLD.uid;",
    "DELETE FROM repo_syncs WHERE repo_uid = OLD.uid;",
  ),
];

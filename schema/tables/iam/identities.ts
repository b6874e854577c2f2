import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns, useColumns } from "../columns.ts";
import { countRows, requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/** The matchers of an identity, as the oneof of the message: the name of the member and its JSON. */
export interface Relationship {
  case: "claimMatch" | "staticKeys" | "awsIdentity" | "servicePrincipal";
  value: unknown;
}

/** A time after all others. It puts unused identities last in an index. */
export const NEVER_USED = Number.MAX_SAFE_INTEGER;

/** Identities. `issuer` and `subject` are set if both are exact, so that tokens can be looked up by them. */
export const identities = sqliteTable(
  "identities",
  {
    ...resourceColumns(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    email: text("email").notNull().default(""),
    emailUnverified: text("email_unverified").notNull().default(""),
    company: text("company").notNull().default(""),
    lastSeenTime: integer("last_seen_time").notNull(),
    /** Number of RelationshipType. */
    relationshipType: integer("relationship_type").notNull().default(0),
    relationship: text("relationship", { mode: "json" }).$type<Relationship>(),
    issuer: text("issuer"),
    subject: text("subject"),
    /** The time of the last change of the matchers. 0 until they first change. Tokens contain it. */
    relationshipTime: integer("relationship_time").notNull().default(0),
    /** The time when its own tokens were first used. {@link NEVER_USED} before that. */
    firstUsedTime: integer("first_used_time").notNull().default(NEVER_USED),
    /** The use of the identity: its tokens, exchanges and logins that the platform accepted. */
    ...useColumns('"create_time"'),
    /** The time when the static keys expire. Null without static keys. */
    keyExpireTime: integer("key_expire_time"),
    /** The time of the next event about the expiry. Null if none follows (src/iam/expiry). */
    keyNoticeTime: integer("key_notice_time"),
  },
  (t) => [
    ...listIndexes("identities", t, {
      depths: 1 + GROUP_LEVELS,
      orders: { name: t.name, idle: t.idleSinceTime },
      sparse: { expiry: t.keyExpireTime },
    }),
    index("identities_by_notice").on(t.keyNoticeTime).where(sql`"key_notice_time" is not null`),
    index("identities_by_subject").on(t.issuer, t.subject, t.parent),
    index("identities_by_first_use").on(t.issuer, t.subject, t.firstUsedTime),
    index("identities_by_claims").on(
      sql`("relationship" ->> '$.value.subject')`,
      sql`("relationship" ->> '$.value.issuer')`,
    ),
  ],
);

export const triggers = () => [
  countRows(identities, { roots: true }),
  requireParent(identities, groups, { roots: true }),
];

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { GROUP_LEVELS, listIndexes, resourceColumns } from "./columns.ts";

/** The matchers of an identity, as the message's oneof: the member's name and its JSON. */
export interface Relationship {
  case: "claimMatch" | "staticKeys" | "awsIdentity" | "servicePrincipal";
  value: unknown;
}

/** Identities. `issuer` and `subject` are filled where both are exact, for the token lookup. */
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
  },
  (t) => [
    ...listIndexes("identities", t, { depths: 1 + GROUP_LEVELS, orders: { name: t.name } }),
    index("identities_by_subject").on(t.issuer, t.subject),
  ],
);

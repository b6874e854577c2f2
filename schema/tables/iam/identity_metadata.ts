import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { identities } from "./identities.ts";

/** Data that people have entered about themselves. The uid is that of their identity. */
export const identityMetadata = sqliteTable("identity_metadata", {
  uid: text("uid").primaryKey(),
  /** JSON of the message IdentityMetadata without its uid. */
  metadata: text("metadata", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  /** Milliseconds since 1970 in UTC. It is also the version of the row. */
  updateTime: integer("update_time").notNull(),
});

export const triggers = () => [...requireRow(identityMetadata.uid, identities, "identity")];

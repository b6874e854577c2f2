import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { identities } from "./identities.ts";

/** What people told about themselves. The uid is their identity's. */
export const identityMetadata = sqliteTable("identity_metadata", {
  uid: text("uid").primaryKey(),
  /** JSON of the message IdentityMetadata without uid. */
  metadata: text("metadata", { mode: "json" }).$type<Record<string, unknown>>().notNull(),
  /** Milliseconds since 1970 UTC; also the row's version. */
  updateTime: integer("update_time").notNull(),
});

export const triggers = () => [...requireRow(identityMetadata.uid, identities, "identity")];

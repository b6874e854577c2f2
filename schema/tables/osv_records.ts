import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The OSV records that advisories were imported from, to be answered again as they came. */
export const osvRecords = sqliteTable("osv_records", {
  /** The advisory's uid. */
  uid: text("uid").primaryKey(),
  /** The record's JSON, its keys sorted (RFC 8785). */
  record: text("record").notNull(),
});

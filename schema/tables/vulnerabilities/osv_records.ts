import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow, sumBytes } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/** The OSV records of imported advisories, which are returned unchanged. */
export const osvRecords = sqliteTable("osv_records", {
  /** The uid of the advisory. */
  uid: text("uid").primaryKey(),
  /** The JSON of the record with sorted keys (RFC 8785). */
  record: text("record").notNull(),
});

export const triggers = () => [
  ...requireRow(osvRecords.uid, advisories, "advisory"),
  ...sumBytes(osvRecords, osvRecords.record),
];

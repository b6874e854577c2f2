import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/** The OSV records that advisories were imported from, to be answered again as they came. */
export const osvRecords = sqliteTable("osv_records", {
  /** The advisory's uid. */
  uid: text("uid").primaryKey(),
  /** The record's JSON, its keys sorted (RFC 8785). */
  record: text("record").notNull(),
});

export const triggers = () => [...requireRow(osvRecords.uid, advisories, "advisory")];

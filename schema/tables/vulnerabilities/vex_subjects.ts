import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/**
 * The identification of a product or a part of it in a document. The members are those of an OpenVEX
 * component.
 */
export interface StoredComponent {
  "@id"?: string;
  identifiers?: { purl?: string; "@cpe22"?: string; "@cpe23"?: string };
  hashes?: Record<string, string>;
}

/** The identification of a vulnerability in a document. The members are those of OpenVEX. */
export interface StoredVulnerability {
  "@id"?: string;
  name: string;
  aliases?: string[];
}

/** The subjects of advisories from VEX statements, as the newest statement describes them. */
export const vexSubjects = sqliteTable("vex_subjects", {
  /** The uid of the advisory. */
  uid: text("uid").primaryKey(),
  /** SHA-256 of the vulnerability, the product and the part, in hexadecimal. Each has one advisory. */
  identity: text("identity").notNull(),
  vulnerability: text("vulnerability", { mode: "json" }).$type<StoredVulnerability>().notNull(),
  product: text("product", { mode: "json" }).$type<StoredComponent>().notNull(),
  /** The version of the product if its identification does not contain it, otherwise empty. */
  productVersion: text("product_version").notNull().default(""),
  /** The part of the product that has the vulnerability. Null for the product itself. */
  subcomponent: text("subcomponent", { mode: "json" }).$type<StoredComponent>(),
  /** SHA-256 of the data that the newest statement publishes about the vulnerability, in hexadecimal. */
  published: text("published").notNull().default(""),
});

export const triggers = () => [...requireRow(vexSubjects.uid, advisories, "advisory")];

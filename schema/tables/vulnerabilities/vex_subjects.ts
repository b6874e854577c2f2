import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/**
 * The identification of a product or a part of it in a document. The members are those of an OpenVEX
 * component, and two that only CSAF has.
 */
export interface StoredComponent {
  "@id"?: string;
  identifiers?: { purl?: string; "@cpe22"?: string; "@cpe23"?: string };
  hashes?: Record<string, string>;
  /** The version, if the package URL does not contain it. */
  version?: string;
  /** A range of versions, in `vers` notation or in words. */
  range?: string;
}

/** The data of a CSAF document about a product that OpenVEX has no member for. */
export interface StoredCsaf {
  /** The namespace of its publisher, and its `tracking`. */
  document: { namespace: string; id: string; version: string; status: string };
  /** The member of `product_status` that names the product. */
  list: string;
  remediations: { category: string; details: string; url?: string }[];
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
  /** The part of the product that has the vulnerability. Null for the product itself. */
  subcomponent: text("subcomponent", { mode: "json" }).$type<StoredComponent>(),
  /** Null if the newest statement is not from CSAF. */
  csaf: text("csaf", { mode: "json" }).$type<StoredCsaf>(),
  /** SHA-256 of the data that the newest statement publishes about the vulnerability, in hexadecimal. */
  published: text("published").notNull().default(""),
});

export const triggers = () => [...requireRow(vexSubjects.uid, advisories, "advisory")];

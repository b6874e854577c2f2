import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { requireRow } from "../triggers.ts";
import { advisories } from "./advisories.ts";

/** How a document identifies a product or a part of one: members as in an OpenVEX component. */
export interface StoredComponent {
  "@id"?: string;
  identifiers?: { purl?: string; "@cpe22"?: string; "@cpe23"?: string };
  hashes?: Record<string, string>;
}

/** What a document calls a vulnerability: members as in OpenVEX. */
export interface StoredVulnerability {
  "@id"?: string;
  name: string;
  aliases?: string[];
}

/** What advisories that come from VEX statements are about, as the newest statement tells it. */
export const vexSubjects = sqliteTable("vex_subjects", {
  /** The advisory's uid. */
  uid: text("uid").primaryKey(),
  /** SHA-256 in hex of the vulnerability, the product and the part: one advisory for each. */
  identity: text("identity").notNull(),
  vulnerability: text("vulnerability", { mode: "json" }).$type<StoredVulnerability>().notNull(),
  product: text("product", { mode: "json" }).$type<StoredComponent>().notNull(),
  /** Version of the product where its identification does not say it, else empty. */
  productVersion: text("product_version").notNull().default(""),
  /** The part of the product in which the vulnerability lies. Null: the product itself. */
  subcomponent: text("subcomponent", { mode: "json" }).$type<StoredComponent>(),
  /** SHA-256 in hex of what the newest statement publishes of the vulnerability. */
  published: text("published").notNull().default(""),
});

export const triggers = () => [...requireRow(vexSubjects.uid, advisories, "advisory")];

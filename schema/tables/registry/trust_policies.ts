import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groups } from "../iam/groups.ts";
import { leafIndexes, leafKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { repos } from "./repos.ts";

const texts = (name: string) =>
  text(name, { mode: "json" }).$type<string[]>().notNull().default([]);

/** The signers that a group or a repository trusts. The parent is one of these. */
export const trustPolicies = sqliteTable(
  "trust_policies",
  {
    ...resourceColumns(),
    ...leafKeys(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    /** Public keys in PEM. */
    publicKeys: texts("public_keys"),
    /** The JSON of each platform.registry.v2.KeylessIdentity. */
    identities: text("identities", { mode: "json" })
      .$type<{ issuer: string; subject: string }[]>()
      .notNull()
      .default([]),
    /** Certificates and keys in PEM, one after the other. */
    fulcioCertificates: text("fulcio_certificates").notNull().default(""),
    rekorKeys: text("rekor_keys").notNull().default(""),
    notationCertificates: text("notation_certificates").notNull().default(""),
    notationSubjects: texts("notation_subjects"),
    /** Whether the platform signs its own verdict about each image with a signature that counts. */
    signVerdicts: integer("sign_verdicts", { mode: "boolean" }).notNull().default(false),
    /**
     * When the policy last stopped trusting something, in milliseconds since 1970 in UTC. A verdict with another time does
     * not count.
     */
    trustTime: integer("trust_time").notNull(),
  },
  (t) => [
    ...leafIndexes("trust_policies", t, {
      orders: { created: t.createTime, updated: t.updateTime, name: t.name },
      isNested: true,
    }),
    uniqueIndex("trust_policies_siblings").on(t.parent, t.name),
  ],
);

/**
 * The groups and repositories below which the schedule verifies signatures again, because a trust policy has changed
 * there. Also single manifests with signatures that were not pushed.
 */
export const trustChanges = sqliteTable("trust_changes", {
  /** The uid of the group, the repository or the manifest. It need not exist any more. */
  uid: text("uid").primaryKey(),
  /** When the policy changed, or when the schedule last continued: the order of the work. */
  changeTime: integer("change_time").notNull(),
  /** The uid of the last manifest that was verified again. Empty at the start. */
  cursor: text("cursor").notNull().default(""),
});

export const triggers = () => [
  countRows(trustPolicies),
  requireParent(trustPolicies, [groups, repos]),
];

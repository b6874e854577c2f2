import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pathColumns } from "../columns.ts";
import { requireParent, trigger } from "../triggers.ts";
import { repos } from "./repos.ts";
import { verifiedSignatures } from "./verified_signatures.ts";

/**
 * The verdicts that the platform signs: that signatures of images count by a trust policy. Each is in a manifest of its own,
 * a referrer of the image. The parent is the repository.
 */
export const signedVerdicts = sqliteTable(
  "signed_verdicts",
  {
    /** The uid of the manifest of the image, which need not exist. */
    uid: text("uid").notNull(),
    ...pathColumns(),
    /** The uid of the trust policy, which need not exist any more. */
    policyUid: text("policy_uid").notNull(),
    /** The digest of the image. */
    digest: text("digest").notNull(),
    /** The digest of the manifest with the signed verdict. Empty before it is there. */
    manifest: text("manifest").notNull().default(""),
    /** The SHA-256 digest of the key that signed it, as hexadecimal digits. Empty before it is there. */
    keyId: text("key_id").notNull().default(""),
    /** When the schedule looks at it next, in milliseconds since 1970 in UTC. A change of the verdict sets it to 0. */
    dueTime: integer("due_time").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.uid, t.policyUid] }),
    index("signed_verdicts_due").on(t.dueTime),
    index("signed_verdicts_of_repo").on(t.parent),
  ],
);

/** SQL: the uid of the manifest of the image that a row of verified_signatures is about. */
const imageOf = (row: "NEW" | "OLD") =>
  `${row}.parent || '/' || substr(${row}.digest, instr(${row}.digest, ':') + 1, 16)`;

export const triggers = () => [
  requireParent(signedVerdicts, repos),
  trigger(
    verifiedSignatures,
    "sign",
    {
      on: "AFTER INSERT",
      when: `NEW.predicate_type = '' AND EXISTS (SELECT 1 FROM trust_policies WHERE uid = NEW.policy_uid AND sign_verdicts)`,
    },
    `INSERT INTO signed_verdicts (uid, policy_uid, digest) VALUES (${imageOf("NEW")}, NEW.policy_uid, NEW.digest) ON CONFLICT DO UPDATE SET due_time = 0;`,
  ),
  trigger(
    verifiedSignatures,
    "unsign",
    { on: "AFTER DELETE", when: "OLD.predicate_type = ''" },
    `UPDATE signed_verdicts SET due_time = 0 WHERE uid = ${imageOf("OLD")} AND policy_uid = OLD.policy_uid;`,
  ),
];

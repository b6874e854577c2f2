import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pathColumns } from "../columns.ts";
import { requireParent, requireRow, trigger } from "../triggers.ts";
import { manifests } from "./manifests.ts";
import { repos } from "./repos.ts";

/** The manifests with signatures or attestations of images. The parent is the repository. */
export const pushedSignatures = sqliteTable(
  "pushed_signatures",
  {
    /** The uid of the manifest that contains the signature. */
    uid: text("uid").primaryKey(),
    ...pathColumns(),
    /** The digest of the signed manifest, which need not exist. */
    digest: text("digest").notNull(),
    /** When the registry got it first, in milliseconds since 1970 in UTC. */
    createTime: integer("create_time").notNull(),
    /** When it was last verified. */
    checkTime: integer("check_time").notNull(),
    /** Why no signature in it counts. Empty if one does. */
    fault: text("fault").notNull().default(""),
  },
  (t) => [index("pushed_signatures_of_image").on(t.parent, t.digest, t.checkTime)],
);

/** The signatures and attestations that count by a trust policy. The parent is the repository. */
export const verifiedSignatures = sqliteTable(
  "verified_signatures",
  {
    /** The uid of the manifest that contains the signature. */
    uid: text("uid").notNull(),
    ...pathColumns(),
    /** The digest of the layer that is the signature, or its payload. */
    layer: text("layer").notNull(),
    /** The uid of the trust policy, which need not exist any more. */
    policyUid: text("policy_uid").notNull(),
    /** That of the policy when the signature was verified. */
    trustTime: integer("trust_time").notNull(),
    /** The digest of the signed manifest. */
    digest: text("digest").notNull(),
    /** The predicate type of an attestation. Empty for a signature. */
    predicateType: text("predicate_type").notNull(),
    /** The signer: the SHA-256 digest of a key, or the issuer and the subject, or only a subject. */
    keyId: text("key_id").notNull(),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    /** The entry of the log. Null and empty without one. */
    logTime: integer("log_time"),
    logId: text("log_id").notNull(),
    logIndex: integer("log_index"),
    /** Until when it counts. Null without an end. */
    expireTime: integer("expire_time"),
    /** When the registry got it first. */
    createTime: integer("create_time").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.uid, t.layer, t.policyUid, t.keyId, t.issuer, t.subject] }),
    index("verified_signatures_of_image").on(t.parent, t.digest, t.createTime),
  ],
);

const deletions = (name: string) =>
  trigger(
    manifests,
    `delete_${name}`,
    { on: "AFTER DELETE" },
    `DELETE FROM ${name} WHERE uid = OLD.uid;`,
    `DELETE FROM ${name} WHERE parent = OLD.parent AND digest = OLD.digest;`,
  );

export const triggers = () => [
  requireParent(pushedSignatures, repos),
  requireRow(pushedSignatures.uid, manifests, "manifest"),
  deletions("pushed_signatures"),
  requireParent(verifiedSignatures, repos),
  requireRow(verifiedSignatures.uid, manifests, "manifest"),
  deletions("verified_signatures"),
];

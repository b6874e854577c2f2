import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { pathColumns } from "../columns.ts";
import { requireParent, requireRow, trigger } from "../triggers.ts";
import { manifests } from "./manifests.ts";
import { repos } from "./repos.ts";

/**
 * The signers of manifests, according to their certificates. A push writes a row only after the platform has verified
 * the signature. The parent is the repository.
 */
export const imageSignatures = sqliteTable(
  "image_signatures",
  {
    /** The uid of the manifest that contains the signature. */
    uid: text("uid").notNull(),
    ...pathColumns(),
    /** The digest of the signed manifest, which need not exist. */
    digest: text("digest").notNull(),
    /** The issuer of the OIDC token with which the signer got the certificate. */
    issuer: text("issuer").notNull(),
    /** The signer: the URI or the email address in the certificate. */
    subject: text("subject").notNull(),
    /** When the signature was pushed first, in milliseconds since 1970 in UTC. */
    createTime: integer("create_time").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.uid, t.digest, t.issuer, t.subject] }),
    index("image_signatures_of_image").on(t.parent, t.digest),
  ],
);

export const triggers = () => [
  requireParent(imageSignatures, repos),
  requireRow(imageSignatures.uid, manifests, "manifest"),
  trigger(
    manifests,
    "delete_signatures",
    { on: "AFTER DELETE" },
    "DELETE FROM image_signatures WHERE uid = OLD.uid;",
    "DELETE FROM image_signatures WHERE parent = OLD.parent AND digest = OLD.digest;",
  ),
];

/** The signers of the manifests of a repository. A push records what it has verified (src/distribution/signatures). */
import { type SQL, sql } from "drizzle-orm";
import { imageSignatures } from "../../../schema/tables/registry/image_signatures.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";

/** The most signatures of one manifest that are recorded. */
const maxSignatures = 50;

/** The most signatures of one signer among them: the newest. */
const maxOfSigner = 5;

/** A signer of a manifest. */
export interface Signer {
  issuer: string;
  subject: string;
}

/** SQL: the signers of the manifests with these digests, which are SQL expressions with commas, as JSON of {@link Signer}. */
export const signersSql = (repo: SQL, digests: SQL): SQL =>
  sql`(select json_group_array(json("one")) from (
    select distinct json_object('issuer', "signed"."issuer", 'subject', "signed"."subject") as "one"
    from ${imageSignatures} as "signed" where "signed"."parent" = ${repo} and "signed"."digest" in (${digests})))`;

/** A verified signature of a manifest. */
export interface VerifiedSignature {
  /** The digest of the signed manifest. */
  digest: string;
  issuer: string;
  subject: string;
  /** Whether the certificate had expired. Such a signature counts only if the signer is recorded already. */
  hasExpired: boolean;
}

const column = (name: keyof VerifiedSignature) =>
  sql`"verified"."value" ->> ${sql.raw(`'${name}'`)}`;

/**
 * The statements that record the signatures in the manifest with the uid `manifest`. They come after the one that stores
 * it.
 */
export function recordSignatures(
  { db, now }: Pick<Call, "db" | "now">,
  repo: string,
  manifest: string,
  signatures: VerifiedSignature[],
): Statement[] {
  if (signatures.length === 0) return [];
  const verified = sql`json_each(${JSON.stringify(signatures)}) as "verified"`;
  const isOfDigest = sql`"known"."parent" = ${repo} and "known"."digest" = ${column("digest")}`;
  const known = sql`select 1 from ${imageSignatures} as "known" where ${isOfDigest}`;
  const knowsSigner = sql`exists (${known} and "known"."issuer" = ${column("issuer")}
    and "known"."subject" = ${column("subject")})`;
  const count = sql`(select count(*) from (${known}))`;
  return [
    insertFrom(
      db,
      imageSignatures,
      {
        uid: manifest,
        digest: column("digest"),
        issuer: column("issuer"),
        subject: column("subject"),
        createTime: now,
      },
      sql`from ${verified} where (not ${column("hasExpired")} or ${knowsSigner})
        and ${count} + "verified"."key" < ${maxSignatures}`,
    ).onConflictDoNothing(),
    forgetOlder(db, repo, signatures),
  ];
}

/** Keeps the newest signatures of each signer, so that one who signs often leaves room for others. */
function forgetOlder(db: Database, repo: string, signatures: VerifiedSignature[]): Statement {
  const digests = JSON.stringify([...new Set(signatures.map(({ digest }) => digest))]);
  const ranked = sql`select "one".rowid as "id", row_number() over (
      partition by "one"."digest", "one"."issuer", "one"."subject" order by "one"."create_time" desc, "one".rowid desc) as "rank"
    from json_each(${digests}) as "signed" cross join ${imageSignatures} as "one"
    where "one"."parent" = ${repo} and "one"."digest" = "signed"."value"`;
  return db
    .delete(imageSignatures)
    .where(sql`rowid in (select "id" from (${ranked}) where "rank" > ${maxOfSigner})`);
}

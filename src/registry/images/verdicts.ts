/**
 * The signatures and attestations that count by a trust policy. A push and the schedule verify them
 * (src/distribution/signatures). A verdict counts while its policy exists and still trusts what it did.
 */
import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type SQL, sql } from "drizzle-orm";
import {
  type SignatureVerdict,
  SignatureVerdictSchema,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import {
  pushedSignatures,
  verifiedSignatures,
} from "../../../schema/tables/registry/verified_signatures.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Statement } from "../../outbox/commit.ts";
import type { Verdict } from "../../signatures/verdict.ts";

/** The most verdicts of one policy about an image. */
const maxVerdicts = 50;

/** The most verdicts of one signer among them: the newest. */
const maxOfSigner = 5;

/** A verdict, as a push or the schedule found it. */
export interface PolicyVerdict extends Verdict {
  /** The digest of the layer that is the signature, or its payload. */
  layer: string;
  policyUid: string;
  policyName: string;
  trustTime: number;
  /** The digest of the signed manifest. */
  digest: string;
  predicateType: string;
}

/** The result for a manifest with signatures. */
export interface CheckedSignatures {
  /** The digest of the signed manifest. */
  about: string;
  /** Why no signature in it counts. Empty if one does. */
  fault: string;
  verdicts: PolicyVerdict[];
}

/** SQL: whether a signature in a manifest counted when it was last verified. */
export const countedSql = (manifest: SQL) =>
  sql<number>`exists (select 1 from ${verifiedSignatures} as "before" where "before"."uid" = ${manifest})`;

/** The statement that reads when the registry got a manifest with signatures first, what it is about, and whether one counted. */
export const selectPushedSignature = (db: Database, uid: string) =>
  db
    .select({
      receivedTime: pushedSignatures.createTime,
      about: sql<string>`${pushedSignatures.digest}`.as("about"),
      counted: countedSql(sql`${pushedSignatures.uid}`).as("counted"),
    })
    .from(pushedSignatures)
    .where(sql`${pushedSignatures.uid} = ${uid}`);

const column = (name: keyof PolicyVerdict) => sql`"found"."value" ->> ${sql.raw(`'${name}'`)}`;

/**
 * The statements that store what was found in the manifest with the uid `manifest`, in place of what was found before. They
 * come after the one that stores the manifest.
 */
export function recordVerdicts(
  { db, now }: Pick<Call, "db" | "now">,
  { repo, manifest, receivedTime }: { repo: string; manifest: string; receivedTime: number },
  { about, fault, verdicts }: CheckedSignatures,
): Statement[] {
  const checked = { digest: about, fault, checkTime: now };
  return [
    db
      .insert(pushedSignatures)
      .values({ uid: manifest, createTime: receivedTime, ...checked })
      .onConflictDoUpdate({ target: pushedSignatures.uid, set: checked }),
    db.delete(verifiedSignatures).where(sql`${verifiedSignatures.uid} = ${manifest}`),
    ...(verdicts.length === 0
      ? []
      : [
          insertVerdicts(db, repo, { manifest, receivedTime }, verdicts),
          forgetOlder(db, repo, about),
        ]),
  ];
}

function insertVerdicts(
  db: Database,
  repo: string,
  { manifest, receivedTime }: { manifest: string; receivedTime: number },
  verdicts: PolicyVerdict[],
): Statement {
  const known = sql`(select count(*) from ${verifiedSignatures} as "known"
    where "known"."parent" = ${repo} and "known"."digest" = ${column("digest")}
      and "known"."policy_uid" = ${column("policyUid")})`;
  return insertFrom(
    db,
    verifiedSignatures,
    {
      uid: manifest,
      layer: column("layer"),
      policyUid: column("policyUid"),
      trustTime: column("trustTime"),
      digest: column("digest"),
      predicateType: column("predicateType"),
      keyId: column("keyId"),
      issuer: column("issuer"),
      subject: column("subject"),
      logTime: column("logTime"),
      logId: column("logId"),
      logIndex: column("logIndex"),
      expireTime: column("expireTime"),
      createTime: receivedTime,
    },
    sql`from json_each(${JSON.stringify(verdicts)}) as "found" where ${known} + "found"."key" < ${maxVerdicts}`,
  ).onConflictDoNothing();
}

/** Keeps the newest verdicts about each signer, so that one who signs often leaves room for others. */
function forgetOlder(db: Database, repo: string, digest: string): Statement {
  const ranked = sql`select "one".rowid as "id", row_number() over (
      partition by "one"."policy_uid", "one"."predicate_type", "one"."key_id", "one"."issuer", "one"."subject"
      order by "one"."create_time" desc, "one"."uid", "one"."layer") as "rank"
    from ${verifiedSignatures} as "one" where "one"."parent" = ${repo} and "one"."digest" = ${digest}`;
  return db
    .delete(verifiedSignatures)
    .where(sql`rowid in (select "id" from (${ranked}) where "rank" > ${maxOfSigner})`);
}

/**
 * SQL: the condition on rows of verified_signatures and their policies that the verdict counts now. `verdict` and `policy`
 * are the names of the tables.
 */
export const countsNow = (verdict: string, policy: string): SQL => {
  const [one, by] = [sql.identifier(verdict), sql.identifier(policy)];
  return sql`${by}."uid" = ${one}."policy_uid" and ${by}."trust_time" = ${one}."trust_time"
    and (${one}."expire_time" is null or ${one}."expire_time" > unixepoch('subsec') * 1000)`;
};

/** SQL: the tables for {@link countsNow}, in the order in which they are read. */
export const verdictTables = (verdict: string, policy: string): SQL =>
  sql`${verifiedSignatures} as ${sql.identifier(verdict)} cross join ${trustPolicies} as ${sql.identifier(policy)}`;

/** The most verdicts of a manifest that are shown: the newest. */
const maxShown = 20;

/** SQL: a verdict as JSON. {@link toVerdicts} reads it. */
const verdictJson = sql`json_object('trustPolicyUid', "one"."policy_uid", 'trustPolicy', "by"."name",
  'predicateType', "one"."predicate_type", 'keyId', "one"."key_id", 'issuer', "one"."issuer",
  'subject', "one"."subject", 'receiveTime', "one"."create_time", 'logTime', "one"."log_time",
  'logId', "one"."log_id", 'logIndex', "one"."log_index", 'expireTime', "one"."expire_time")`;

/** SQL: the verdicts about a manifest of a repository, as a JSON list. */
export const verdictsSql = (repo: string, digest: SQL) =>
  sql<string>`(select json_group_array(json("shown")) from (
    select ${verdictJson} as "shown" from ${verdictTables("one", "by")}
    where "one"."parent" = ${repo} and "one"."digest" = ${digest} and ${countsNow("one", "by")}
    order by "one"."create_time" desc limit ${maxShown}))`;

/** SQL: why the last signature of a manifest that was verified does not count. Empty if it does, or if there is none. */
export const signatureFaultSql = (repo: string, digest: SQL) =>
  sql<string>`coalesce((select "last"."fault" from ${pushedSignatures} as "last"
    where "last"."parent" = ${repo} and "last"."digest" = ${digest}
    order by "last"."check_time" desc limit 1), '')`;

interface StoredVerdict {
  trustPolicyUid: string;
  trustPolicy: string;
  predicateType: string;
  keyId: string;
  issuer: string;
  subject: string;
  receiveTime: number;
  logTime: number | null;
  logId: string;
  logIndex: number | null;
  expireTime: number | null;
}

const timeOf = <Name extends string>(name: Name, time: number | null) =>
  (time === null ? {} : { [name]: timestampFromMs(time) }) as { [Key in Name]?: Timestamp };

/** The messages of the verdicts in JSON of {@link verdictsSql}. */
export const toVerdicts = (json: string): SignatureVerdict[] =>
  (JSON.parse(json) as StoredVerdict[]).map(
    ({ receiveTime, logTime, logIndex, expireTime, ...texts }) =>
      create(SignatureVerdictSchema, {
        ...texts,
        receiveTime: timestampFromMs(receiveTime),
        ...timeOf("logTime", logTime),
        ...(logIndex === null ? {} : { logIndex: BigInt(logIndex) }),
        ...timeOf("expireTime", expireTime),
      }),
  );

/** The message of a verdict that was just found. */
export const shownVerdict = (
  { policyUid, policyName, logTime, logIndex, expireTime, ...verdict }: PolicyVerdict,
  receivedTime: number,
): SignatureVerdict =>
  create(SignatureVerdictSchema, {
    ...{ trustPolicyUid: policyUid, trustPolicy: policyName },
    ...{ predicateType: verdict.predicateType, keyId: verdict.keyId },
    ...{ issuer: verdict.issuer, subject: verdict.subject, logId: verdict.logId },
    receiveTime: timestampFromMs(receivedTime),
    ...timeOf("logTime", logTime ?? null),
    ...(logIndex === undefined ? {} : { logIndex: BigInt(logIndex) }),
    ...timeOf("expireTime", expireTime ?? null),
  });

/** A trust policy, and the predicate type of an attestation or an empty text for a signature. */
export interface Signing {
  trustPolicyUid: string;
  predicateType: string;
}

/**
 * SQL: what the verdicts about manifests say, as JSON of {@link Signing}. `digests` are SQL expressions with commas.
 */
export const signingsSql = (repo: SQL, digests: SQL): SQL =>
  sql`(select json_group_array(json("signing")) from (
    select distinct json_object('trustPolicyUid', "one"."policy_uid", 'predicateType', "one"."predicate_type") as "signing"
    from ${verdictTables("one", "by")}
    where "one"."parent" = ${repo} and "one"."digest" in (${digests}) and ${countsNow("one", "by")}))`;

/** SQL: whether a signature of a manifest counts now. An attestation is not a signature. */
export const isSignedSql = (repo: SQL, digest: SQL): SQL =>
  sql`exists (select 1 from ${verdictTables("one", "by")} where "one"."parent" = ${repo} and "one"."digest" = ${digest}
    and "one"."predicate_type" = '' and ${countsNow("one", "by")})`;

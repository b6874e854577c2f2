import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { resourceColumns, useColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent } from "../triggers.ts";
import { groups } from "./groups.ts";

/** The matchers of an identity, as the oneof of the message: the name of the member and its JSON. */
export interface Relationship {
  case: "claimMatch" | "staticKeys" | "awsIdentity" | "servicePrincipal";
  value: unknown;
}

/** A time after all others. It puts unused identities last in an index. */
export const NEVER_USED = Number.MAX_SAFE_INTEGER;

/** The most characters of a `matcherKey`. */
const matcherKeyLength = 512;

/** An issuer or subject in the form of `matcherKey`: only ASCII letters are in lower case. */
const folded = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The issuer of every matcher with an issuer pattern, in its `matcherKey`. */
export const ANY_ISSUER = "~";

/** An issuer in a `matcherKey`: without its scheme, slashes at its end and capitals. */
export const issuerKey = (issuer: string) =>
  folded(issuer).replaceAll("https://", "").replaceAll("http://", "").replace(/\/+$/, "");

/** The `matcherKey` of an identity with this issuer (see {@link issuerKey}) and exactly this subject. */
export const subjectKey = (issuer: string, subject: string) =>
  `${issuer} =${folded(subject)}`.slice(0, matcherKeyLength);

/** The `matcherKey` of an identity with this issuer (see {@link issuerKey}) and this subject pattern. */
export const patternKey = (issuer: string, pattern: string) =>
  `${issuer} *${folded(pattern)}`.slice(0, matcherKeyLength);

const relationshipText = (name: string) => `"relationship" ->> '$.value.${name}'`;
const withoutText = (text: string, value: string) => `replace(${value}, '${text}', '')`;
const bareIssuer = withoutText(
  "http://",
  withoutText("https://", `lower(${relationshipText("issuer")})`),
);
const anyIssuer = `case when ${relationshipText("issuerPattern")} is not null then '${ANY_ISSUER}' end`;
const keyOfIssuer = `coalesce(rtrim(${bareIssuer}, '/'), ${anyIssuer})`;
const keyOfSubject = `coalesce('=' || lower(${relationshipText("subject")}), '*' || lower(${relationshipText("subjectPattern")}))`;

/** The expression of the column `matcher_key`, which the functions above write for a token. */
const matcherKey = sql.raw(
  `substr(${keyOfIssuer} || ' ' || ${keyOfSubject}, 1, ${matcherKeyLength})`,
);

/** The condition of the index of the kinds. A query must contain exactly this expression to use it. */
export const isOfSomeKind = sql.raw(`"relationship_type" <> 0`);

/** Identities. `issuer` and `subject` are set if both are exact, so that tokens can be looked up by them. */
export const identities = sqliteTable(
  "identities",
  {
    ...resourceColumns(),
    ...groupKeys(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    email: text("email").notNull().default(""),
    emailUnverified: text("email_unverified").notNull().default(""),
    company: text("company").notNull().default(""),
    lastSeenTime: integer("last_seen_time").notNull(),
    /** Number of RelationshipType. */
    relationshipType: integer("relationship_type").notNull().default(0),
    relationship: text("relationship", { mode: "json" }).$type<Relationship>(),
    issuer: text("issuer"),
    subject: text("subject"),
    /** The time of the last change of the matchers. 0 until they first change. Tokens contain it. */
    relationshipTime: integer("relationship_time").notNull().default(0),
    /** The time when its own tokens were first used. {@link NEVER_USED} before that. */
    firstUsedTime: integer("first_used_time").notNull().default(NEVER_USED),
    /** The use of the identity: its tokens, exchanges and logins that the platform accepted. */
    ...useColumns('"create_time"'),
    /** The time when the static keys expire. Null without static keys. */
    keyExpireTime: integer("key_expire_time"),
    /** The time of the next event about the expiry. Null if none follows (src/iam/expiry). */
    keyNoticeTime: integer("key_notice_time"),
    /**
     * The issuer and the subject that the identity accepts, as a text: similar identities are next to each other in its
     * order. For each issuer the patterns come before the exact subjects. Null if the identity accepts no JWT.
     */
    matcherKey: text("matcher_key").generatedAlwaysAs(matcherKey, { mode: "virtual" }),
  },
  (t) => [
    ...groupIndexes("identities", t, {
      orders: { name: t.name, idle: t.idleSinceTime },
      sparse: { expiry: t.keyExpireTime },
    }),
    // A List of one kind is a range of uids, and its total a count of the entries.
    index("identities_by_kind").on(t.relationshipType, t.uid).where(isOfSomeKind),
    index("identities_by_notice").on(t.keyNoticeTime).where(sql`"key_notice_time" is not null`),
    index("identities_by_subject").on(t.issuer, t.subject, t.parent),
    index("identities_by_first_use").on(t.issuer, t.subject, t.firstUsedTime),
    index("identities_by_claims").on(
      sql`("relationship" ->> '$.value.subject')`,
      sql`("relationship" ->> '$.value.issuer')`,
    ),
    ...[t.ancestor0, t.ancestor1, t.ancestor2, t.ancestor3, t.ancestor4].map((scope, depth) =>
      index(`identities_${depth}_by_matcher`)
        .on(scope, t.matcherKey)
        .where(sql`${sql.identifier(scope.name)} is not null`),
    ),
  ],
);

export const triggers = () => [
  countRows(identities, { roots: true }),
  requireParent(identities, groups, { roots: true }),
];

/** Finds the identities of a group that are most similar to a token, without reading the others. */
import { and, asc, desc, eq, gt, gte, lt, lte, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  ANY_ISSUER,
  identities,
  issuerKey,
  patternKey,
  subjectKey,
} from "../../../schema/tables/iam/identities.ts";
import { uidDepth } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";

const columns = {
  uid: identities.uid,
  name: identities.name,
  createTime: identities.createTime,
  relationship: identities.relationship,
  issuer: identities.issuer,
  subject: identities.subject,
  matcherKey: identities.matcherKey,
};

const selectRows = (db: Database) => db.select(columns).from(identities);

/** The columns of an identity that a diagnosis reads. */
export type IdentityRow = Awaited<ReturnType<typeof selectRows>>[number];

/** The condition that an identity is in the group or below it, in the form that the index needs. */
function isBelow(group: string): SQL | undefined {
  const { ancestor0, ancestor1, ancestor2, ancestor3, ancestor4 } = identities;
  const all: SQLiteColumn[] = [ancestor0, ancestor1, ancestor2, ancestor3, ancestor4];
  const ancestor = all[uidDepth(group)];
  // Groups have at most five levels, so deeper uids have no identities.
  return ancestor ? eq(ancestor, group) : eq(identities.uid, "");
}

const { matcherKey } = identities;

/** The next rows from a key on, upwards or downwards. */
function walk(db: Database, group: string, from: SQL, direction: "up" | "down", limit: number) {
  const order = direction === "up" ? asc(matcherKey) : desc(matcherKey);
  return selectRows(db)
    .where(and(isBelow(group), from))
    .orderBy(order)
    .limit(limit);
}

/**
 * The statements, for a batch. The first two walk from the position of the token in the order of issuers and
 * subjects, `size` rows together. The others read at most 16 identities with patterns, because a pattern can
 * be far from the values that it matches.
 */
export function selectNearest(
  db: Database,
  group: string,
  { issuer, subject }: { issuer: string; subject: string },
  size: number,
) {
  const here = issuerKey(issuer);
  const key = subjectKey(here, subject);
  const down = Math.ceil(size / 2);
  const patternsOf = (of: string, [before, after, first]: [number, number, number]) => {
    const [start, end] = [patternKey(of, ""), subjectKey(of, "")];
    const keyOfSubject = patternKey(of, subject);
    const range = (from: SQL) => and(from, gte(matcherKey, start), lt(matcherKey, end)) as SQL;
    return [
      walk(db, group, range(lte(matcherKey, keyOfSubject)), "down", before),
      walk(db, group, range(gt(matcherKey, keyOfSubject)), "up", after),
      walk(db, group, range(gte(matcherKey, start)), "up", first),
    ] as const;
  };
  const anyIssuer = subjectKey(ANY_ISSUER, subject);
  return [
    walk(db, group, lte(matcherKey, key), "down", down),
    walk(db, group, gt(matcherKey, key), "up", size - down),
    ...patternsOf(here, [4, 2, 3]),
    ...patternsOf(ANY_ISSUER, [2, 1, 2]),
    walk(db, group, and(lte(matcherKey, anyIssuer), gte(matcherKey, anyIssuer)) as SQL, "up", 2),
  ] as const;
}

/**
 * The statement that continues the walk on one side if the other side had fewer rows than its share.
 * Undefined if both sides are full, or if both have ended. `missing` is the number of rows that one side
 * lacks.
 */
export function selectFurther(
  db: Database,
  group: string,
  [below, above]: [IdentityRow[], IdentityRow[]],
  size: number,
) {
  const down = Math.ceil(size / 2);
  const missing = size - below.length - above.length;
  const isFull = { down: below.length === down, up: above.length === size - down };
  if (missing <= 0 || isFull.down === isFull.up) return undefined;
  const last = (isFull.down ? below : above).at(-1);
  if (last?.matcherKey == null) return undefined;
  const lastKey = last.matcherKey;
  // Several identities can have the same key, and the last ones of them can be missing.
  const from = isFull.down ? lte(matcherKey, lastKey) : gte(matcherKey, lastKey);
  const same = (isFull.down ? below : above).filter((row) => row.matcherKey === lastKey).length;
  return walk(db, group, from, isFull.down ? "down" : "up", missing + same);
}

/** The statement that reads the identities of a group after a uid, in the order of their uids. */
export const selectPage = (db: Database, group: string, after: string | undefined, limit: number) =>
  selectRows(db)
    .where(and(gt(identities.uid, after ?? `${group}/`), lt(identities.uid, `${group}0`)))
    .orderBy(asc(identities.uid))
    .limit(limit);

/** The statement that reads one identity. */
export const selectOne = (db: Database, uid: string) =>
  selectRows(db).where(eq(identities.uid, uid));

import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The kinds of marks, in their order: an image to match with all advisories, and an advisory to match with all SBOMs. Then
 * a vulnerability with new VEX statements, and an image whose vulnerabilities are to be announced.
 */
export const MARK = { image: 1, advisory: 2, statements: 3, announcement: 4 } as const;

/**
 * The matching that is left to do (src/matching). A mark is written in the batch that causes the work, and deleted in the
 * batch that ends it. The migration creates the table WITHOUT ROWID.
 */
export const matchMarks = sqliteTable(
  "match_marks",
  {
    /** The organization of the advisory or of the image. Organizations take turns. */
    root: text("root").notNull(),
    /** A value of {@link MARK}. */
    kind: integer("kind").notNull(),
    /**
     * The uid of the advisory, which can be deleted, or of the row in `examined_images`. For statements, the uid of their
     * group, a space and the id of the vulnerability in upper case.
     */
    uid: text("uid").notNull(),
    /** Grows each time when the work begins again, so that work about an older state does not end it. */
    revision: integer("revision").notNull(),
    /** The place where the work continues, as JSON. Empty at the beginning. */
    cursor: text("cursor").notNull(),
  },
  (t) => [primaryKey({ columns: [t.root, t.kind, t.uid] })],
);

/**
 * SQL: the statement of a trigger that marks a uid, or that of each row of a source. Work that has begun begins again.
 */
export const markSql = (uid: string, kind: number, source = "WHERE true"): string =>
  `INSERT INTO match_marks (root, kind, uid, revision, cursor)
	SELECT substr(${uid}, 1, 40), ${kind}, ${uid}, 1, '' ${source}
	ON CONFLICT (root, kind, uid) DO UPDATE SET revision = revision + 1, cursor = '';`;

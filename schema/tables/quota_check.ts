/** SQL of triggers that compares a total of an organization with its quota when it grows (platform/quotas.ts). */

/** Whether a kind has several totals in `counts`, one for each class. */
export const isDivided = (kind: string) => kind === "tags";

/** The limit of a kind without a limit. */
export const UNLIMITED = -1;

/** SQL: the error of a refused growth. `used` is the number that it would have led to. */
export const overQuotaSql = (kind: string, limit: string, used: string, organization: string) =>
  `'over quota ' || ${kind} || ' ' || ${limit} || ' ' || ${used} || ' ' || ${organization}`;

/** Finds the same in an error. */
export const overQuotaPattern = /over quota ([a-z_]+) (\d+) (\d+)(?: ([0-9a-f]{40}))?/;

/** SQL: whether a number is at least four fifths of a limit. */
export const isNear = (used: string, limit: string) =>
  `${limit} >= 0 AND ${used} * 5 >= ${limit} * 4`;

/** SQL: whether a number is above a limit. A move writes what its source has accepted. */
const isOver = (used: string, organization: string) => `quota_limit >= 0 AND ${used} > quota_limit
			AND NOT EXISTS (${arriving(organization)})`;

const arriving = (organization: string) =>
  `SELECT 1 FROM organization_moves WHERE uid = ${organization} AND state = 'arriving'`;

/** SQL: the limit of an organization: its own, or else the default. It reads one row. */
const limitSql = (organization: string, kind: string) => {
  const [own, usual] = [organization, "''"].map(
    (holder) =>
      `(SELECT quota_limit FROM quotas WHERE organization = ${holder} AND kind = '${kind}')`,
  );
  return `coalesce(${own}, ${usual}, ${UNLIMITED})`;
};

/**
 * The column `warning` of an update of `counts` that adds to its number. It aborts the statement if the total of an
 * organization would be above its quota. A warning about a move was sent by its source. The subquery has a LIMIT,
 * because SQLite would otherwise read the limit and the total again for each use.
 */
export function checkGrowth(kind: string, added: string): string {
  const parts = `(SELECT sum(descendants) FROM counts AS part WHERE part.ancestor = counts.ancestor AND part.kind = '${kind}')`;
  const before = isDivided(kind) ? parts : "counts.descendants";
  return `warning = CASE WHEN length(counts.ancestor) <> 40 THEN 0 ELSE ifnull((SELECT CASE
			WHEN ${isOver("used", "counts.ancestor")} THEN RAISE(ABORT, ${overQuotaSql(`'${kind}'`, "quota_limit", "used", "counts.ancestor")})
			WHEN counts.warning > 0 THEN counts.warning
			ELSE 1 + EXISTS (${arriving("counts.ancestor")}) END
			FROM (SELECT ${limitSql("counts.ancestor", kind)} AS quota_limit, ${before} + ${added} AS used LIMIT 1)
			WHERE ${isNear("used", "quota_limit")}), counts.warning) END`;
}

/** A statement that adds the row of a total, so that an update checks its first growth too. */
export const beginTotal = (root: string, kind: string, group: string): string =>
  `INSERT INTO counts (ancestor, kind, class, children, descendants)
		SELECT root.uid, '${kind}', ${group}, 0, 0 FROM (SELECT ${root} AS uid) AS root WHERE length(root.uid) = 40
		ON CONFLICT (ancestor, kind, class) DO NOTHING;`;

/**
 * A statement after an upsert of a kind that is not divided, whose first row is counted without {@link checkGrowth}. It
 * aborts if the limit is 0. The index contains only such limits, so no row is read without one.
 */
export function refuseFirst(root: string, kind: string): string {
  const zero = (organization: string) => `EXISTS (SELECT 1 FROM quotas INDEXED BY quotas_of_zero
			WHERE quota_limit = 0 AND kind = '${kind}' AND organization = ${organization})`;
  const own = `EXISTS (SELECT 1 FROM quotas WHERE organization = ${root} AND kind = '${kind}')`;
  return `SELECT RAISE(ABORT, ${overQuotaSql(`'${kind}'`, "0", "1", root)})
		WHERE (${zero(root)} OR (${zero("''")} AND NOT ${own})) AND length(${root}) = 40
		AND NOT EXISTS (${arriving(root)});`;
}

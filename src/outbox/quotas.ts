/** Reads the quotas of organizations. Triggers check them (schema/tables/quota_check.ts). */
import { type SQL, sql } from "drizzle-orm";
import { counts } from "../../schema/tables/counts.ts";
import { DEFAULTS, quotas } from "../../schema/tables/platform/quotas.ts";
import { UNLIMITED } from "../../schema/tables/quota_check.ts";

const ownLimit = (organization: SQL | string, kind: SQL | string): SQL =>
  sql`(select "quota_limit" from ${quotas} where "organization" = ${organization} and "kind" = ${kind})`;

/** SQL: the limit of an organization for a kind, its own or the default. {@link UNLIMITED} if there is none. */
export const limitOfKind = (organization: SQL | string, kind: SQL | string): SQL<number> =>
  sql`coalesce(${ownLimit(organization, kind)}, ${ownLimit(DEFAULTS, kind)}, ${sql.raw(String(UNLIMITED))})`;

/** SQL: how much an organization has of a kind. */
export const usedOfKind = (organization: SQL | string, kind: SQL | string): SQL<number> =>
  sql`(select ifnull(sum(${counts.descendants}), 0) from ${counts}
    where ${counts.ancestor} = ${organization} and ${counts.kind} = ${kind})`;

/**
 * The factors of organizations by which their limits differ from those of the deployment: twice the limits is 2. The
 * operator sets them as the quota `rate_percent`. Each isolate keeps a copy, because no call waits for the database to be
 * counted.
 */
import { eq, sql } from "drizzle-orm";
import { DEFAULTS, quotas, RATE_PERCENT } from "../../schema/tables/platform/quotas.ts";
import { UNLIMITED } from "../../schema/tables/quota_check.ts";
import { type Databases, rowsOfEach } from "../auth/databases.ts";

/** The factors by the uid of the organization, and by {@link DEFAULTS} that of all others. */
export type Factors = Map<string, number>;

/** How old the copy may be, in milliseconds. */
const maxAge = 60_000;

let copy: Factors = new Map();
let readTime = Number.NEGATIVE_INFINITY;

/** The factor of an organization as this isolate knows it. Infinity for an organization without limits. */
export const factorOf = (organization: string): number =>
  copy.get(organization) ?? copy.get(DEFAULTS) ?? 1;

/** Reads the factors of all organizations that have one of their own, and the default. */
export async function readFactors(databases: Pick<Databases, "all">): Promise<Factors> {
  const rows = await rowsOfEach(databases, (db) =>
    db
      .select({ organization: quotas.organization, percent: quotas.limit })
      .from(quotas)
      // A constant, so that SQLite uses the index of these rows.
      .where(eq(quotas.kind, sql.raw(`'${RATE_PERCENT}'`))),
  );
  return new Map(
    rows.map(({ organization, percent }) => [
      organization,
      percent === UNLIMITED ? Number.POSITIVE_INFINITY : percent / 100,
    ]),
  );
}

/** Reads the factors after the call if the copy is too old. `now` is in milliseconds since 1970. */
export function renewFactors(
  now: number,
  after: (work: () => Promise<unknown>) => void,
  read: () => Promise<Factors>,
): void {
  // A clock that goes back must not keep an old copy.
  const isDue = () => Math.abs(now - readTime) >= maxAge;
  if (!isDue()) return;
  after(async () => {
    // Another call may have read them meanwhile.
    if (!isDue()) return;
    readTime = now;
    copy = await read();
  });
}

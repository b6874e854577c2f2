/**
 * The factors of organizations whose limits differ from those of all others: twice the limits is 2. Each isolate keeps a
 * copy, because no call waits for the database to be counted.
 */

/** The factors by the uid of the organization. An organization without one has the factor 1. */
export interface Factors {
  factors: Map<string, number>;
}

/** Reads the factors of all organizations. The quotas of organizations give the rows for it. */
export type ReadFactors = () => Promise<Factors>;

/** For a platform on which no organization has a limit of its own. */
export const readNoFactors: ReadFactors = async () => ({ factors: new Map() });

/** How old the copy may be, in milliseconds. */
const maxAge = 60_000;

let copy: Factors = { factors: new Map() };
let readTime = Number.NEGATIVE_INFINITY;

/** The factor of an organization as this isolate knows it. */
export const factorOf = (organization: string): number => copy.factors.get(organization) ?? 1;

/** Reads the factors after the call if the copy is too old. `now` is in milliseconds since 1970. */
export function renewFactors(
  now: number,
  after: (work: () => Promise<unknown>) => void,
  read: ReadFactors,
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

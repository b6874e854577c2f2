/**
 * The rate limits: how many calls a minute each holder may make, by the class of the call. docs/DEPLOY.md says how the
 * defaults were chosen. The Workers read the same table (src/config.ts), so a Worker without bindings has them too.
 */

/** The classes of calls, by what a call costs. */
export const rateClasses = [
  "read",
  "list",
  "write",
  "import",
  "exchange",
  "login",
  "registry",
] as const;
export type RateClass = (typeof rateClasses)[number];

/**
 * The holders of limits. A caller has a token that the platform has signed or verified, and belongs to an organization.
 * Calls without a token count for their network. So do, apart from them, calls whose token only the database can
 * recognize: they are unverified.
 */
export const rateHolders = ["caller", "organization", "network", "unverified"] as const;
export type RateHolder = (typeof rateHolders)[number];

/** Calls a minute. */
export type RateLimits = Record<RateClass, Record<RateHolder, number>>;

/** The part of the table that an operator changes. */
export type RateLimitChanges = Partial<Record<RateClass, Partial<Record<RateHolder, number>>>>;

export const defaultRateLimits: RateLimits = {
  read: { caller: 6_000, organization: 60_000, network: 6_000, unverified: 6_000 },
  list: { caller: 3_000, organization: 30_000, network: 3_000, unverified: 3_000 },
  write: { caller: 3_000, organization: 30_000, network: 600, unverified: 3_000 },
  import: { caller: 3_000, organization: 12_000, network: 600, unverified: 3_000 },
  exchange: { caller: 1_200, organization: 12_000, network: 1_200, unverified: 6_000 },
  login: { caller: 1_200, organization: 12_000, network: 2_400, unverified: 2_400 },
  registry: { caller: 60_000, organization: 300_000, network: 60_000, unverified: 60_000 },
};

/** The table with some entries changed. */
export const changedRateLimits = (changes: RateLimitChanges): RateLimits =>
  Object.fromEntries(
    rateClasses.map((one) => [one, { ...defaultRateLimits[one], ...changes[one] }]),
  ) as RateLimits;

/** The words for the holders in errors. */
const holderTexts: Record<RateHolder, string> = {
  caller: "each caller",
  organization: "each organization",
  network: "each network, without a token",
  unverified: "each network, with unverified tokens",
};

/** A limit, in calls a minute. */
export interface RateLimit {
  rateClass: RateClass;
  holder: RateHolder;
  limit: number;
}

/** A limit in words. */
export const rateRule = ({ rateClass, holder, limit }: RateLimit) =>
  `${limit} calls of the class ${rateClass} in a minute for ${holderTexts[holder]}`;

/** The name of the binding that counts the calls of a class for a kind of holder: `RATE_READ_CALLER`. */
export const rateBinding = (rateClass: RateClass, holder: RateHolder) =>
  `RATE_${rateClass.toUpperCase()}_${holder.toUpperCase()}` as const;

/** The seconds in which the calls of a limit are counted. */
export const ratePeriod = 60 as const;

/** A binding that counts the calls of one limit. Bindings with the same namespace count together. */
export interface RateBinding {
  name: string;
  namespace: string;
  limit: number;
}

/** The bindings for the limits of some classes. `namespace` is the number of the first namespace of all classes. */
export const rateBindings = (
  changes: RateLimitChanges,
  classes: readonly RateClass[],
  namespace: number,
): RateBinding[] =>
  rateClasses
    .flatMap((rateClass) => rateHolders.map((holder) => ({ rateClass, holder })))
    .map(({ rateClass, holder }, at) => ({
      rateClass,
      name: rateBinding(rateClass, holder),
      namespace: String(namespace + at),
      limit: changedRateLimits(changes)[rateClass][holder],
    }))
    .filter(({ rateClass }) => classes.includes(rateClass));

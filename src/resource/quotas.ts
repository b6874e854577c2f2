/** Reads the quotas of organizations. Triggers check them (schema/tables/quota_check.ts). */
import { create } from "@bufbuild/protobuf";
import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  type Quota,
  QuotaKind,
  QuotaKindSchema,
  QuotaSchema,
} from "../../schema/gen/platform/iam/quotas/v2/quotas_pb.js";
import { counts } from "../../schema/tables/counts.ts";
import { organizationStorage } from "../../schema/tables/distribution/storage.ts";
import { DEFAULTS, quotas } from "../../schema/tables/platform/quotas.ts";
import { UNLIMITED } from "../../schema/tables/quota_check.ts";
import type { Database } from "../auth/call.ts";
import type { Config } from "../config.ts";

const quotaOf = (column: SQL, organization: SQL | string, kind: SQL | string): SQL =>
  sql`(select ${column} from ${quotas} as "quota"
    where "quota"."organization" = ${organization} and "quota"."kind" = ${kind})`;

const ownLimit = (organization: SQL | string, kind: SQL | string): SQL =>
  quotaOf(sql`"quota"."quota_limit"`, organization, kind);

/** SQL: the limit of an organization for a kind, its own or the default. {@link UNLIMITED} if there is none. */
export const limitOfKind = (organization: SQL | string, kind: SQL | string): SQL<number> =>
  sql`coalesce(${ownLimit(organization, kind)}, ${ownLimit(DEFAULTS, kind)}, ${sql.raw(String(UNLIMITED))})`;

/** SQL: how much an organization has of a kind. */
export const usedOfKind = (organization: SQL | string, kind: SQL | string): SQL<number> =>
  sql`(select ifnull(sum("part"."descendants"), 0) from ${counts} as "part"
    where "part"."ancestor" = ${organization} and "part"."kind" = ${kind})`;

/** The kinds by the names that the database has for them: `open_uploads`. */
const kindsByName = new Map(
  QuotaKindSchema.values
    .filter(({ number }) => number !== QuotaKind.UNSPECIFIED)
    .map(({ name, number }) => [
      name.slice("QUOTA_KIND_".length).toLowerCase(),
      number as QuotaKind,
    ]),
);

/** The name that the database has for a kind. */
export const nameOfKind = (kind: QuotaKind): string =>
  [...kindsByName].find(([, number]) => number === kind)?.[0] ?? "";

/** The kinds, in their order. */
export const allKinds: readonly QuotaKind[] = [...kindsByName.values()];

/** A quota as {@link selectQuotas} reads it. `used` is 0 for a default. */
export interface QuotaRow {
  kind: string;
  limit: number;
  updateTime: number;
  ownLimit: number | null;
  ownTime: number | null;
  used: number;
}

/** The statement that reads the quotas of an organization for some kinds, or for all. Empty for the defaults. */
export const selectQuotas = (db: Database, organization: string, kinds: QuotaKind[] = []) => {
  const kind = sql`${quotas}."kind"`;
  const names = JSON.stringify(kinds.map(nameOfKind));
  const isOne =
    kinds.length === 0 ? undefined : sql`${kind} in (select "value" from json_each(${names}))`;
  const own = (column: string) => quotaOf(sql.raw(`"quota"."${column}"`), organization, kind);
  const isDefault = organization === DEFAULTS;
  return db
    .select({
      kind: quotas.kind,
      limit: quotas.limit,
      updateTime: quotas.updateTime,
      ownLimit: sql<number | null>`${isDefault ? sql`null` : own("quota_limit")}`.as("own_limit"),
      ownTime: sql<number | null>`${isDefault ? sql`null` : own("update_time")}`.as("own_time"),
      used: sql<number>`${isDefault ? sql`0` : usedOfKind(organization, kind)}`.as("used"),
    })
    .from(quotas)
    .where(and(eq(quotas.organization, DEFAULTS), isOne));
};

/**
 * The statement that reads how much an organization has in the registry, and its own limit. The bytes of documents that
 * were read from pushes are reserved bytes too, because they count for the limit.
 */
export const selectStored = (db: Database, organization: string) =>
  db
    .select({
      bytes: organizationStorage.bytes,
      sharedBytes: organizationStorage.sharedBytes,
      reservedBytes:
        sql<number>`${organizationStorage.reservedBytes} + ${organizationStorage.documentBytes}`.as(
          "reserved",
        ),
      limit: organizationStorage.limit,
    })
    .from(organizationStorage)
    .where(eq(organizationStorage.uid, organization));

type Stored = Pick<
  typeof organizationStorage.$inferSelect,
  "bytes" | "sharedBytes" | "reservedBytes" | "limit"
>;

/** The bytes that an organization may have in the registry. Undefined for any number. */
export function limitOfBytes(
  own: number | null | undefined,
  { storageLimitBytes }: Pick<Config, "storageLimitBytes">,
): number | undefined {
  const limit = own ?? storageLimitBytes;
  return limit === UNLIMITED ? undefined : limit;
}

/** Whether a number is at least four fifths of its limit. */
export const isNearLimit = (used: number, limit: number | undefined): boolean =>
  limit !== undefined && used > 0 && used * 5 >= limit * 4;

interface QuotaParts {
  organization: string;
  kind: QuotaKind;
  /** Undefined for no limit. */
  limit: number | undefined;
  own: boolean;
  used: number;
  etag: string;
}

export const newQuota = ({ limit, used, ...parts }: QuotaParts): Quota =>
  create(QuotaSchema, {
    ...parts,
    used: BigInt(used),
    nearLimit: isNearLimit(used, limit),
    ...(limit === undefined ? {} : { limit: BigInt(limit) }),
  });

/** The quota of a row. Undefined for a row of a kind that the API does not have. */
export function toQuota(organization: string, row: QuotaRow): Quota | undefined {
  const kind = kindsByName.get(row.kind);
  if (kind === undefined) return undefined;
  const { ownLimit: ownValue, ownTime, used } = row;
  const limit = ownValue ?? row.limit;
  return newQuota({
    ...{ organization, kind, used },
    limit: limit === UNLIMITED ? undefined : limit,
    own: ownValue !== null,
    etag: ownTime === null ? `default-${row.updateTime}` : `own-${ownTime}`,
  });
}

/** The quota of the bytes in the registry, which has no row in `quotas`. */
export const bytesQuota = (
  organization: string,
  stored: Stored | undefined,
  config: Pick<Config, "storageLimitBytes">,
): Quota =>
  newQuota({
    organization,
    kind: QuotaKind.REGISTRY_BYTES,
    limit: limitOfBytes(stored?.limit, config),
    own: stored?.limit != null,
    used: (stored?.bytes ?? 0) + (stored?.reservedBytes ?? 0),
    etag: "",
  });

/** The quotas of organizations, and the defaults. Only the operator changes them. */
import { and, eq, sql } from "drizzle-orm";
import {
  type Quota,
  QuotaKind,
  QuotaSchema,
  QuotasService,
} from "../../../schema/gen/platform/iam/quotas/v2/quotas_pb.js";
import { counts, WARNING_DUE } from "../../../schema/tables/counts.ts";
import { organizationStorage } from "../../../schema/tables/distribution/storage.ts";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { DEFAULTS, quotas } from "../../../schema/tables/platform/quotas.ts";
import { UNLIMITED } from "../../../schema/tables/quota_check.ts";
import { aborted, invalidArgument } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { isSpread } from "../../auth/databases.ts";
import { commit, nextTime, onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find, parentGroup } from "../../resource/find.ts";
import {
  allKinds,
  bytesQuota,
  nameOfKind,
  type QuotaRow,
  selectQuotas,
  selectStored,
  toQuota,
  usedOfKind,
} from "../../resource/quotas.ts";
import { service } from "../../rpc/service.ts";

/** The new limit: a number, {@link UNLIMITED}, or null for the default. */
type Limit = number | null;

type Value =
  | { case: "limit"; value: bigint }
  | { case: "unlimited" | "useDefault"; value: boolean }
  | { case: undefined; value?: undefined };

/** Throws INVALID_ARGUMENT for a false value, which means nothing. */
function limitIn({ case: field, value }: Value): Limit {
  if (field === "limit") return Number(value);
  if (value) return field === "unlimited" ? UNLIMITED : null;
  const name = field === "unlimited" ? "unlimited" : "use_default";
  throw invalidArgument(name, `${name} must be true; to set a number, send limit`);
}

/** In the order of the kinds, and without kinds that have no row. */
function toQuotas(organization: string, rows: QuotaRow[], bytes: Quota): Quota[] {
  const found = rows.flatMap((row) => toQuota(organization, row) ?? []);
  const ofPlatform = organization === DEFAULTS ? [] : [QuotaKind.OWNED_ORGANIZATIONS];
  return allKinds
    .filter((kind) => !ofPlatform.includes(kind))
    .flatMap((kind) =>
      kind === QuotaKind.REGISTRY_BYTES ? bytes : (found.find((one) => one.kind === kind) ?? []),
    );
}

function requireOrganization(uid: string): void {
  if (parentOf(uid) !== "")
    throw invalidArgument("parent", "parent must be the uid of an organization");
}

function requireEtag(given: string, { etag }: Quota): void {
  if (given !== "" && given !== etag)
    throw aborted(
      "etag is not the current one; list the quotas again, and repeat the call if it still applies",
    );
}

interface Change {
  organization: string;
  kind: QuotaKind;
  limit: Limit;
  before: QuotaRow;
}

/** The quota after a change. */
function changed(call: Pick<Call, "now">, { organization, limit, before }: Change): Quota {
  const { ownTime, updateTime } = before;
  const row: QuotaRow =
    organization === DEFAULTS
      ? { ...before, limit: limit ?? before.limit, updateTime: nextTime(call, updateTime) }
      : {
          ...before,
          ownLimit: limit,
          ownTime: limit === null ? null : nextTime(call, ownTime ?? 0),
        };
  const quota = toQuota(organization, row);
  if (!quota) throw new Error(`the API has no quota ${before.kind}`);
  return quota;
}

const isRow = (organization: string, kind: QuotaKind) =>
  and(eq(quotas.organization, organization), eq(quotas.kind, nameOfKind(kind)));

/** The version of the row that a change replaces. Null without one. */
const versionOf = ({ organization, before }: Change): number | null =>
  organization === DEFAULTS ? before.updateTime : before.ownTime;

/** The statement that writes or deletes a row of `quotas`. */
function writeRow({ db, now }: Pick<Call, "db" | "now">, change: Change): Statement {
  const { organization, kind, limit } = change;
  if (limit === null) return db.delete(quotas).where(isRow(organization, kind));
  const set = { limit, updateTime: nextTime({ now }, versionOf(change) ?? 0) };
  return db
    .insert(quotas)
    .values({ organization, kind: nameOfKind(kind), ...set })
    .onConflictDoUpdate({ target: [quotas.organization, quotas.kind], set });
}

/** The statements that change a row of `quotas`, if it is as it was read. */
const changeStatements = (call: Call, change: Change): [Statement, ...Statement[]] => [
  onlyIf(
    call.db,
    sql`(select ${quotas.updateTime} from ${quotas}
      where ${isRow(change.organization, change.kind)}) is ${versionOf(change)}`,
  ),
  writeRow(call, change),
];

/** The statement that notes a use that is near the new limit, as a trigger does when the use grows. */
function warn({ db }: Call, { organization, kind }: Change, { limit, nearLimit }: Quota) {
  if (!nearLimit || limit === undefined) return [];
  const name = nameOfKind(kind);
  const isNear = sql`${usedOfKind(organization, name)} * 5 >= ${Number(limit) * 4}`;
  return [
    db
      .update(counts)
      .set({ warning: WARNING_DUE })
      .where(
        and(
          eq(counts.ancestor, organization),
          eq(counts.kind, name),
          eq(counts.warning, 0),
          isNear,
        ),
      ),
  ];
}

/** The statement that writes the limit of the bytes in the registry. */
const changeBytes = ({ db }: Call, uid: string, limit: Limit): Statement =>
  db
    .insert(organizationStorage)
    .values({ uid, limit })
    .onConflictDoUpdate({ target: organizationStorage.uid, set: { limit } });

/** The condition that the limit of bytes is still the one that the call has read. */
const isStoredLimit = (uid: string, limit: number | null) =>
  sql`(select ${organizationStorage.limit} from ${organizationStorage}
    where ${organizationStorage.uid} = ${uid}) is ${limit}`;

export const quotasService = service(QuotasService, {
  async listQuotas({ parent }, call) {
    const extraReads = [selectQuotas(call.db, parent), selectStored(call.db, parent)] as const;
    const { extraReads: read } = await find(call, parentGroup, parent, { extraReads });
    requireOrganization(parent);
    const [rows, [stored]] = read;
    return { quotas: toQuotas(parent, rows, bytesQuota(parent, stored, call.config)) };
  },

  /** A change to the same limit writes nothing. */
  async updateQuota({ parent, kind, value, etag }, call) {
    const extraReads = [
      selectQuotas(call.db, parent, [kind]),
      selectStored(call.db, parent),
    ] as const;
    const { caller, extraReads: read } = await find(call, parentGroup, parent, { extraReads });
    requireOrganization(parent);
    if (kind === QuotaKind.OWNED_ORGANIZATIONS)
      throw invalidArgument("kind", "kind is a quota of the platform, and has only a default");
    const limit = limitIn(value);
    const [[row], [stored]] = read;
    const isThere = onlyIf(
      call.db,
      sql`exists (select 1 from ${groups} where ${groups.uid} = ${parent})`,
    );
    const write = async (quota: Quota, statements: [Statement, ...Statement[]]) => {
      const body = { desc: QuotaSchema, message: quota };
      const event = insertEvent(call, caller, { subject: parent, group: parent, body });
      await commit(call, [isThere, ...statements, event]);
      return quota;
    };
    if (kind === QuotaKind.REGISTRY_BYTES) {
      const before = bytesQuota(parent, stored, call.config);
      requireEtag(etag, before);
      if ((stored?.limit ?? null) === limit) return before;
      const after = bytesQuota(parent, storedWith(stored, limit), call.config);
      const isSame = onlyIf(call.db, isStoredLimit(parent, stored?.limit ?? null));
      return write(after, [isSame, changeBytes(call, parent, limit)]);
    }
    const before = row ?? noRow(kind);
    const change: Change = { organization: parent, kind, limit, before };
    requireEtag(etag, toQuota(parent, before) as Quota);
    if (before.ownLimit === limit) return toQuota(parent, before) as Quota;
    const quota = changed(call, change);
    return write(quota, [...changeStatements(call, change), ...warn(call, change, quota)]);
  },

  async listDefaultQuotas({ parent }, call) {
    const { extraReads } = await find(call, parentGroup, parent, {
      extraReads: [selectDefaults(call)],
    });
    requireOrganization(parent);
    const bytes = bytesQuota(DEFAULTS, undefined, call.config);
    return { quotas: toQuotas(DEFAULTS, extraReads[0], bytes) };
  },

  /** Each database has the defaults. That of the parent comes first, and its row decides. */
  async updateDefaultQuota({ parent, kind, value, etag }, call) {
    const extraReads = [selectDefaults(call, [kind])] as const;
    const { caller, extraReads: read } = await find(call, parentGroup, parent, { extraReads });
    requireOrganization(parent);
    if (kind === QuotaKind.REGISTRY_BYTES)
      throw invalidArgument("kind", "kind has its default in STORAGE_LIMIT_BYTES");
    const limit = limitIn(value);
    const before = read[0][0] ?? noRow(kind);
    requireEtag(etag, toQuota(DEFAULTS, before) as Quota);
    if (before.limit === limit) return toQuota(DEFAULTS, before) as Quota;
    const change: Change = { organization: DEFAULTS, kind, limit, before };
    const quota = changed(call, change);
    const body = { desc: QuotaSchema, message: quota };
    const event = insertEvent(call, caller, { subject: parent, group: parent, body });
    await commit(call, [...changeStatements(call, change), event]);
    await writeElsewhere(call, change);
    return quota;
  },
});

const selectDefaults = ({ db }: Call, kinds: QuotaKind[] = []) => selectQuotas(db, DEFAULTS, kinds);

/** Writes a default to the other databases. */
async function writeElsewhere(call: Call, change: Change): Promise<void> {
  const { databases, now, validateOnly = false } = call;
  if (!isSpread(databases)) return;
  for (const db of await databases.othersThan(call.db)) {
    await commit({ db, validateOnly }, [writeRow({ db, now }, change)]);
  }
}

/** A kind without a default has no limit. */
const noRow = (kind: QuotaKind): QuotaRow => ({
  kind: nameOfKind(kind),
  ...{ limit: UNLIMITED, updateTime: 0, ownLimit: null, ownTime: null, used: 0 },
});

const storedWith = (
  stored: Parameters<typeof bytesQuota>[1],
  limit: Limit,
): Parameters<typeof bytesQuota>[1] => ({
  ...(stored ?? { bytes: 0, sharedBytes: 0, reservedBytes: 0 }),
  limit,
});

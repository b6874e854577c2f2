import { create } from "@bufbuild/protobuf";
import { and, eq, gt, sql } from "drizzle-orm";
import { QuotaKind } from "../../schema/gen/platform/iam/quotas/v2/quotas_pb.js";
import {
  type RepoUsage,
  RepoUsageSchema,
  UsageSchema,
  UsagesService,
} from "../../schema/gen/platform/registry/v2/usages_pb.js";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { expiryPlans } from "../../schema/tables/registry/expiry_plans.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { pullHours } from "../../schema/tables/registry/tag_pulls.ts";
import { invalidArgument, notFound } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Call, Database } from "../auth/call.ts";
import { listAt } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { find, parentGroup } from "../resource/find.ts";
import {
  bytesQuota,
  limitOfBytes,
  selectQuotas,
  selectStored,
  toQuota,
} from "../resource/quotas.ts";
import { service } from "../rpc/service.ts";

/** SQL: the pulls of the last 24 whole hours and of this one. */
const recentPulls = sql<number>`(select coalesce(sum(${pullHours.pulls}), 0) from ${pullHours}
  where ${pullHours.repo} = ${repoStorage}.id and ${pullHours.hour} >= unixepoch() / 3600 - 24)`;

const selectRepoUsages = (db: Database) =>
  db
    .select({
      uid: repoStorage.uid,
      name: sql<string>`(select repo.name from ${repos} as repo where repo.uid = ${repoStorage}.uid)`.as(
        "name",
      ),
      bytes: repoStorage.bytes,
      sharedBytes: repoStorage.sharedBytes,
      recentPulls: recentPulls.as("recent_pulls"),
    })
    .from(repoStorage);

type RepoUsageRow = Awaited<ReturnType<typeof selectRepoUsages>>[number];

const listing = defineListing({
  table: repoStorage,
  select: selectRepoUsages,
  orders: { bytes: "bytes", uid: "uid" },
  defaultOrder: "bytes desc",
});

const toRepoUsage = ({ uid, name, ...row }: RepoUsageRow): RepoUsage =>
  create(RepoUsageSchema, {
    uid,
    name,
    bytes: BigInt(row.bytes),
    sharedBytes: BigInt(row.sharedBytes),
    recentPulls: BigInt(row.recentPulls),
  });

/** The kinds of what is in the registry. */
const kinds = [
  QuotaKind.REPOS,
  QuotaKind.TAGS,
  QuotaKind.MANIFESTS,
  QuotaKind.OPEN_UPLOADS,
  QuotaKind.DOCUMENT_BYTES,
  QuotaKind.SBOMS,
  QuotaKind.VULN_REPORTS,
];

/** The statement that reads the bytes that expiry plans of an organization can still bring back. */
const selectHeldBytes = ({ db, now }: Call, organization: string) =>
  db
    .select({ bytes: sql<number>`coalesce(sum(${expiryPlans.heldBytes}), 0)` })
    .from(expiryPlans)
    .where(and(eq(expiryPlans.ancestor0, organization), gt(expiryPlans.undoExpireTime, now)));

export const usagesService = service(UsagesService, {
  /** An organization without content has no row. */
  async getUsage({ uid }, call) {
    const read = [
      selectStored(call.db, uid),
      selectQuotas(call.db, uid, kinds),
      selectHeldBytes(call, uid),
    ] as const;
    const { extraReads } = await find(call, parentGroup, uid, { extraReads: read });
    if (parentOf(uid) !== "") throw invalidArgument("uid", "uid must be that of an organization");
    const [[stored], rows, [held]] = extraReads;
    const limit = limitOfBytes(stored?.limit, call.config);
    return create(UsageSchema, {
      uid,
      bytes: BigInt(stored?.bytes ?? 0),
      sharedBytes: BigInt(stored?.sharedBytes ?? 0),
      reservedBytes: BigInt(stored?.reservedBytes ?? 0),
      undoBytes: BigInt(held?.bytes ?? 0),
      ...(limit === undefined ? {} : { limitBytes: BigInt(limit) }),
      quotas: [
        bytesQuota(uid, stored, call.config),
        ...rows.flatMap((row) => toQuota(uid, row) ?? []),
      ].sort((one, other) => one.kind - other.kind),
    });
  },

  /** Without a total, because nothing keeps the number of repositories with content. */
  async listRepoUsages(request, call) {
    const { group } = request;
    const scope = { at: "below", uid: group } as const;
    const page = await listAt(
      call,
      request,
      listing,
      scope,
      {
        holder: group,
        exists: parentGroup.select(call.db, group),
        absent: () => notFound(parentGroup.type, group),
      },
      { total: "none" },
    );
    const { nextPageToken, skipped } = page.envelope;
    return { repoUsages: page.rows.map(toRepoUsage), nextPageToken, skipped };
  },
});

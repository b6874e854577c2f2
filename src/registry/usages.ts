import { create } from "@bufbuild/protobuf";
import { eq, sql } from "drizzle-orm";
import {
  type RepoUsage,
  RepoUsageSchema,
  UsageSchema,
  UsagesService,
} from "../../schema/gen/platform/registry/v2/usages_pb.js";
import { organizationStorage, repoStorage } from "../../schema/tables/distribution/storage.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { invalidArgument, notFound } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import { listAt } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { find, parentGroup } from "../resource/find.ts";
import { service } from "../rpc/service.ts";

const selectRepoUsages = (db: Database) =>
  db
    .select({
      uid: repoStorage.uid,
      name: sql<string>`(select repo.name from ${repos} as repo where repo.uid = ${repoStorage}.uid)`.as(
        "name",
      ),
      bytes: repoStorage.bytes,
      sharedBytes: repoStorage.sharedBytes,
    })
    .from(repoStorage);

type RepoUsageRow = Awaited<ReturnType<typeof selectRepoUsages>>[number];

const listing = defineListing({
  table: repoStorage,
  select: selectRepoUsages,
  orders: { bytes: "bytes", uid: "uid" },
  defaultOrder: "bytes desc",
});

const toRepoUsage = ({ uid, name, bytes, sharedBytes }: RepoUsageRow): RepoUsage =>
  create(RepoUsageSchema, {
    uid,
    name,
    bytes: BigInt(bytes),
    sharedBytes: BigInt(sharedBytes),
  });

const selectUsage = (db: Database, uid: string) =>
  db
    .select({
      bytes: organizationStorage.bytes,
      sharedBytes: organizationStorage.sharedBytes,
      reservedBytes: organizationStorage.reservedBytes,
      limit: organizationStorage.limit,
    })
    .from(organizationStorage)
    .where(eq(organizationStorage.uid, uid));

export const usagesService = service(UsagesService, {
  /** An organization without content has no row. */
  async getUsage({ uid }, call) {
    const { extraReads } = await find(call, parentGroup, uid, {
      extraReads: [selectUsage(call.db, uid)],
    });
    if (parentOf(uid) !== "") throw invalidArgument("uid", "uid must be that of an organization");
    const [[stored]] = extraReads;
    const limit = stored?.limit ?? call.config.storageLimitBytes;
    return create(UsageSchema, {
      uid,
      bytes: BigInt(stored?.bytes ?? 0),
      sharedBytes: BigInt(stored?.sharedBytes ?? 0),
      reservedBytes: BigInt(stored?.reservedBytes ?? 0),
      ...(limit === undefined ? {} : { limitBytes: BigInt(limit) }),
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

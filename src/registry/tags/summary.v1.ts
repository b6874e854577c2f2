/** Data of version 1 about all tags of a repository in one response. No RPC of version 2 returns it. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, desc, eq, inArray, notInArray, sql } from "drizzle-orm";
import type {
  GetRepoTagsSummaryRequest,
  RepoTagsSummarySchema,
} from "../../../schema/gen/platform/registry/tags_pb.js";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { isInRepo, pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { ListQuery } from "../../paging/listing.ts";
import { selectPage } from "../../paging/rows.ts";
import { selectTotal } from "../../paging/totals.ts";
import { invokeV2 } from "../../rpc/version1.ts";
import { tagToV1 } from "./messages.v1.ts";
import { tagColumns, tagListing, toTag } from "./tag_rows.ts";
import { tagsService } from "./tags.ts";

type Summary = MessageInitShape<typeof RepoTagsSummarySchema>;

/** Names that move from version to version. */
const floatingTags = ["latest", "latest-dev"];

function classesOf(request: GetRepoTagsSummaryRequest): number[] {
  const { excludeReferrers, excludeDates, excludeEpochs } = request;
  const classes: number[] = [TagClass.plain];
  if (!excludeReferrers) classes.push(TagClass.referrer);
  if (!excludeDates) classes.push(TagClass.date);
  if (!excludeEpochs) classes.push(TagClass.epoch);
  return classes;
}

/**
 * Statements that each read a row or two, however many tags there are. They read the tag `latest`, the tag
 * that changed last, and the number of tags. They also read the longest name for the image of `latest`, or of
 * the other tag.
 */
function statementsOf(db: Database, repo: string, classes: number[]) {
  const query: ListQuery = {
    order: { field: "update_time", descending: true },
    filters: [],
    index: "order_index",
    classes,
    // A listing reads one row more than its page has.
    pageSize: 0,
    skip: 0,
    cursor: undefined,
    isCounted: true,
  };
  const scope = { at: "childrenOf", uid: repo } as const;
  const isLatest = and(isInRepo(repo), eq(tags.name, "latest"));
  const latest = db.select(tagColumns).from(tags).where(isLatest);
  const newest = selectPage(db, tagListing, query, [scope], true);
  const latestDigest = db.select({ digest: tags.digest }).from(tags).where(isLatest);
  const version = db
    .select({ name: tags.name })
    // SQLite evaluates a table without FROM once, and not for each comparison.
    .from(
      sql`(select coalesce(${latestDigest}, (select "digest" from ${newest})) as "digest") as "shown"`,
    )
    .crossJoin(tags)
    .where(
      and(
        pointsTo(repo, sql`"shown"."digest"`),
        sql`"shown"."digest" <> ''`,
        inArray(tags.class, classes),
        notInArray(tags.name, floatingTags),
      ),
    )
    .orderBy(desc(sql`length(${tags.name})`), desc(tags.name))
    .limit(1);
  return [
    db.select({ uid: repos.uid }).from(repos).where(eq(repos.uid, repo)),
    latest,
    newest,
    selectTotal(db, tagListing, query, [scope]),
    version,
  ] as const;
}

async function readSummary(call: Call, repo: string, classes: number[]): Promise<Summary> {
  const { rows } = await authorizeAndRead(call, repo, statementsOf(call.db, repo, classes));
  const [[repoRow], [latest], [newest], [count], [version]] = rows;
  if (!repoRow) return {};
  if (!newest) return { id: repo };
  return {
    id: repo,
    tagCount: BigInt(count?.total ?? 0),
    lastUpdated: timestampFromMs(newest.updateTime),
    latestTag: tagToV1(toTag(latest ?? newest)),
    latestVersion: version?.name ?? "",
  };
}

/** Takes one D1 round trip. Empty if the repository does not exist. */
export const getRepoTagsSummary = (request: GetRepoTagsSummaryRequest, call: Call) =>
  invokeV2(
    tagsService,
    "getTag",
    { uid: request.repoId },
    { ...call, mapping: { names: { uid: "repo_id" } } },
    ({ uid }, inV2) => readSummary(inV2, uid, classesOf(request)),
  );

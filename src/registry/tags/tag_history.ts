/** The history of tags in any scope, and the tags of a repository at an earlier time. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { eq, type SQL, sql } from "drizzle-orm";
import {
  type ListTagMovesRequest,
  PastTagSchema,
  type RecordedTagMove,
  RecordedTagMoveSchema,
  TagHistoryService,
  TagMoveWarning,
} from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import {
  digestText,
  MoveWarning,
  tagNames,
  tagRecords,
  tagRepos,
} from "../../../schema/tables/registry/tag_records.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { invalidArgument, notFound } from "../../aip/errors.ts";
import { matcher } from "../../aip/name_pattern.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Database } from "../../auth/call.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { defaultPageSize, openCursor, tokenAfter } from "../../paging/page.ts";
import { digestOf } from "../../paging/page_token.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { type MoveFilters, type MoveRow, selectMoves } from "./move_pages.ts";

const listing = defineListing<typeof tagMoves, MoveRow>({
  table: tagMoves,
  orders: { update_time: "updateTime" },
  defaultOrder: "update_time desc",
});

/** Each scope costs a statement of its own. */
const maxScopes = 50;

const warningBits = [
  [MoveWarning.release, TagMoveWarning.RELEASE_MOVED],
  [MoveWarning.older, TagMoveWarning.OLDER_DIGEST],
  [MoveWarning.many, TagMoveWarning.MANY_TAGS],
] as const;

function toTagMove({ updateTime, warnings, ...row }: MoveRow): RecordedTagMove {
  const { uid: _, isEnd: __, ...shown } = row;
  return create(RecordedTagMoveSchema, {
    ...shown,
    updateTime: timestampFromMs(updateTime),
    warnings: warningBits.flatMap(([bit, warning]) => ((warnings & bit) === 0 ? [] : [warning])),
  });
}

/** Whether a row passes the filters that no index has. */
function filterOf({ repo, tag, kinds, identityUid, digest }: ListTagMovesRequest) {
  const isRepo = matcher(repo);
  const isTag = matcher(tag);
  return (row: MoveRow) =>
    isRepo(row.repo) &&
    isTag(row.tag) &&
    (kinds.length === 0 || kinds.some((kind) => kind === row.kind)) &&
    (identityUid === "" || row.identityUid === identityUid) &&
    (digest === "" || row.digest === digest || row.previousDigest === digest);
}

/** The filters that the statements of a page contain. */
const readFilters = ({
  since,
  until,
  hasWarnings,
  uidp,
  tag,
}: ListTagMovesRequest): MoveFilters => ({
  since: since && timestampMs(since),
  until: until && timestampMs(until),
  isWarned: hasWarnings,
  tag: uidp?.childrenOf && tag !== "" && !tag.includes("*") ? tag : undefined,
});

/**
 * The names of a repository's tags after `after`, one more than the page has, each with the time and the
 * digest of its last record at that time. Each costs two rows, whatever the length of the history.
 */
const selectPastTags = (
  db: Database,
  repo: string,
  time: number,
  { after, size }: { after: string; size: number },
) => selectLastRecords(db, time, sql`n.repo_id = ${repoId(repo)} and n.tag > ${after}`, size + 1);

const selectPastTag = (db: Database, repo: string, time: number, name: string) =>
  selectLastRecords(db, time, sql`n.repo_id = ${repoId(repo)} and n.tag = ${name}`, 1);

const repoId = (repo: string) => sql`(select id from ${tagRepos} where repo_uid = ${repo})`;

/** Each name with the JSON of the time and the digest of its last record. */
function selectLastRecords(db: Database, time: number, names: SQL, most: number) {
  const record = sql<
    string | null
  >`(select json_array(m.update_time, ${sql.raw(digestText("m.digest"))})
    from ${tagRecords} as m where m.tag_id = n.id and m.update_time <= ${time}
    order by m.update_time desc limit 1)`;
  return db
    .select({ name: sql<string>`n.tag`.as("tag"), record: record.as("record") })
    .from(sql`${tagNames} as n`)
    .where(names)
    .orderBy(sql`n.tag`)
    .limit(most);
}

function toPastTag({ name, record }: { name: string; record: string | null }) {
  if (record === null) return [];
  const [time, digest] = JSON.parse(record) as [number, string];
  if (digest === "") return [];
  return [create(PastTagSchema, { name, digest, updateTime: timestampFromMs(time) })];
}

export const tagHistoryService = service(TagHistoryService, {
  /**
   * The page is read before the filters of {@link filterOf} apply, so its cost does not depend on how many
   * rows match. One tag of a repository is found with the key, so its pages are full.
   */
  async listTagMoves(request, call) {
    const { since, until } = request;
    if (since && until && timestampMs(since) > timestampMs(until)) {
      throw invalidArgument("since", "since must not be after until");
    }
    const filters = readFilters(request);
    const ownRows: typeof listing.ownRows = (db, query, scope, isOnly) =>
      selectMoves(db, filters, query, scope, isOnly);
    const options = { total: "none", maxScopes } as const;
    const page = await list(call, request, { ...listing, ownRows }, options);
    const { nextPageToken, skipped } = page.envelope;
    const rows = page.rows.filter(filterOf(request));
    return { tagMoves: rows.map(toTagMove), nextPageToken, skipped };
  },

  async listPastTags(request, call) {
    const { repoUid, at: requestedTime, tag, pageToken } = request;
    const time = requestedTime ? timestampMs(requestedTime) : 0;
    if (time > call.now) throw invalidArgument("at", "at must not be in the future");
    const digest = await digestOf(call, request, "name");
    const cursor = await openCursor(call, pageToken, digest);
    const size = request.pageSize || defaultPageSize;
    const { db } = call;
    const after = String(cursor?.after[0] ?? "");
    const tags =
      tag === ""
        ? selectPastTags(db, repoUid, time, { after, size })
        : selectPastTag(db, repoUid, time, tag);
    // Its row was written with the first record.
    const history = db
      .select({ uid: tagRepos.repoUid })
      .from(tagRepos)
      .where(eq(tagRepos.repoUid, repoUid));
    const { rows } = await authorizeAndRead(call, repoUid, [
      parentRepo.select(db, repoUid),
      history,
      tags,
    ]);
    const [[repoRow], [recorded], names] = rows;
    if (!repoRow && !recorded) throw notFound(parentRepo.type, repoUid);
    const last = names.length > size ? names[size - 1] : undefined;
    return {
      pastTags: names.slice(0, size).flatMap(toPastTag),
      nextPageToken: await tokenAfter(call, digest, last && [last.name, ""]),
    };
  },
});

import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, gt, type SQL, sql } from "drizzle-orm";
import {
  type ListTagsRequest,
  type Tag,
  TagSchema,
  TagsService,
} from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUid } from "../../../schema/tables/list_indexes.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { trustPolicies } from "../../../schema/tables/registry/trust_policies.ts";
import { StaleError } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { commit, onlyIf } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { readOrder } from "../../paging/order.ts";
import { createdMessage } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { isSignedSql } from "../images/verdicts.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { permitChanges } from "../tag_rules/permits.ts";
import { selectRules } from "../tag_rules/stored_rules.ts";
import { hasManifest, rollbackDigest, selectHistory } from "./rollback.ts";
import { isNamed, selectNamedTag, tag, tagListing, toTag } from "./tag_rows.ts";
import { moveTag, recordDeletions, selectLastMove } from "./tag_writes.ts";

/** The condition that a tag points to a digest. */
const hasDigest = (digest: string): SQL =>
  sql`${tags.digestKey} = unhex(substr(${digest}, 8, 16)) and ${tags.digest} = ${digest}`;

/**
 * Creates a tag, or moves the tag with that name. Without a digest, which version 1 allows, the tag keeps its
 * digest, and a new tag points nowhere. Throws NOT_FOUND if the repository does not exist.
 */
export async function createOrMoveTag(
  call: Call,
  parent: string,
  sentTag: Tag,
  overrideReason = "",
): Promise<Tag> {
  const { name, digest } = sentTag;
  const { caller, extraReads } = await find(call, parentRepo, parent, {
    extraReads: [
      selectNamedTag(call, parent, name),
      selectLastMove(call, parent, name),
      selectRules(call.db, parent),
    ],
  });
  const [[before], [last], rules] = extraReads;
  const from = before?.digest ?? "";
  const permit = await permitChanges(call, caller, {
    repo: parent,
    rules,
    changes: [{ tag: name, from, to: digest || from }],
    overrideReason,
  });
  const { message, statements } = moveTag(call, caller, parent, sentTag, { before, last }, permit);
  // Of two calls that create the tag, the slower one runs again and moves it.
  await commit(call, statements, () => new StaleError());
  return before ? message : createdMessage(call, message);
}

/** Whether a trust policy is about the repository of a tag, and no signature of the image counts. */
const isUnsigned = sql`exists (select 1 from ${trustPolicies} as "policy" where "policy"."parent" in (${tags.parent},
    ${tags.ancestor0}, ${tags.ancestor1}, ${tags.ancestor2}, ${tags.ancestor3}, ${tags.ancestor4}))
  and not ${isSignedSql(sql`${tags.parent}`, sql`${tags.digest}`)}`;

/** The index that has the rows of the filters. Those since a time are counted by the index of that time. */
function indexOf(request: ListTagsRequest) {
  const { name, digest, updatedSince, orderBy, namePrefix, unsigned } = request;
  if (digest !== "") return { index: "filter_index" } as const;
  if (name !== "") return { index: "scope_index" } as const;
  if (unsigned) return { index: "no_index", total: "few" } as const;
  if (!updatedSince || namePrefix !== "") return {};
  const { field } = readOrder(orderBy, tagListing);
  return field === "update_time" ? {} : ({ index: "either_index", total: "scope_index" } as const);
}

export const tagsService = service(TagsService, {
  async getTag({ uid }, call) {
    return toTag((await find(call, tag, uid)).row);
  },

  async listTags(request, call) {
    const { name, digest, updatedSince, namePrefix } = request;
    const classes: number[] = [TagClass.plain];
    if (request.includeReferrers) classes.push(TagClass.referrer);
    if (request.includeDates) classes.push(TagClass.date);
    if (request.includeEpochs) classes.push(TagClass.epoch);
    const page = await list(call, request, tagListing, {
      classes,
      filters: [
        name === "" ? undefined : isNamed(name),
        digest === "" ? undefined : hasDigest(digest),
        updatedSince ? gt(tags.updateTime, timestampMs(updatedSince)) : undefined,
        request.unsigned ? isUnsigned : undefined,
      ],
      ...indexOf(request),
      namePrefix,
    });
    return { tags: page.rows.map(toTag), ...page.envelope };
  },

  /** Creates the tag, or moves the tag with that name. */
  createTag: ({ parent, tag: sentTag = create(TagSchema), overrideReason }, call) =>
    createOrMoveTag(call, parent, sentTag, overrideReason),

  async rollbackTag(request, call) {
    const repo = parentOf(request.uid);
    const { caller, row, extraReads } = await find(call, tag, request.uid, {
      extraReads: [...selectHistory(call.db, request), selectRules(call.db, repo)],
    });
    const [moves, [atTime], rules] = extraReads;
    const digest = rollbackDigest(request, row.digest, moves, atTime);
    if (digest === row.digest) return toTag(row);
    const permit = await permitChanges(call, caller, {
      repo,
      rules,
      changes: [{ tag: row.name, from: row.digest, to: digest }],
      overrideReason: request.overrideReason,
    });
    const stored = { before: row, last: moves[0] };
    const sent = { ...toTag(row), digest };
    const { message, statements } = moveTag(call, caller, repo, sent, stored, permit);
    const guard = onlyIf(call.db, hasManifest(row.parent, digest));
    await commit(call, [guard, ...statements], () => new StaleError());
    return message;
  },

  /** The history of the tag remains. */
  async deleteTag(request, call) {
    const repo = parentOf(request.uid);
    const { caller, row, extraReads } = await find(call, tag, request.uid, {
      extraReads: [selectRules(call.db, repo)],
    });
    const [rules] = extraReads;
    const permit = await permitChanges(call, caller, {
      repo,
      rules,
      changes: [{ tag: row.name, from: row.digest, to: "" }],
      overrideReason: request.overrideReason,
    });
    const image = { repo: row.parent, tag: row.name, previousDigest: row.digest };
    // The event says which digest the tag pointed to until it was deleted.
    const condition = sql`(${tags.name}, ${tags.digest}) = (${row.name}, ${row.digest})`;
    const before = recordDeletions(call, caller, and(hasUid(tags, row.uid), condition), permit);
    return writeDelete(call, tag, caller, request, { condition, image, before });
  },
});

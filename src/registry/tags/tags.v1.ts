import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  DeleteTagRequestSchema,
  type Tag,
  TagSchema,
} from "../../../schema/gen/platform/registry/tags_pb.js";
import {
  type Tag as TagV2,
  TagSchema as TagV2Schema,
} from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { hasUid } from "../../../schema/tables/list_indexes.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { isUnchangedMessage } from "../../aip/field_mask.ts";
import { updateAsRead } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { commit, nextTime, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { tagLineOf } from "../../packages/tag_lines.ts";
import { conflictOf } from "../../resource/create.ts";
import { find } from "../../resource/find.ts";
import { updatedRow } from "../../resource/stored_row.ts";
import {
  bodyEvent,
  callV2,
  filterOf,
  invokeV2,
  listV2,
  requestEvent,
  type V1Mapping,
} from "../../rpc/version1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { permitChanges } from "../tag_rules/permits.ts";
import { selectRules } from "../tag_rules/stored_rules.ts";
import { tagToV1, tagToV2 } from "./messages.v1.ts";
import { getRepoTagsSummary } from "./summary.v1.ts";
import { tag, toTag } from "./tag_rows.ts";
import {
  changedDeprecation,
  moveStatements,
  recordDeletions,
  selectLastMove,
  tagEvent,
} from "./tag_writes.ts";
import { createOrMoveTag, tagsService } from "./tags.ts";

const toEventV1 = bodyEvent(TagSchema, tagToV1);

/** Replaces an absent digest, so that the rest of the tag can be checked as in version 2. */
const placeholderDigest = `sha256:${"0".repeat(64)}`;

/** A tag to write, checked by the rules of version 2, except that its digest can be absent. */
const writeTagAsV2 = <T>(
  parent: string,
  sent: Tag,
  call: Call & { mapping: V1Mapping },
  write: (tagV2: TagV2, inV2: Call) => Promise<T>,
) => {
  const tagV2 = tagToV2(sent);
  const checked = { ...tagV2, digest: tagV2.digest || placeholderDigest };
  return invokeV2(tagsService, "createTag", { parent, tag: checked }, call, (_, inV2) =>
    write(create(TagV2Schema, tagV2), inV2),
  );
};

/**
 * Gives a tag its new name, digest and other fields. Without a digest it keeps the current one. A new name
 * has its own history, which gets a record unless it already ends with that digest. The history of the old
 * name remains.
 */
async function replaceTag(call: Call, uid: string, tagV2: TagV2): Promise<TagV2> {
  const { name, deprecated, bundles } = tagV2;
  const repo = parentOf(uid);
  const {
    caller,
    row: before,
    extraReads,
  } = await find(call, tag, uid, {
    extraReads: [selectLastMove(call, repo, name), selectRules(call.db, repo)],
  });
  const [[last], rules] = extraReads;
  const digest = tagV2.digest || before.digest;
  const updateTime = nextTime(call, Math.max(before.updateTime, last?.updateTime ?? 0));
  const isRenamed = name !== before.name;
  const changes = {
    digest,
    bundles,
    ...(isRenamed ? { name, ...tagLineOf(name) } : {}),
    ...changedDeprecation(deprecated, updateTime, before),
  };
  const unchanged = toTag(before);
  const message = toTag(updatedRow(tags, before, changes));
  if (isUnchangedMessage(TagV2Schema, unchanged, message)) return unchanged;
  message.updateTime = timestampFromMs(updateTime);
  const permit = await permitChanges(call, caller, {
    repo,
    rules,
    changes: isRenamed
      ? [
          { tag: before.name, from: before.digest, to: "" },
          { tag: name, from: "", to: digest },
        ]
      : [{ tag: name, from: before.digest, to: digest }],
  });
  const statements: Statement[] = [
    ...(isRenamed ? recordDeletions(call, caller, hasUid(tags, uid), permit) : []),
    updateAsRead(call.db, tags, before, { ...changes, updateTime }),
    onlyIfChanged(call.db),
    insertEvent(call, caller, tagEvent(message, before)),
    ...moveStatements(call, caller, message, last, permit),
  ];
  await commit(call, statements as [Statement, ...Statement[]], conflictOf(tag, message));
  return message;
}

export const tagsV1 = {
  async createTag({ repoId: parent, tag: sentTag = create(TagSchema) }, call) {
    const mapping = { names: { parent: "repo_id" }, event: toEventV1 };
    return tagToV1(
      await writeTagAsV2(parent, sentTag, { ...call, mapping }, (checked, inV2) =>
        createOrMoveTag(inV2, parent, checked),
      ),
    );
  },

  /** Version 2 does not have this RPC. The tag is checked like a new one. */
  async updateTag(sentTag, call) {
    const mapping = { names: { parent: "id" }, event: toEventV1 };
    return tagToV1(
      await writeTagAsV2(sentTag.id, sentTag, { ...call, mapping }, (checked, inV2) =>
        replaceTag(inV2, sentTag.id, checked),
      ),
    );
  },

  deleteTag: (request, call) =>
    callV2(tagsService, "deleteTag", { uid: request.id }, call, {
      event: requestEvent(DeleteTagRequestSchema, request),
    }),

  async listTags({ id, uidp, name, digest, updatedSince, ...without }, call) {
    const { keeps, names, ...filter } = filterOf(id, uidp);
    const request = {
      ...filter,
      name,
      digest,
      ...(updatedSince && { updatedSince }),
      includeReferrers: !without.excludeReferrers,
      includeDates: !without.excludeDates,
      includeEpochs: !without.excludeEpochs,
    };
    const { tags: listedTags } = await listV2(tagsService, "listTags", request, call, { names });
    return { items: listedTags.filter(({ uid }) => keeps(uid)).map(tagToV1) };
  },

  getRepoTagsSummary,
} satisfies RegistryHandlers;

/** The tags of a push: whether the rules allow them, and the statements that move them. */
import { create } from "@bufbuild/protobuf";
import { TagMoveMethod } from "../../../schema/gen/platform/registry/history/v2/tag_history_pb.js";
import { TagSchema, TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import type { Statement } from "../../outbox/commit.ts";
import { type Permit, permitEach } from "../../registry/tag_rules/permits.ts";
import type { ImageConfig } from "../../registry/tag_rules/requirements.ts";
import type { RuleRow } from "../../registry/tag_rules/stored_rules.ts";
import type { selectNamedTag } from "../../registry/tags/tag_rows.ts";
import { moveTag, type selectLastMove } from "../../registry/tags/tag_writes.ts";
import type { Reach } from "../access.ts";
import type { RegistryBearer } from "../bearer.ts";
import { callOf } from "../calls.ts";
import type { RegistryContext } from "../context.ts";
import { refusedByRule } from "../errors.ts";
import { overrideReasonOf } from "../override.ts";
import { insertPush } from "../traffic.ts";
import type { PushedDocuments } from "./pushed_documents.ts";
import type { Push } from "./store.ts";

/** The content of a push, and the rules about its tags. */
interface Written {
  repo: string;
  push: Push;
  documents: PushedDocuments;
  rules: RuleRow[];
}

/** A tag that the push moves. */
interface MovedTag {
  tag: string;
  before: Awaited<ReturnType<typeof selectNamedTag>>[number] | undefined;
  last: Awaited<ReturnType<typeof selectLastMove>>[number] | undefined;
}

/** The statements that move the tags, and the event of the push for each. Throws DENIED if a rule refuses a tag. */
export async function tagStatements(
  context: RegistryContext,
  bearer: RegistryBearer,
  reach: Reach,
  caller: Caller,
  written: Written,
  rows: unknown[][],
): Promise<Statement[]> {
  const { repo, push, documents } = written;
  const { image, digest, tags } = push;
  const { unread } = documents;
  if (tags.length === 0) return [insertPush(context, reach, { image, repo, digest, unread })];
  const call: Call = callOf(context, bearer, reach, TagsService.method.createTag);
  const all = tags.map((tag, index): MovedTag => {
    const [before] = rows[2 * index] as Awaited<ReturnType<typeof selectNamedTag>>;
    const [last] = rows[2 * index + 1] as Awaited<ReturnType<typeof selectLastMove>>;
    return { tag, before, last };
  });
  const traffic = all.map(({ tag, before }) => {
    const previousDigest = before?.digest ?? "";
    return insertPush(context, reach, { image, repo, tag, digest, previousDigest, unread });
  });
  const moved = all.filter(
    ({ before, last }) => before?.digest !== digest || last?.digest !== digest,
  );
  const permits = await permitTags(context, call, caller, written, moved);
  const moves = moved.map(({ tag: name, before, last }, index) => {
    const { deprecated = false, bundles = [] } = before ?? {};
    const tag = create(TagSchema, { name, digest, deprecated, bundles });
    const permit = permits[index];
    if (!permit) throw new Error("each tag has a permit");
    const { REGISTRY } = TagMoveMethod;
    return moveTag(call, caller, repo, tag, { before, last }, permit, REGISTRY).statements;
  });
  return [...moves.flat(), ...traffic];
}

/** Asks the rules about the tags that a push moves. */
function permitTags(
  context: RegistryContext,
  call: Call,
  caller: Caller,
  { repo, push: { digest, tags, document }, documents, rules }: Written,
  moved: MovedTag[],
): Promise<Permit[]> {
  const { imageTime = null, config } = documents.image ?? {};
  const { entries } = document.content;
  return permitEach(call, caller, {
    repo,
    rules,
    // A cast, because the database has the configuration as JSON.
    pushed: { digest, imageTime, config: (config ?? {}) as ImageConfig, entries, tags },
    changes: moved.map(({ tag, before }) => ({ tag, from: before?.digest ?? "", to: digest })),
    overrideReason: overrideReasonOf(context),
    refuse: refusedByRule,
  });
}

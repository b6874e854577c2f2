/** `CheckTag`: what the rules would decide about a change, without the change. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { and, eq, sql } from "drizzle-orm";
import type {
  CheckTagRequest,
  CheckTagResponseSchema,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { invalidArgument } from "../../aip/errors.ts";
import type { Call, Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { find } from "../../resource/find.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { decide } from "./decide.ts";
import { rolesOf } from "./evidence.ts";
import { factsFor, overriding } from "./permits.ts";
import { refusalText } from "./refusals.ts";
import { imageIsGone, servedText } from "./serve.ts";
import { chooseForPull, isStored, servingSql } from "./serving.ts";
import { selectRules, toRules } from "./stored_rules.ts";

export async function checkTag(
  { repoUid, tag, change }: CheckTagRequest,
  call: Call,
): Promise<MessageInitShape<typeof CheckTagResponseSchema>> {
  if (change.case !== "moveTo" && !change.value)
    throw invalidArgument(change.case ?? "change", `${change.case} must be true`);
  const to = change.case === "moveTo" ? change.value : "";
  const { caller, extraReads } = await find(call, parentRepo, repoUid, {
    extraReads: [selectServedTag(call.db, repoUid, tag), selectRules(call.db, repoUid)],
  });
  const [[stored], rows] = extraReads;
  const from = stored?.digest ?? "";
  if (change.case === "pull") return checkPull(call, caller, repoUid, tag, stored);
  const asking = { repo: rows[0]?.repoName ?? "", tag, from, to };
  const rules = toRules(rows);
  const facts = await factsFor(call, caller, repoUid, rules, [asking]);
  const decision = decide(rules, asking, facts);
  const { isAllowed, rule, reason } = decision;
  return {
    allowed: isAllowed,
    tagRuleUid: rule?.uid ?? "",
    reason: decision.isAllowed
      ? reason
      : refusalText({ change: asking, rule: decision.rule, reason }),
    currentDigest: from,
    overridable: !isAllowed && holds(caller, overriding, repoUid),
  };
}

/** The statement that reads a tag, and what the choice for a pull depends on. */
const selectServedTag = (db: Database, repo: string, tag: string) =>
  db
    .select({
      digest: tags.digest,
      isStored: isStored(sql`${repo}`, sql`${tags.digest}`).as("is_stored"),
      serving: servingSql(sql`${repo}`, tag).as("serving"),
    })
    .from(tags)
    .where(and(isInRepo(repo), eq(tags.name, tag)));

async function checkPull(
  call: Call,
  caller: Caller,
  repo: string,
  tag: string,
  stored: { digest: string; isStored: number; serving: string | null } | undefined,
): Promise<MessageInitShape<typeof CheckTagResponseSchema>> {
  if (!stored) return { reason: "the tag does not exist" };
  const currentDigest = stored.digest;
  if (!stored.isStored) return { currentDigest, reason: imageIsGone };
  const { host } = new URL(call.config.registryUrl);
  const roles = rolesOf(caller, repo);
  const asked = { repo, tag, digest: currentDigest, now: call.now, roles, host };
  const served = await chooseForPull(call.db, stored.serving, asked);
  const { digest = "", rule, reason } = served;
  return {
    allowed: digest !== "",
    tagRuleUid: rule?.uid ?? "",
    reason: rule && digest !== currentDigest ? servedText(tag, rule, reason) : reason,
    currentDigest,
    servedDigest: digest,
  };
}

/** A refusal by a rule: its text, its error, and what records that someone overrides it. */
import { sql } from "drizzle-orm";
import { TagOverrideSchema } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { tagOverrides } from "../../../schema/tables/registry/tag_rules.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { failedPreconditions } from "../../aip/errors.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import type { Statement } from "../../outbox/commit.ts";
import { insertCompleteEvent } from "../../outbox/outbox.ts";
import type { Rule, TagChange } from "./decide.ts";

/** A change that a rule refuses. */
export interface Refusal {
  change: TagChange;
  rule: Rule;
  reason: string;
}

/** All refusals of a call. */
export type Refusals = [Refusal, ...Refusal[]];

/** Whether there is a refusal. */
export const isSome = (refusals: Refusal[]): refusals is Refusals => refusals.length > 0;

/** The most refusals that an error lists. */
const maxListed = 20;

/** FAILED_PRECONDITION `TAG_RULE` with a violation for each of the first refusals. */
export const refused = (refusals: Refusals) =>
  failedPreconditions(
    refusals.slice(0, maxListed).map((refusal) => ({
      type: "TAG_RULE",
      description: refusalText(refusal),
      subject: refusal.rule.uid,
    })),
  );

/** One line for people: the rule that refused a change, why, since when, and how they can see it. */
export const refusalText = ({ change: { repo, tag }, rule, reason }: Refusal): string =>
  `the rule "${rule.name}" of ${rule.scope} keeps ${repo}:${tag} since ` +
  `${new Date(rule.updateTime).toISOString().slice(0, 10)}: ${reason}; ` +
  `see platformctl tag-rules get ${rule.uid}`;

/** The event of an override, and its mark in the history of each tag that changes. A tag whose image goes stays. */
export function recordOverride(
  call: Call,
  caller: Caller,
  repoUid: string,
  refusals: Refusals,
  overrideReason: string,
): { events: Statement[]; marks: Statement[] } {
  const [first] = refusals;
  const { rule, change } = first;
  const message = {
    repoUid,
    tags: refusals.map((refusal) => refusal.change.tag),
    tagRuleUid: rule.uid,
    tagRule: rule.name,
    refusal: refusalText(first),
    overrideReason,
  };
  const event = insertCompleteEvent(call, {
    ...{ type: "api.platform.registry.tag.overridden.v1", path: "/registry/v2/tagRules" },
    ...{ audience: "customer", subject: repoUid, group: parentOf(repoUid), actor: caller },
    image: { repo: repoUid, tag: change.tag, digest: change.to, previousDigest: change.from },
    body: { desc: TagOverrideSchema, message },
  });
  const marked = refusals.map(({ change: { tag, to }, rule: { name } }) => [tag, name, to]);
  const newest = (column: "update_time" | "digest") =>
    sql`(select m.${sql.raw(column)} from ${tagMoves} as m where m.repo_uid = ${repoUid}
      and m.tag = "marked"."value" ->> 0 order by m.update_time desc limit 1)`;
  const mark = insertFrom(
    call.db,
    tagOverrides,
    {
      repoUid,
      tag: sql`"marked"."value" ->> 0`,
      updateTime: newest("update_time"),
      rule: sql`"marked"."value" ->> 1`,
      reason: overrideReason,
    },
    sql`from json_each(${JSON.stringify(marked)}) as "marked"
      where ${newest("digest")} = "marked"."value" ->> 2`,
  ).onConflictDoNothing();
  return { events: [event], marks: [mark] };
}

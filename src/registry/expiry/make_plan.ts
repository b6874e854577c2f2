/** Makes an expiry plan and stores it. */

import { and, eq, inArray, lt, ne, sql } from "drizzle-orm";
import {
  type ExpiryPlan,
  ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import {
  expiryItems,
  expiryPlans,
  type PlannedRule,
} from "../../../schema/tables/registry/expiry_plans.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit } from "../../outbox/commit.ts";
import { createdMessage } from "../../resource/create.ts";
import type { Rule } from "../tag_rules/decide.ts";
import { matches } from "../tag_rules/patterns.ts";
import { paced } from "./pace.ts";
import { type Plan, planExpiry } from "./plan.ts";
import { readRepo } from "./read_repo.ts";
import { changePlan, insertItems, type PlanRow, toPlan } from "./stored_plans.ts";
import { acts, isExpiring } from "./tag_verdicts.ts";

/** A plan that is still being made after this time was cut off, in milliseconds. */
export const cutOffAfter = 10 * 60_000;

/** The repository and the reason of a plan. */
export interface NewPlan {
  /** The uid of the repository. */
  repo: string;
  description: string;
  /** Whether the schedule makes it, for the rules with `daily` only. */
  daily: boolean;
}

/**
 * Makes a plan. Throws FAILED_PRECONDITION without a rule, with a plan that is not finished, and for a repository that is
 * too large. A call that only validates does not store it.
 */
export async function makePlan(call: Call, caller: Caller, made: NewPlan): Promise<ExpiryPlan> {
  requireRecording(call);
  const row = newRow(call, caller, made);
  await begin(call, row);
  if (call.validateOnly) {
    const changes = changesOf(call, await read(call, made));
    return createdMessage(call, toPlan({ ...row, ...changes }));
  }
  try {
    const plan = await read(call, made);
    const changes = changesOf(call, plan);
    for (const statement of insertItems(call.db, row.uid, plan.items, changes.rules))
      await paced(() => call.db.batch([statement]));
    const { row: stored, statements } = changePlan(call, caller, row, changes);
    await commit(call, [
      ...statements,
      ...(made.daily ? [deleteEmptyPlans(call.db, row.uid)] : []),
    ]);
    return toPlan(stored);
  } catch (thrown) {
    await discard(call, row);
    throw thrown;
  }
}

/** Without a record of all pulls, a tag that is used would look as if it were not. */
export function requireRecording({ config }: Call): void {
  if (config.pullEvents === 1) return;
  const text = "the platform does not record all pulls (PULL_EVENTS), so no one knows what is used";
  throw failedPrecondition("PULLS_NOT_RECORDED", text);
}

async function read({ db, now }: Call, { repo, daily }: NewPlan): Promise<Plan> {
  const state = await readRepo(db, repo, { now, onlyDaily: daily });
  const hasRule = state.rules
    .filter(isExpiring)
    .some((rule) => acts(state, rule) && isAboutRepository(rule, state.name));
  // The schedule finds out so by a plan without anything to do.
  if (!hasRule && !daily) {
    const text = `no rule lets tags or images of the repository expire; create a tag rule of the kind expire`;
    throw failedPrecondition("NO_EXPIRE_RULE", text, repo);
  }
  return planExpiry(state);
}

const isAboutRepository = ({ includeRepos, excludeRepos }: Rule, name: string) =>
  matches({ include: includeRepos, exclude: excludeRepos }, name);

/** The statement that deletes earlier plans of the schedule without anything to do, so that they do not pile up. */
const deleteEmptyPlans = (db: Database, uid: string) =>
  db
    .delete(expiryPlans)
    .where(
      and(
        eq(expiryPlans.parent, parentOf(uid)),
        ne(expiryPlans.uid, uid),
        eq(expiryPlans.daily, true),
        eq(expiryPlans.state, ExpiryPlanState.DONE),
        sql`${expiryPlans.tagCount} + ${expiryPlans.manifestCount} = 0`,
      ),
    );

const newRow = (
  { now }: Call,
  { identity, name }: Caller,
  { repo, description, daily }: NewPlan,
): PlanRow => ({
  uid: newUid(repo),
  state: ExpiryPlanState.PLANNING,
  ...{ description, daily, needsApproval: false, truncated: false, rules: [] },
  ...{ creatorUid: identity, creator: name, approverUid: "", approver: "" },
  ...{ approveTime: null, endTime: null, undoExpireTime: null },
  ...{ tagCount: 0, manifestCount: 0, bytes: 0, heldBytes: 0 },
  ...{ deletedCount: 0, leftCount: 0, restoredCount: 0 },
  ...{ createTime: now, updateTime: now },
});

/** The state, the rules and the counts of a plan. One without items is complete. */
function changesOf({ now }: Call, { items, truncated }: Plan) {
  const rules = new Map<string, PlannedRule>();
  let [tagCount, bytes, needsApproval] = [0, 0, false];
  for (const { tag, rule, bytes: freed } of items) {
    const { uid, name, updateTime } = rule;
    rules.set(uid, { uid, name, updateTime });
    tagCount += tag ? 1 : 0;
    bytes += freed;
    needsApproval ||= rule.expire.approval;
  }
  const manifestCount = items.length - tagCount;
  const counts = { tagCount, manifestCount, bytes, needsApproval, truncated };
  const { AWAITING_APPROVAL, READY, DONE } = ExpiryPlanState;
  const isEmpty = items.length === 0;
  const state = isEmpty ? DONE : needsApproval ? AWAITING_APPROVAL : READY;
  return { ...counts, state, rules: [...rules.values()], ...(isEmpty ? { endTime: now } : {}) };
}

/** Stores the plan while it is made, so that the repository has no other one. */
async function begin(call: Call, row: PlanRow): Promise<void> {
  const { db, guards, now, validateOnly = false } = call;
  const isOfRepo = sql`${expiryPlans.parent} = ${parentOf(row.uid)}`;
  const isCutOff = and(
    isOfRepo,
    eq(expiryPlans.state, ExpiryPlanState.PLANNING),
    lt(expiryPlans.createTime, now - cutOffAfter),
  );
  const open = () =>
    failedPrecondition(
      "PLAN_OPEN",
      "the repository has an expiry plan that is not finished; carry it out or cancel it first",
    );
  await commit(
    { db, guards, validateOnly },
    [
      db
        .update(expiryPlans)
        .set({ state: ExpiryPlanState.CANCELED, updateTime: now })
        .where(isCutOff),
      db.insert(expiryPlans).values(row),
    ],
    open,
  );
}

/** Deletes a plan that could not be made. If this fails too, the next plan cancels it. */
async function discard({ db }: Call, { uid }: PlanRow): Promise<void> {
  const isMaking = and(eq(expiryPlans.uid, uid), eq(expiryPlans.state, ExpiryPlanState.PLANNING));
  const made = db.select({ uid: expiryPlans.uid }).from(expiryPlans).where(isMaking);
  await db
    .batch([
      db.delete(expiryItems).where(inArray(expiryItems.planUid, made)),
      db.delete(expiryPlans).where(isMaking),
    ])
    .catch(() => {});
}

/** Makes an expiry plan and stores it. */

import { and, eq, ne, sql } from "drizzle-orm";
import {
  type ExpiryPlan,
  ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import {
  expiryPlans,
  isOpen,
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
import { type Plan, planExpiry } from "./plan.ts";
import { readRepo } from "./read_repo.ts";
import { insertItems, type PlanRow, planEvent, toPlan } from "./stored_plans.ts";
import { acts, isExpiring } from "./tag_verdicts.ts";

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
 * too large. The plan and its items are one batch, so there is all of it or none.
 */
export async function makePlan(call: Call, caller: Caller, made: NewPlan): Promise<ExpiryPlan> {
  await requireNoOpenPlan(call, made.repo);
  const plan = await read(call, made);
  const row = newRow(call, caller, made, plan);
  const { db, validateOnly = false } = call;
  await commit(
    call,
    [
      db.insert(expiryPlans).values(row),
      ...(validateOnly ? [] : insertItems(db, row.uid, plan.items, row.rules)),
      ...(made.daily ? [deleteEmptyPlans(db, row.uid)] : []),
      planEvent(call, caller, row),
    ],
    planOpen,
  );
  return createdMessage(call, toPlan(row));
}

const planOpen = () =>
  failedPrecondition(
    "PLAN_OPEN",
    "the repository has an expiry plan that is not finished; carry it out or cancel it first",
  );

/** Spares the work that a plan is. The index of open plans decides. */
async function requireNoOpenPlan({ db }: Call, repo: string): Promise<void> {
  const isOfRepo = and(eq(expiryPlans.parent, repo), isOpen);
  const [open] = await db.select({ uid: expiryPlans.uid }).from(expiryPlans).where(isOfRepo);
  if (open) throw planOpen();
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
  call: Call,
  { identity, name }: Caller,
  { repo, description, daily }: NewPlan,
  plan: Plan,
): PlanRow => ({
  uid: newUid(repo),
  ...{ description, daily },
  ...{ creatorUid: identity, creator: name, approverUid: "", approver: "" },
  ...{ approveTime: null, endTime: null, pullsKnownTime: null, undoExpireTime: null },
  ...{ heldBytes: 0, deletedCount: 0, leftCount: 0, restoredCount: 0 },
  ...{ createTime: call.now, updateTime: call.now },
  ...changesOf(call, plan),
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

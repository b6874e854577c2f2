/** Carries out an expiry plan in batches. A run that is cut off loses nothing, and two runs can overlap. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  ExpiryOutcome,
  type ExpiryPlan,
  ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { expiryItems, expiryPlans } from "../../../schema/tables/registry/expiry_plans.ts";
import { chunksOf } from "../../aip/chunks.ts";
import { aborted, failedPrecondition, notFound } from "../../aip/errors.ts";
import { StaleError, updateAsRead } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, onlyIfChanged } from "../../outbox/commit.ts";
import { permitChanges } from "../tag_rules/permits.ts";
import {
  type Batch,
  type Due,
  manifestDeletions,
  prolongHolds,
  selectFailing,
  tagDeletions,
} from "./deletions.ts";
import type { Begun } from "./manifest_verdicts.ts";
import { paced } from "./pace.ts";
import { type Plan, planExpiry } from "./plan.ts";
import { readRepo } from "./read_repo.ts";
import type { RepoState } from "./repo_state.ts";
import {
  changePlan,
  changeState,
  expiryPlan,
  type ItemRow,
  type Note,
  noteItems,
  type PlanRow,
  requireState,
  selectItems,
  toPlan,
} from "./stored_plans.ts";
import { isExpiring } from "./tag_verdicts.ts";

/** The tags or manifests of one batch, so that a push waits for less than a second. */
const batchSize = 100;

/** The items that are read at a time. */
const itemsOfRead = 5_000;

/** After this time, in milliseconds, a run starts no further batch. */
const runTime = 20_000;

/**
 * Pulls are counted first and written later, and a cache answers some for half a minute without the database. Once a
 * repository has an open plan, its pulls are written at once. So no plan deletes anything in this time after it was made,
 * in milliseconds. The queue of pulls says when the pulls before the plan are known (src/distribution/pulls/known_pulls.ts).
 */
const pullsKnownAfter = 60_000;

/** The condition that all pulls are known that a plan must know of. See {@link arePullsKnown}. */
export const hasKnownPulls = (now: number): SQL =>
  sql`${expiryPlans.createTime} <= ${now - pullsKnownAfter} and ${expiryPlans.pullsKnownTime} <= ${now}`;

/** Whether all pulls are known that a plan must know of, so that it may delete. */
const arePullsKnown = ({ createTime, pullsKnownTime }: PlanRow, now: number): boolean =>
  now >= createTime + pullsKnownAfter && pullsKnownTime !== null && now >= pullsKnownTime;

/** How often a run decides again because rules have changed. */
const maxRounds = 5;

/**
 * Carries out a plan that is ready, or continues. Returns it as it then is: complete, or still running if there was not
 * enough time. It deletes nothing until all pulls are known. Throws FAILED_PRECONDITION `PLAN_STATE` in another state.
 */
export async function carryOut(call: Call, caller: Caller, row: PlanRow): Promise<ExpiryPlan> {
  let plan = await start(call, row);
  if (call.validateOnly || !arePullsKnown(plan, call.now)) return toPlan(plan);
  const end = Date.now() + runTime;
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      const isComplete = await runRound(call, caller, plan, end);
      plan = await reread(call, row.uid);
      if (!isComplete || plan.state !== ExpiryPlanState.RUNNING) return toPlan(plan);
      const changes = { state: ExpiryPlanState.DONE, endTime: call.now };
      const { row: done, statements } = changePlan(call, caller, plan, changes);
      await commit(call, statements);
      return toPlan(done);
    } catch (thrown) {
      if (!(thrown instanceof StaleError)) throw thrown;
      plan = await reread(call, row.uid);
      if (plan.state !== ExpiryPlanState.RUNNING) return toPlan(plan);
    }
  }
  throw aborted("the rules or the tags keep changing; carry out the plan again");
}

async function start(call: Call, row: PlanRow): Promise<PlanRow> {
  const { db, guards, config, now, validateOnly = false } = call;
  const undoExpireTime = now + config.undoDays * DAY_MS;
  if (row.state === ExpiryPlanState.RUNNING)
    return undoExpireTime - (row.undoExpireTime ?? 0) < DAY_MS
      ? row
      : prolong(call, row, undoExpireTime);
  if (row.state !== ExpiryPlanState.READY) throw wrongState(row);
  const changes = { state: ExpiryPlanState.RUNNING, undoExpireTime };
  const { row: started, statements } = changeState(call, row, changes);
  await commit({ db, guards, validateOnly }, statements);
  return started;
}

/**
 * A plan that has run for a day can be undone for longer, so that what it deletes next has its whole time too. The update
 * time stays: it says when the last batch was.
 */
async function prolong(call: Call, row: PlanRow, undoExpireTime: number): Promise<PlanRow> {
  const { db, guards, now, validateOnly = false } = call;
  await commit({ db, guards, validateOnly }, [
    updateAsRead(db, expiryPlans, row, { undoExpireTime }),
    onlyIfChanged(db),
    prolongHolds(db, row.uid, { now, undoUntil: undoExpireTime }),
  ]);
  return { ...row, undoExpireTime };
}

const stateTexts: Record<number, string> = {
  [ExpiryPlanState.AWAITING_APPROVAL]: "the plan waits for approval",
  [ExpiryPlanState.READY]: "the plan does not wait for approval",
  [ExpiryPlanState.RUNNING]: "the plan is being carried out",
  [ExpiryPlanState.DONE]: "the plan is finished",
  [ExpiryPlanState.CANCELED]: "the plan was canceled",
  [ExpiryPlanState.UNDOING]: "the plan is being undone",
  [ExpiryPlanState.UNDONE]: "the plan was undone",
};

/** FAILED_PRECONDITION `PLAN_STATE` for a call that the state of the plan does not allow. */
export const wrongState = ({ state, uid }: PlanRow) =>
  failedPrecondition("PLAN_STATE", stateTexts[state] ?? "the state of the plan is not known", uid);

/** Reads a plan again, after a batch has changed it. Throws NOT_FOUND if it is gone. */
export async function reread({ db }: Pick<Call, "db">, uid: string): Promise<PlanRow> {
  const [[row]] = await db.batch([expiryPlan.select(db, uid)]);
  if (!row) throw notFound(expiryPlan.type, uid);
  return row;
}

/** Decides about all items that are left, and carries them out. Returns whether none is left. */
async function runRound(call: Call, caller: Caller, plan: PlanRow, end: number): Promise<boolean> {
  const repo = parentOf(plan.uid);
  const left = await readLeft(call.db, plan);
  const { items } = left;
  const state = await readRepo(call.db, repo, {
    now: call.now,
    onlyDaily: plan.daily,
    withHistory: plan.deletedCount > 0,
  });
  const fresh = planExpiry(state, begunOf(state, plan, left));
  const { due, notes } = compare(plan, items, fresh, state);
  for (const chunk of chunksOf(notes, 1_000)) await leave(call, plan.uid, chunk);
  const laterOf = belongings(due, state);
  const undoUntil = plan.undoExpireTime ?? call.now;
  const stay = new Set<string>();
  for (const chunk of batchesOf(due)) {
    if (Date.now() > end) return false;
    const later = chunk.flatMap(({ digest }) => laterOf.get(digest) ?? []);
    const batch = { plan: plan.uid, due: chunk, later, undoUntil };
    await paced(() => runBatch(call, caller, batch, state, stay));
  }
  return true;
}

/** The items in their order, in batches of tags or of manifests. */
function batchesOf(due: Due[]): Due[][] {
  const batches: Due[][] = [];
  for (const one of due) {
    const last = batches.at(-1);
    const isSame = last?.[0] !== undefined && (last[0].tag === "") === (one.tag === "");
    if (last && isSame && last.length < batchSize) last.push(one);
    else batches.push([one]);
  }
  return batches;
}

/** The items that are left, and the digests of the manifests that the plan has deleted. */
async function readLeft(db: Database, { uid }: PlanRow) {
  const items: ItemRow[] = [];
  const isPlanned = eq(expiryItems.outcome, ExpiryOutcome.PLANNED);
  for (let isFull = true; isFull; ) {
    const after = items.at(-1)?.number ?? -1;
    const page = await selectItems(db, uid, { after, limit: itemsOfRead, condition: isPlanned });
    items.push(...page);
    isFull = page.length === itemsOfRead;
  }
  const isDeleted = and(
    eq(expiryItems.planUid, uid),
    eq(expiryItems.tag, ""),
    eq(expiryItems.outcome, ExpiryOutcome.DELETED),
  );
  const rows = await db.select({ digest: expiryItems.digest }).from(expiryItems).where(isDeleted);
  return { items, gone: new Set(rows.map(({ digest }) => digest)) };
}

/**
 * The manifests of the plan, if it has deleted something already, such as their tags or indexes, unless another tag has
 * pointed to them since. And the tags of signatures whose images it has deleted.
 */
function begunOf(
  { rules, manifests, tags }: RepoState,
  plan: PlanRow,
  { items, gone }: Awaited<ReturnType<typeof readLeft>>,
): Begun {
  const begun: Begun = { manifests: new Map(), tags: new Map() };
  if (plan.deletedCount === 0) return begun;
  const tagsByName = new Map(tags.map((tag) => [tag.name, tag]));
  const expiring = new Map(rules.filter(isExpiring).map((rule) => [rule.uid, rule]));
  for (const { tag, digest, rule: number, reason } of items) {
    const planned = plan.rules[number];
    const rule = expiring.get(planned?.uid ?? "");
    if (!rule || rule.updateTime !== planned?.updateTime) continue;
    // The plan itself has deleted tags since, but none of those that a rule about images without tags is about.
    const since = rule.expire.untaggedDays > 0 ? plan.createTime : plan.updateTime;
    const isTaggedSince = (manifests.get(digest)?.untaggedTime ?? 0) > since;
    if (tag === "" && !isTaggedSince) begun.manifests.set(digest, { rule, reason });
    const current = tag === "" ? undefined : tagsByName.get(tag);
    if (current?.digest === digest && gone.has(current.subject ?? ""))
      begun.tags.set(tag, { rule, reason });
  }
  return begun;
}

/** The items that are still to be deleted, as they are now, and why the others are left alone. */
function compare(
  plan: PlanRow,
  items: ItemRow[],
  fresh: Plan,
  state: RepoState,
): { due: Due[]; notes: Note[] } {
  const key = (tag: string, digest: string) => `${tag} ${digest}`;
  const going = new Map(
    fresh.all.map((one) => [
      key(one.tag?.name ?? "", one.tag?.digest ?? one.manifest?.digest ?? ""),
      one,
    ]),
  );
  const digests = new Map(state.tags.map(({ name, digest }) => [name, digest]));
  const due: Due[] = [];
  const notes: Note[] = [];
  for (const { number, tag, digest } of items) {
    const found = going.get(key(tag, digest));
    const one = found?.tag ?? found?.manifest;
    if (!one || !found) notes.push([number, noteOf(fresh, digests, tag, digest)]);
    else if (found.rule.expire.approval && plan.approverUid === "")
      notes.push([number, "its rule needs approval by now"]);
    else {
      const updateTime = found.tag?.updateTime ?? 0;
      const { uid, pullTime, subject } = one;
      const ofTag = found.tag ? { subject } : {};
      due.push({ number, tag, digest, updateTime, uid, pullTime, ...ofTag });
    }
  }
  return { due, notes };
}

function noteOf(fresh: Plan, digests: Map<string, string>, tag: string, digest: string): string {
  if (tag === "") return fresh.whyManifestStays(digest);
  const current = digests.get(tag);
  return current === undefined || current === digest
    ? fresh.whyTagStays(tag)
    : "it has moved to another image";
}

/**
 * The referrers that the plan deletes, and the names of tags of signatures, by their subjects. The subjects go first.
 */
function belongings(due: Due[], { manifests }: RepoState): Map<string, string[]> {
  const found = due.flatMap((one) => {
    const subject = one.tag === "" ? manifests.get(one.digest)?.subject : one.subject;
    return subject === undefined ? [] : [{ subject, name: one.tag || one.digest }];
  });
  const bySubject = Map.groupBy(found, ({ subject }) => subject);
  return new Map([...bySubject].map(([subject, all]) => [subject, all.map(({ name }) => name)]));
}

const leave = ({ db, guards, now }: Call, plan: string, notes: Note[]): Promise<void> => {
  const [first, ...rest] = noteItems({ db, now }, plan, notes, [
    ExpiryOutcome.PLANNED,
    ExpiryOutcome.LEFT,
  ]);
  return commit({ db, guards }, [requireState(db, plan, ExpiryPlanState.RUNNING), first, ...rest]);
};

/**
 * Deletes a batch. Items that have changed since they were read are left alone and added to `stay`, and the rest is tried
 * again.
 */
async function runBatch(
  call: Call,
  caller: Caller,
  batch: Batch,
  { ruleRows }: RepoState,
  stay: Set<string>,
): Promise<void> {
  const { db, guards } = call;
  const repo = parentOf(batch.plan);
  for (let { due } = batch; due.length > 0; ) {
    const changes = due.flatMap(({ tag, digest }) =>
      tag === "" ? [] : [{ tag, from: digest, to: "" }],
    );
    const permit = await permitChanges(call, caller, { repo, rules: ruleRows, changes });
    // Nothing goes with what stays.
    const later = batch.later.filter((name) => !stay.has(name));
    const one = { ...batch, due, later };
    const statements = due[0]?.tag
      ? tagDeletions(call, caller, one, permit)
      : manifestDeletions(call, caller, one, permit);
    try {
      await commit({ db, guards }, statements);
      return;
    } catch (thrown) {
      if (!(thrown instanceof StaleError)) throw thrown;
      const failing = await selectFailing(call, one);
      // Not the items have changed, but the rules or the plan.
      if (failing.length === 0) throw thrown;
      await leave(call, batch.plan, failing);
      const left = new Set(failing.map(([number]) => number));
      for (const { number, tag, digest } of due) if (left.has(number)) stay.add(tag || digest);
      due = due.filter(({ number }) => !left.has(number));
    }
  }
}

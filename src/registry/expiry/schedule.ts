/** The schedule of the domain `registry`, for expiry plans. Each step can be cut off, and repeated. */
import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { and, asc, eq, inArray, isNotNull, lt, or, type SQL, sql } from "drizzle-orm";
import {
  ExpiryPlanState,
  ExpiryPlansService,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import {
  expiryItems,
  expiryPlans,
  isDue,
  isOpen,
} from "../../../schema/tables/registry/expiry_plans.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { isDaily, tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { runBatches } from "../../aip/batches.ts";
import { StaleError } from "../../aip/stale.ts";
import type { Call, Database } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import type { Caller } from "../../auth/grants.ts";
import { configOf, type Env } from "../../config.ts";
import { openDatabase } from "../../rpc/database.ts";
import type { Execution } from "../../rpc/runtime.ts";
import { carryOut, hasKnownPulls } from "./carry_out.ts";
import { makePlan } from "./make_plan.ts";
import { expiryPlan, isItem, type PlanRow } from "./stored_plans.ts";
import { undo } from "./undo.ts";

/** The part of a call that the schedule has. */
type Scheduled = Pick<Call, "config" | "db" | "databases" | "now">;

/** For how long one run starts further plans, in milliseconds. The next run continues. */
const runTime = 60_000;

/** The plans and repositories of one run. */
const most = { plans: 100, repos: 500 };

/** How long after its last batch the schedule continues a plan, in milliseconds. Its caller may still do so. */
const idleBefore = 2 * 60_000;

/** A plan is made again after this time, a little less than a day, so that a late run does not skip a day. */
const dailyAfter = 23 * 3_600_000;

/** How long a finished plan is kept, in milliseconds. */
const keptFor = 30 * DAY_MS;

const callOf = (scheduled: Scheduled, method: DescMethod): Call => ({
  ...scheduled,
  ...{ method, capabilities: [], credential: undefined, guards: new Map() },
  ...{ headers: new Headers(), responseHeaders: new Headers(), after: () => undefined },
});

/** The identity in events and in the history: of those who made or approved the plan, or none. */
const actorOf = ({ approverUid, approver, creatorUid, creator }: PlanRow): Caller => ({
  identity: approverUid || creatorUid,
  name: approver || creator,
  act: {},
  grants: [],
});

const platform: Caller = { identity: "", name: "", act: {}, grants: [] };

/** Runs all steps in each database. A failure of one holds up no other. Throws the first error at the end. */
export async function runPlans(env: Env, execution: Execution): Promise<void> {
  const config = configOf(env);
  const { databases } = openDatabase(env, execution);
  const failures: unknown[] = [];
  for (const db of databases.all) {
    const scheduled = { config, databases, db, now: Date.now() };
    const steps = [
      () => runDuePlans(scheduled, failures),
      () => runBatches(itemsOfBatch, () => forgetPlans(scheduled)),
    ];
    for (const step of steps) await step().catch((thrown) => failures.push(thrown));
  }
  if (failures.length > 0) throw failures[0];
}

/** Makes the daily plans that are due, and continues what is ready or was cut off. */
async function runDuePlans(scheduled: Scheduled, failures: unknown[]): Promise<void> {
  const end = Date.now() + runTime;
  const attempt = (work: Promise<unknown>) =>
    work.catch((thrown) => {
      // A refusal is about this repository. It must not hold up others.
      if (!(thrown instanceof ConnectError || thrown instanceof StaleError)) failures.push(thrown);
    });
  // The plans that are made leave time for those that are carried out or undone.
  for (const repo of await selectDueRepos(scheduled)) {
    if (Date.now() > end - runTime / 2) break;
    const call = callOf(scheduled, ExpiryPlansService.method.createExpiryPlan);
    await attempt(makePlan(call, platform, { repo, description: "", daily: true }));
  }
  for (const row of await selectDuePlans(scheduled)) {
    if (Date.now() > end) break;
    const { carryOutExpiryPlan, undoExpiryPlan } = ExpiryPlansService.method;
    const isUndoing = row.state === ExpiryPlanState.UNDOING;
    const call = callOf(scheduled, isUndoing ? undoExpiryPlan : carryOutExpiryPlan);
    await attempt((isUndoing ? undo : carryOut)(call, actorOf(row), row));
  }
}

/** The repositories below a scope of a rule with `daily` that have no plan of today, and none that is not finished. */
async function selectDueRepos({ db, now }: Scheduled): Promise<string[]> {
  const isBelow = sql`${repos.uid} >= ${tagRules.parent} and ${repos.uid} < ${tagRules.parent} || '0'`;
  const plan = (condition: SQL) =>
    sql`exists (select 1 from ${expiryPlans} where ${expiryPlans.parent} = ${repos.uid} and (${condition}))`;
  const isPlanned = sql`${expiryPlans.daily} and ${expiryPlans.createTime} > ${now - dailyAfter}`;
  const rows = await db
    .selectDistinct({ uid: repos.uid })
    .from(tagRules)
    .crossJoin(repos)
    .where(
      and(
        isDaily,
        isBelow,
        sql`not ${plan(sql`(${isOpen}) or (${isPlanned})`)}`,
        isWritable(sql`${repos.uid}`),
      ),
    )
    .orderBy(sql`random()`)
    .limit(most.repos);
  return rows.map(({ uid }) => uid);
}

/** The plans of the schedule that are ready, and those of people that were cut off. */
async function selectDuePlans({ db, now }: Scheduled): Promise<PlanRow[]> {
  const { READY, RUNNING, UNDOING } = ExpiryPlanState;
  const isCutOff = and(
    inArray(expiryPlans.state, [RUNNING, UNDOING]),
    lt(expiryPlans.updateTime, now - idleBefore),
  );
  const due = await db
    .select({ uid: expiryPlans.uid })
    .from(expiryPlans)
    .where(
      and(
        isDue,
        or(
          isCutOff,
          and(eq(expiryPlans.state, READY), eq(expiryPlans.daily, true), hasKnownPulls(now)),
        ),
        isWritable(sql`${expiryPlans.uid}`),
      ),
    )
    // Those that are refused each time must not keep the others out.
    .orderBy(sql`random()`)
    .limit(most.plans);
  const [first, ...rest] = due.map(({ uid }) => expiryPlan.select(db, uid));
  return first ? (await db.batch([first, ...rest])).flat() : [];
}

/** The items of one batch. Their snapshots can be long. */
const itemsOfBatch = 500;

/**
 * Forgets what can no longer be undone, and deletes plans that have been finished for long. Returns the number of items
 * and plans.
 */
async function forgetPlans({ db, now }: Scheduled): Promise<number> {
  return (await forgetSnapshots(db, now)) || (await deleteOldPlans(db, now));
}

async function forgetSnapshots(db: Database, now: number): Promise<number> {
  const { DONE, CANCELED, UNDOING } = ExpiryPlanState;
  const isFinished = inArray(expiryPlans.state, [DONE, CANCELED]);
  // An undo that is refused again and again, such as by a quota, has a week more.
  const isLate = lt(expiryPlans.undoExpireTime, now - 7 * DAY_MS);
  const [plan] = await db
    .select({ uid: expiryPlans.uid })
    .from(expiryPlans)
    .where(
      and(
        isNotNull(expiryPlans.undoExpireTime),
        lt(expiryPlans.undoExpireTime, now),
        or(isFinished, and(eq(expiryPlans.state, UNDOING), isLate)),
        isWritable(sql`${expiryPlans.uid}`),
      ),
    )
    .orderBy(asc(expiryPlans.undoExpireTime))
    .limit(1);
  if (!plan) return 0;
  const rows = await db
    .select({ number: expiryItems.number })
    .from(expiryItems)
    .where(and(eq(expiryItems.planUid, plan.uid), isNotNull(expiryItems.snapshot)))
    .limit(itemsOfBatch);
  const numbers = rows.map(({ number }) => number);
  const isSame = eq(expiryPlans.uid, plan.uid);
  if (numbers.length > 0)
    await db.update(expiryItems).set({ snapshot: null }).where(isItem(plan.uid, numbers));
  else await db.update(expiryPlans).set({ undoExpireTime: null, heldBytes: 0 }).where(isSame);
  return itemsOfBatch;
}

async function deleteOldPlans(db: Database, now: number): Promise<number> {
  const { DONE, CANCELED, UNDONE } = ExpiryPlanState;
  const isFinished = and(
    lt(expiryPlans.updateTime, now - keptFor),
    inArray(expiryPlans.state, [DONE, CANCELED, UNDONE]),
    isWritable(sql`${expiryPlans.uid}`),
  );
  const [plan] = await db
    .select({ uid: expiryPlans.uid })
    .from(expiryPlans)
    .where(isFinished)
    .orderBy(asc(expiryPlans.updateTime))
    .limit(1);
  if (!plan) return 0;
  const rows = await db
    .select({ number: expiryItems.number })
    .from(expiryItems)
    .where(eq(expiryItems.planUid, plan.uid))
    .limit(itemsOfBatch);
  if (rows.length > 0) {
    const numbers = rows.map(({ number }) => number);
    await db.delete(expiryItems).where(isItem(plan.uid, numbers));
  } else await db.delete(expiryPlans).where(eq(expiryPlans.uid, plan.uid));
  return itemsOfBatch;
}

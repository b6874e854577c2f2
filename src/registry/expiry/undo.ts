/** Undoes an expiry plan: writes its manifests and tags again, against the order in which they were deleted. */
import {
  type ExpiryPlan,
  ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import { failedPrecondition } from "../../aip/errors.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit } from "../../outbox/commit.ts";
import { reread, wrongState } from "./carry_out.ts";
import { paced } from "./pace.ts";
import { readBatch, restoreBatch } from "./restorations.ts";
import { changePlan, changeState, type PlanRow, toPlan } from "./stored_plans.ts";

/** After this time, in milliseconds, a run starts no further batch. */
const runTime = 20_000;

/**
 * Undoes a plan, or continues. Returns it as it then is: undone, or still being undone if there was not enough time.
 * Throws FAILED_PRECONDITION if nothing was deleted, or if it is too late.
 */
export async function undo(call: Call, caller: Caller, row: PlanRow): Promise<ExpiryPlan> {
  const started = await start(call, row);
  if (call.validateOnly) return toPlan(started);
  const end = Date.now() + runTime;
  // Nothing below the last batch has changed, so the next one need not look at what is restored.
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    if (Date.now() > end) return toPlan(await reread(call, row.uid));
    const batch = await readBatch(call, row.uid, before);
    if (batch.length === 0) break;
    await paced(() => restoreBatch(call, caller, row.uid, batch));
    before = batch.at(-1)?.number ?? before;
  }
  const plan = await reread(call, row.uid);
  if (plan.state !== ExpiryPlanState.UNDOING) return toPlan(plan);
  const changes = { state: ExpiryPlanState.UNDONE, undoExpireTime: null };
  const { row: undone, statements } = changePlan(call, caller, plan, changes);
  await commit(call, statements);
  return toPlan(undone);
}

async function start(call: Call, row: PlanRow): Promise<PlanRow> {
  const { db, guards, now, validateOnly = false } = call;
  const { state, deletedCount, undoExpireTime } = row;
  const { DONE, CANCELED, UNDOING, UNDONE } = ExpiryPlanState;
  if (state !== DONE && state !== CANCELED && state !== UNDOING) {
    if (state === UNDONE || deletedCount > 0) throw wrongState(row);
    throw nothing(row);
  }
  if (deletedCount === 0) throw nothing(row);
  // One that has begun in time is finished. Of each item, the bytes may be gone by then.
  if (state === UNDOING) return row;
  if (undoExpireTime === null || now > undoExpireTime) {
    const text = "the time in which the plan could be undone has passed";
    throw failedPrecondition("UNDO_EXPIRED", text, row.uid);
  }
  const { row: started, statements } = changeState(call, row, { state: UNDOING });
  await commit({ db, guards, validateOnly }, statements);
  return started;
}

const nothing = ({ uid }: PlanRow) =>
  failedPrecondition("NOTHING_TO_UNDO", "the plan has deleted nothing", uid);

/** The buttons of an expiry plan, and why a person cannot press them. */
import { useState } from "preact/hooks";
import type { ExpiryPlan } from "../../client/index.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { exactTime } from "../elements/time.tsx";
import { ApproveDialog, CancelDialog, CarryOutDialog, UndoDialog } from "./plan_dialogs.tsx";
import { isWaiting } from "./states.ts";
import type { Run } from "./use_run.ts";

interface ActionsProps {
  plan: ExpiryPlan;
  /** Whether the person has made it. */
  isOwn: boolean;
  repoName: string;
  run: Run;
}

type Task = "approve" | "carryOut" | "cancel" | "undo";

const dialogs = {
  approve: ApproveDialog,
  carryOut: CarryOutDialog,
  cancel: CancelDialog,
  undo: UndoDialog,
};

/** The buttons for the state of the plan. */
export function PlanActions({ plan, isOwn, repoName, run }: ActionsProps) {
  const permissions = useMay(parentOf(plan.uid));
  const [task, setTask] = useState<Task>();
  const open = (next: Task) => () => setTask(next);
  const isRunning = plan.state === "EXPIRY_PLAN_STATE_RUNNING";
  const isUnfinished = isWaiting(plan) || isRunning || plan.state === "EXPIRY_PLAN_STATE_READY";
  const TaskDialog = task && dialogs[task];
  return (
    <>
      {isWaiting(plan) && (
        <Button
          kind="primary"
          refusal={approvalRefusal(permissions, isOwn)}
          onClick={open("approve")}
        >
          Approve
        </Button>
      )}
      {isUnfinished && (
        <>
          <Button
            kind="danger"
            busy={run.isBusy}
            refusal={carryOutRefusal(permissions, plan)}
            onClick={open("carryOut")}
          >
            {isRunning ? "Continue" : "Carry out"}
          </Button>
          <Button
            refusal={refusalOf(permissions, target, "CAP_REGISTRY_EXPIRY_PLAN_CREATE")}
            onClick={open("cancel")}
          >
            Cancel the plan
          </Button>
        </>
      )}
      {isUndoable(plan) && (
        <Button busy={run.isBusy} refusal={undoRefusal(permissions, plan)} onClick={open("undo")}>
          {plan.state === "EXPIRY_PLAN_STATE_UNDOING" ? "Continue to undo" : "Undo"}
        </Button>
      )}
      {TaskDialog && (
        <TaskDialog plan={plan} repoName={repoName} run={run} onClose={() => setTask(undefined)} />
      )}
    </>
  );
}

const target = "this repository";

function approvalRefusal(permissions: Permissions, isOwn: boolean) {
  if (isOwn) return "You made this plan, so another person must approve it.";
  return refusalOf(permissions, target, "CAP_REGISTRY_EXPIRY_PLAN_APPROVE");
}

function carryOutRefusal(permissions: Permissions, plan: ExpiryPlan) {
  if (isWaiting(plan))
    return plan.daily ? "Someone must approve it first." : "Another person must approve it first.";
  return refusalOf(
    permissions,
    target,
    "CAP_REGISTRY_EXPIRY_PLAN_CARRY_OUT",
    "CAP_TAG_DELETE",
    "CAP_MANIFEST_DELETE",
  );
}

/** Whether the plan has ended and something of it was deleted, or its undo has begun. */
const isUndoable = ({ state, deletedCount, undoExpireTime }: ExpiryPlan): boolean =>
  deletedCount > 0 &&
  undoExpireTime !== undefined &&
  (state === "EXPIRY_PLAN_STATE_DONE" ||
    state === "EXPIRY_PLAN_STATE_CANCELED" ||
    state === "EXPIRY_PLAN_STATE_UNDOING");

function undoRefusal(permissions: Permissions, { undoExpireTime = "" }: ExpiryPlan) {
  if (Date.parse(undoExpireTime) < Date.now())
    return `It could be undone until ${exactTime(undoExpireTime)}.`;
  return refusalOf(
    permissions,
    target,
    "CAP_REGISTRY_EXPIRY_PLAN_CARRY_OUT",
    "CAP_TAG_CREATE",
    "CAP_MANIFEST_CREATE",
  );
}

/** The dialogs that ask before something is done with an expiry plan. */
import type { ComponentChildren } from "preact";
import type { ExpiryPlan } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { contentsText } from "./states.ts";
import { plansKey } from "./use_plan.ts";
import type { Run } from "./use_run.ts";

export interface PlanDialogProps {
  plan: ExpiryPlan;
  repoName: string;
  run: Run;
  onClose: () => void;
}

export function CarryOutDialog({ plan, repoName, run, onClose }: PlanDialogProps) {
  const left = plan.deletedCount + plan.leftCount;
  return (
    <ConfirmDialog
      title="Carry out the plan"
      action="Carry out"
      run={async () => run.begin("carryOut")}
      onClose={onClose}
    >
      <p>
        This deletes <b>{contentsText(plan)}</b> of <bdi>{repoName}</bdi>, with{" "}
        {formatBytes(plan.bytes)}.{left > 0 && ` ${formatCount(left)} of them are done already.`}{" "}
        Pulls of them fail from then on. Tags and images that have changed since the plan was made
        stay.
      </p>
      <p>You can undo it for some days. The page then shows until when.</p>
    </ConfirmDialog>
  );
}

export function UndoDialog({ plan, repoName, run, onClose }: PlanDialogProps) {
  return (
    <ConfirmDialog
      title="Undo the plan"
      action="Undo"
      kind="primary"
      run={async () => run.begin("undo")}
      onClose={onClose}
    >
      <p>
        This restores the <b>{formatCount(plan.deletedCount)}</b> tags and images that the plan has
        deleted in <bdi>{repoName}</bdi>. A tag whose name is used again stays as it is.
      </p>
    </ConfirmDialog>
  );
}

/** A dialog for a single call that changes the plan. */
function CallDialog(props: {
  title: string;
  action: string;
  kind: "primary" | "danger";
  call: () => Promise<unknown>;
  done: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { call, done, children, ...dialog } = props;
  const { refresh, notify } = useRefresh(plansKey);
  const run = async () => {
    await call().finally(refresh);
    notify({ text: done });
  };
  return (
    <ConfirmDialog {...dialog} run={run}>
      {children}
    </ConfirmDialog>
  );
}

export function ApproveDialog({ plan, repoName, onClose }: PlanDialogProps) {
  const { expiryPlans } = useClient();
  return (
    <CallDialog
      title="Approve the plan"
      action="Approve"
      kind="primary"
      call={() => expiryPlans.approveExpiryPlan({ uid: plan.uid })}
      done="Approved the plan."
      onClose={onClose}
    >
      <p>
        You agree that <b>{contentsText(plan)}</b> of <bdi>{repoName}</bdi> are deleted.{" "}
        {plan.daily
          ? "The platform then carries it out."
          : "Someone then carries it out. The approval alone deletes nothing."}
      </p>
    </CallDialog>
  );
}

export function CancelDialog({ plan, onClose }: PlanDialogProps) {
  const { expiryPlans } = useClient();
  return (
    <CallDialog
      title="Cancel the plan"
      action="Cancel the plan"
      kind="danger"
      call={() => expiryPlans.cancelExpiryPlan({ uid: plan.uid })}
      done="Canceled the plan."
      onClose={onClose}
    >
      <p>
        {plan.deletedCount > 0
          ? "The rest of it stays. You can undo the deletions so far."
          : "Nothing is deleted."}{" "}
        A canceled plan cannot be continued, but you can make a new one.
      </p>
    </CallDialog>
  );
}

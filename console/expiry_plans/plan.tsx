/** The page of one expiry plan: how far it has come, what it contains, and what a person can do with it. */
import type { ExpiryPlan } from "../../client/index.ts";
import { useName } from "../data/names.ts";
import { useSessionState } from "../data/platform.tsx";
import { parentOf, rootOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { formatBytes, formatCount } from "../elements/bytes.ts";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { Maker, PersonLink } from "./maker.tsx";
import { PlanActions } from "./plan_actions.tsx";
import { PlanItems } from "./plan_items.tsx";
import { contentsText, isWaiting, sizeOf, stateWords } from "./states.ts";
import { usePlan } from "./use_plan.ts";
import { useRun } from "./use_run.ts";

export default function OnePlan({ rest: uid }: PageProps) {
  const query = usePlan(uid);
  const repo = parentOf(uid);
  const name = useName("repos", repo);
  const path = [
    ["Repositories", addresses.repositories(rootOf(uid))],
    [name || "Repository", addresses.repository(repo)],
    ["Expiry", addresses.repository(repo, "expiry")],
  ] as const;
  return (
    <PageAnswer query={query} title="Expiry plan" path={path}>
      {(plan) => <PlanPage key={uid} plan={plan} repoName={name} path={path} />}
    </PageAnswer>
  );
}

interface PlanPageProps {
  plan: ExpiryPlan;
  repoName: string;
  path: readonly (readonly [string, string])[];
}

function PlanPage({ plan, repoName, path }: PlanPageProps) {
  const run = useRun(plan.uid);
  const session = useSessionState();
  const isOwn = session.kind !== "signed-out" && session.uid === plan.creatorUid;
  const { word, tone, sentence } = stateWords(plan);
  return (
    <Page
      title="Expiry plan"
      path={path}
      actions={<PlanActions plan={plan} isOwn={isOwn} repoName={repoName} run={run} />}
      lead={
        <span role="status">
          <Badge tone={tone}>{word}</Badge> {sentence}
          {isOwn && isWaiting(plan) && " You made it, so you cannot approve it."}
        </span>
      }
    >
      <Progress plan={plan} />
      {run.error && <ErrorNotice error={run.error} />}
      <Section title="About the plan">
        <PlanFacts plan={plan} />
      </Section>
      <PlanItems plan={plan} />
    </Page>
  );
}

/** How much of a plan is carried out or undone, while that happens. */
function Progress({ plan }: { plan: ExpiryPlan }) {
  const { state, deletedCount, leftCount, restoredCount } = plan;
  const isUndoing = state === "EXPIRY_PLAN_STATE_UNDOING";
  if (!isUndoing && state !== "EXPIRY_PLAN_STATE_RUNNING") return null;
  const [done, all] = isUndoing
    ? [restoredCount, deletedCount]
    : [deletedCount + leftCount, sizeOf(plan)];
  return (
    <p class="expiry-plans-progress">
      <progress aria-label="Progress" value={done} max={Math.max(all, 1)} />
      <span>
        {formatCount(done)} of {formatCount(all)}
        {!isUndoing &&
          done === 0 &&
          ". It begins when all pulls are known, two to three minutes after the plan was made."}
      </span>
    </p>
  );
}

function PlanFacts({ plan }: { plan: ExpiryPlan }) {
  const { description, needsApproval, approverUid, approver, approveTime } = plan;
  const { deletedCount, leftCount, restoredCount, bytes, endTime, undoExpireTime } = plan;
  return (
    <Facts
      facts={[
        [
          "Made",
          <>
            <Time time={plan.createTime} /> by <Maker plan={plan} />
          </>,
        ],
        ["Description", description && <bdi>{description}</bdi>],
        [
          "Approved",
          approverUid ? (
            <>
              <Time time={approveTime} /> by <PersonLink uid={approverUid} name={approver} />
            </>
          ) : (
            needsApproval && "not yet"
          ),
        ],
        ["Contents", contentsText(plan)],
        ["Size", `${formatBytes(bytes)}, freed when the plan can no longer be undone`],
        ["Deleted", deletedCount > 0 && formatCount(deletedCount)],
        ["Left alone", leftCount > 0 && formatCount(leftCount)],
        ["Restored", restoredCount > 0 && formatCount(restoredCount)],
        ["Complete", endTime && <Time time={endTime} />],
        ["Undo until", undoExpireTime && <Time time={undoExpireTime} />],
        ["More expires", plan.truncated && "Another plan can have the rest."],
      ]}
    />
  );
}

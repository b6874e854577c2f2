/** The view of a repository that shows its expiry plans. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { ExpiryPlan, Repo } from "../../client/index.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { formatBytes } from "../elements/bytes.ts";
import { Empty } from "../elements/states.tsx";
import { type Column, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { RuleDialog } from "../tag_rules/rule_dialog.tsx";
import { type RuleScope, useRules } from "../tag_rules/use_rules.ts";
import { MakePlanDialog } from "./make_plan.tsx";
import { Maker } from "./maker.tsx";
import { contentsText, isOpen, stateWords } from "./states.ts";
import { usePlans } from "./use_plan.ts";

const columns: Column<ExpiryPlan>[] = [
  {
    title: "Made",
    width: "minmax(5.5rem, 0.7fr)",
    cell: ({ uid, createTime }) => (
      <Link href={addresses.expiryPlan(uid)}>
        <Time time={createTime} />
      </Link>
    ),
  },
  { title: "State", width: "6.5rem", cell: (plan) => <State plan={plan} /> },
  {
    title: "Contents",
    width: "minmax(9rem, 1fr)",
    from: "medium",
    cell: (plan) => <span title={contentsText(plan)}>{contentsText(plan)}</span>,
  },
  {
    title: "Size",
    align: "end",
    width: "4.25rem",
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    title: "By",
    width: "minmax(6rem, 1fr)",
    from: "medium",
    cell: (plan) => <Maker plan={plan} />,
  },
  {
    title: "Undo until",
    width: "8rem",
    from: "wide",
    cell: ({ undoExpireTime }) => <Time time={undoExpireTime} absent="–" />,
  },
];

function State({ plan }: { plan: ExpiryPlan }) {
  const { word, tone } = stateWords(plan);
  return <Badge tone={tone}>{word}</Badge>;
}

type Task = "plan" | "rule";

export function PlansView({ repo: { uid, name } }: { repo: Repo }) {
  const permissions = useMay(uid);
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const scope: RuleScope = { uid, name, kind: "repository" };
  const unseen = refusalOf(permissions, name, "CAP_REGISTRY_EXPIRY_PLAN_LIST");
  const rows = usePlans(uid, !permissions.isPending && unseen === undefined);
  const isWithoutRule = useIsWithoutRule(scope);
  const newest = rows.row(0);
  const refusal =
    refusalOf(permissions, name, "CAP_REGISTRY_EXPIRY_PLAN_CREATE") ??
    (newest && isOpen(newest) ? "Carry out or cancel the plan that is open first." : undefined) ??
    (isWithoutRule ? "Create a tag rule of the kind expire first." : undefined);
  return (
    <div class="expiry-plans">
      <div class="toolbar expiry-plans-head">
        <p>
          A plan lists what the tag rules let expire. Carrying it out deletes that, and for some
          days you can undo it.
        </p>
        <Button kind="primary" refusal={refusal} onClick={() => setTask("plan")}>
          Make a plan
        </Button>
      </div>
      {unseen ? (
        <Empty title="You cannot see these plans">
          <p>{unseen}</p>
        </Empty>
      ) : (
        <Table
          label="Expiry plans"
          columns={columns}
          rows={rows}
          keyOf={(plan) => plan.uid}
          empty={
            <NoPlan
              permissions={permissions}
              name={name}
              isWithoutRule={isWithoutRule}
              onRule={() => setTask("rule")}
            />
          }
        />
      )}
      {task === "plan" && <MakePlanDialog repo={scope} onClose={close} />}
      {task === "rule" && <RuleDialog scope={scope} kind="expire" onClose={close} />}
    </div>
  );
}

/** Whether the person can see all rules that count on the repository, and none lets anything expire. */
function useIsWithoutRule(scope: RuleScope): boolean {
  const { data } = useRules(scope);
  return data?.hidden.length === 0 && data.sees && !data.rules.some(({ expire }) => expire);
}

interface NoPlanProps {
  permissions: Permissions;
  name: string;
  isWithoutRule: boolean;
  onRule: () => void;
}

function NoPlan({ permissions, name, isWithoutRule, onRule }: NoPlanProps) {
  return (
    <Empty title="No plan has been made yet">
      <p>
        A plan is a list of tags and images to delete. Nothing is deleted before someone carries it
        out.
      </p>
      {isWithoutRule && (
        <>
          <p>A plan needs a tag rule of the kind expire, and none counts here yet.</p>
          <Button
            refusal={refusalOf(permissions, name, "CAP_REGISTRY_TAG_RULE_CREATE")}
            onClick={onRule}
          >
            New rule
          </Button>
        </>
      )}
    </Empty>
  );
}
